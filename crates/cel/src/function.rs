//! The table of functions: what the checker, the estimator and the evaluator know of each.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#functions>. A library is a list of
//! [`Function`]s, all of it constants:
//!
//! ```
//! use cel::{Error, Function, Overload, Price, Sig, Value};
//!
//! fn is_empty<'a>(arguments: &[Value<'a>]) -> Result<Value<'a>, Error> {
//!     match arguments {
//!         [Value::String(text)] => Ok(Value::Bool(text.is_empty())),
//!         _ => Err(Error::no_such_overload()),
//!     }
//! }
//!
//! const FUNCTIONS: &[Function] = &[Function {
//!     name: "isEmpty",
//!     overloads: &[Overload {
//!         id: "string_is_empty",
//!         member: true, // 'a'.isEmpty(), not isEmpty('a')
//!         params: &[Sig::String], // of a member the target is the first
//!         result: Sig::Bool,
//!         call: is_empty,
//!         price: Price::One,
//!     }],
//! }];
//! ```

use crate::{
    error::Error,
    types::{Sig, Type},
    value::Value,
};

/// A function by its name. Several tables may have functions of the same name: their overloads are all considered.
#[derive(Debug)]
pub struct Function {
    /// The name: `size`, `math.greatest`; for operators that of cel-go: `_+_`.
    pub name: &'static str,
    /// The overloads of the function, in the order in which they are tried.
    pub overloads: &'static [Overload],
}

/// The implementation of a function for values of some types.
#[derive(Debug)]
pub struct Overload {
    /// The name in cel-go: `size_string`.
    pub id: &'static str,
    /// True if it is called on a value, which is then the first of the parameters.
    pub member: bool,
    /// The types of the parameters.
    pub params: &'static [Sig],
    /// The type of the result.
    pub result: Sig,
    /// The code that is called. The values have the types of the parameters, except that inside of a list or a map of
    /// `dyn` there may be anything.
    pub call: Call,
    /// The cost of a call, without that of its arguments.
    pub price: Price,
}

/// The code of an overload.
pub type Call = for<'v, 'a> fn(&'v [Value<'a>]) -> Result<Value<'a>, Error>;

/// The cost of a call, without that of its arguments.
#[derive(Clone, Copy, Debug)]
pub enum Price {
    /// 1, and nothing is known of the result's size.
    One,
    /// The costs that these functions return.
    By {
        /// The function that returns the least and the most that a call may cost, and the bounds of its result's size,
        /// if they are known.
        estimate: fn(&[Operand<'_>]) -> (Size, Option<Size>),
        /// The function that returns the actual cost, by the arguments and the result.
        actual: fn(&[Value<'_>], &Value<'_>) -> u64,
    },
}

/// The facts about an argument that are known before the program runs.
#[derive(Debug)]
pub struct Operand<'t> {
    /// The type of the argument.
    pub kind: &'t Type,
    /// The size of the argument: characters, bytes, items or entries. 1 for numbers and the like.
    pub size: Option<Size>,
    /// The size of its items, if it is a list.
    pub items: Option<Size>,
    /// The number, if it is written as such.
    pub literal: Option<u64>,
}

impl Operand<'_> {
    /// The size, from nothing to the largest number if nothing is known.
    pub fn size(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }

    /// The size of the items, from nothing to the largest number if nothing is known.
    pub fn items(&self) -> Size {
        self.items.unwrap_or(Size::UNKNOWN)
    }
}

/// A range of sizes or of costs. What is too large for it is the largest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
}

impl Size {
    /// Any size.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    /// Between `min` and `max`.
    pub const fn new(min: u64, max: u64) -> Self {
        Self { min, max }
    }

    /// Exactly this.
    pub const fn exactly(size: u64) -> Self {
        Self { min: size, max: size }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// As often as `other` says.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Times a factor, rounded up.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { min: scale(self.min, factor), max: scale(self.max, factor) }
    }

    /// Returns the smallest range that contains both ranges.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// `size` times `factor`, rounded up. A float too large for the type becomes its largest number.
pub(crate) fn scale(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}
