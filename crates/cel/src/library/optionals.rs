//! Values that may be absent.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#cel-optional-types>. What selects a field or an item that
//! may be absent belongs to the language.

use super::{
    global, member,
    prices::{LIMIT, ONE},
};
use crate::{
    error::Error,
    function::Function,
    types::Sig::{self, A, Bool, List, Optional},
    value::{List as Items, Value},
};

const OPTIONAL: Sig = Optional(&A);

/// The year 1 in seconds since 1970: for Go the time that is no time.
const NO_TIME: i64 = -62_135_596_800;

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "optional.of",
        overloads: &[
            global!("optional_of", [A] => OPTIONAL, ONE, |value| Ok(Value::optional(Some(value.clone())))),
        ],
    },
    Function {
        name: "optional.ofNonZeroValue",
        overloads: &[global!("optional_ofNonZeroValue", [A] => OPTIONAL, ONE, |value| {
            Ok(Value::optional((!is_zero(value)).then(|| value.clone())))
        })],
    },
    Function {
        name: "optional.none",
        overloads: &[global!("optional_none", [] => OPTIONAL, ONE, | | Ok(Value::optional(None)))],
    },
    Function {
        name: "value",
        overloads: &[member!("optional_value", [OPTIONAL] => A, ONE, |Value::Optional(value)| {
            value.as_deref().cloned().ok_or_else(|| Error::new("optional.none() dereference"))
        })],
    },
    Function {
        name: "hasValue",
        overloads: &[member!("optional_hasValue", [OPTIONAL] => Bool, ONE, |Value::Optional(value)| {
            Ok(Value::Bool(value.is_some()))
        })],
    },
    Function {
        name: "or",
        overloads: &[
            member!("optional_or_optional", [OPTIONAL, OPTIONAL] => OPTIONAL, ONE, |Value::Optional(value), other| {
                Ok(if value.is_some() { Value::Optional(value.clone()) } else { other.clone() })
            }),
        ],
    },
    Function {
        name: "orValue",
        overloads: &[
            member!("optional_orValue_value", [OPTIONAL, A] => A, ONE, |Value::Optional(value), other| {
                Ok(value.as_deref().unwrap_or(other).clone())
            }),
        ],
    },
    Function {
        name: "optional.unwrap",
        overloads: &[
            global!("optional_unwrap", [List(&OPTIONAL)] => List(&A), ONE, |Value::List(items)| unwrap(items)),
        ],
    },
    Function {
        name: "unwrapOpt",
        overloads: &[
            member!("optional_unwrapOpt", [List(&OPTIONAL)] => List(&A), ONE, |Value::List(items)| unwrap(items)),
        ],
    },
    Function {
        name: "first",
        overloads: &[member!("list_first", [List(&A)] => OPTIONAL, ONE, |Value::List(items)| item(items, 0))],
    },
    Function {
        name: "last",
        overloads: &[member!("list_last", [List(&A)] => OPTIONAL, ONE, |Value::List(items)| {
            item(items, items.len().saturating_sub(1))
        })],
    },
];

fn is_zero(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Int(number) => *number == 0,
        Value::Uint(number) => *number == 0,
        Value::Double(number) => *number == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::Timestamp(time) => (time.seconds, time.nanos) == (NO_TIME, 0),
        Value::Duration(time) => time.0 == 0,
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Optional(value) => value.is_none(),
        Value::Made(made) => made.fields.is_empty(),
        Value::Type(_) | Value::Opaque(_) | Value::Composed => false,
    }
}

fn item<'a>(items: &Items<'a>, at: usize) -> Result<Value<'a>, Error> {
    Ok(Value::optional(items.get(at).transpose()?))
}

/// The values that are there.
fn unwrap<'a>(items: &Items<'a>) -> Result<Value<'a>, Error> {
    if items.len() as u64 > LIMIT {
        return Err(Error::Budget);
    }
    let mut values = Vec::new();
    for item in items.iter() {
        match item? {
            Value::Optional(value) => values.extend(value.as_deref().cloned()),
            _ => return Err(Error::no_such_overload()),
        }
    }
    Ok(Value::list(values))
}
