//! Semantic versions.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library>.

use std::any::Any;

use super::{
    global, member,
    prices::{ONE, READ},
    version::Version,
};
use crate::{
    error::Error,
    function::Function,
    types::Sig::{self, Bool, Int, Opaque as Of, String},
    value::{Opaque, Value},
};

const NAME: &str = "kubernetes.Semver";
const SEMVER: Sig = Of(NAME);

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "semver",
        overloads: &[
            global!("string_to_semver", [String] => SEMVER, READ, |Value::String(text)| read(text, false)),
            global!("string_bool_to_semver", [String, Bool] => SEMVER, READ, |Value::String(text), Value::Bool(normalize)| {
                read(text, *normalize)
            }),
        ],
    },
    Function {
        name: "isSemver",
        overloads: &[
            global!("is_semver_string", [String] => Bool, READ, |Value::String(text)| {
                Ok(Value::Bool(read(text, false).is_ok()))
            }),
            global!("is_semver_string_bool", [String, Bool] => Bool, READ, |Value::String(text), Value::Bool(normalize)| {
                Ok(Value::Bool(read(text, *normalize).is_ok()))
            }),
        ],
    },
    Function {
        name: "isGreaterThan",
        overloads: &[member!("semver_is_greater_than", [SEMVER, SEMVER] => Bool, ONE, |a, b| {
            of_both(a, b, |a, b| Value::Bool(a.compare(b).is_gt()))
        })],
    },
    Function {
        name: "isLessThan",
        overloads: &[member!("semver_is_less_than", [SEMVER, SEMVER] => Bool, ONE, |a, b| {
            of_both(a, b, |a, b| Value::Bool(a.compare(b).is_lt()))
        })],
    },
    Function {
        name: "compareTo",
        overloads: &[member!("semver_compare_to", [SEMVER, SEMVER] => Int, ONE, |a, b| {
            of_both(a, b, |a, b| Value::Int(a.compare(b) as i64))
        })],
    },
    Function {
        name: "major",
        overloads: &[member!("semver_major", [SEMVER] => Int, ONE, |version| number(version, 0))],
    },
    Function {
        name: "minor",
        overloads: &[member!("semver_minor", [SEMVER] => Int, ONE, |version| number(version, 1))],
    },
    Function {
        name: "patch",
        overloads: &[member!("semver_patch", [SEMVER] => Int, ONE, |version| number(version, 2))],
    },
];

fn read<'a>(text: &str, normalize: bool) -> Result<Value<'a>, Error> {
    let version = if normalize { Version::parse_tolerantly(text) } else { Version::parse(text) };
    version.map(Value::opaque).map_err(Error::Message)
}

fn number<'a>(version: &Value<'a>, at: usize) -> Result<Value<'a>, Error> {
    let number = version.downcast::<Version>().and_then(|version| version.numbers.get(at));
    number.map(|number| Value::Int(*number as i64)).ok_or_else(Error::no_such_overload)
}

fn of_both<'a>(
    a: &Value<'a>,
    b: &Value<'a>,
    f: fn(&Version, &Version) -> Value<'a>,
) -> Result<Value<'a>, Error> {
    match (a.downcast(), b.downcast()) {
        (Some(a), Some(b)) => Ok(f(a, b)),
        _ => Err(Error::no_such_overload()),
    }
}

impl Opaque for Version {
    fn type_name(&self) -> &'static str {
        NAME
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref().is_some_and(|other| self.compare(other).is_eq())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
