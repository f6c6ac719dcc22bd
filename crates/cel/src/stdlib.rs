//! The functions of the language itself.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#list-of-standard-definitions>.

mod arithmetic;
mod compare;
mod convert;
mod strings;
mod time;

pub(crate) use self::convert::to_text;
use crate::{
    function::{Call, Function, Overload, Price, Size, scale},
    types::Sig,
};

/// The tables of all of them.
pub(crate) const FUNCTIONS: &[&[Function]] =
    &[compare::FUNCTIONS, arithmetic::FUNCTIONS, strings::FUNCTIONS, convert::FUNCTIONS, time::FUNCTIONS];

/// The cost of looking at a character.
const CHARACTER: f64 = 0.1;
/// The cost of a character of a pattern, for each character that it is compared with.
const PATTERN: f64 = 0.25;

/// As much as it takes to look through the smaller one of two values.
const SMALLER: Price = Price::By {
    estimate: smaller,
    actual: |values, _| scale(values.iter().map(|value| value.size()).min().unwrap_or(0), CHARACTER),
};

fn smaller(operands: &[crate::function::Operand<'_>]) -> (Size, Option<Size>) {
    let most = operands.iter().map(|operand| operand.size().max).min().unwrap_or(0);
    (Size::new(u64::from(most > 0), most).scaled(CHARACTER), None)
}

/// An overload that is called with all of its arguments in parentheses.
const fn function(id: &'static str, params: &'static [Sig], result: Sig, call: Call) -> Overload {
    Overload { id, member: false, params, result, call, price: Price::One }
}

/// An overload that is called on a value.
const fn method(id: &'static str, params: &'static [Sig], result: Sig, call: Call) -> Overload {
    Overload { id, member: true, params, result, call, price: Price::One }
}

/// An overload that is called with all of its arguments in parentheses, and costs something special.
const fn priced(id: &'static str, params: &'static [Sig], result: Sig, call: Call, price: Price) -> Overload {
    Overload { id, member: false, params, result, call, price }
}
