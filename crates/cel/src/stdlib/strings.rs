//! The functions of strings, bytes, lists and maps.

use regex_lite::Regex;

use super::{CHARACTER, PATTERN, function, method};
use crate::{
    error::Error,
    function::{Function, Operand, Overload, Price, Size, scale},
    types::Sig,
    value::Value,
};

const STRING: Sig = Sig::String;
const BOOL: Sig = Sig::Bool;
const INT: Sig = Sig::Int;
const LIST: Sig = Sig::List(&Sig::A);
const MAP: Sig = Sig::Map(&Sig::A, &Sig::B);

/// As much as it takes to look at the end or the beginning of a string.
const END: Price = Price::By {
    estimate: |operands| (size(operands, 1).scaled(CHARACTER), None),
    actual: |values, _| scale(values.first().map_or(1, Value::size), CHARACTER),
};

/// An overload that is called on a string, and costs something special.
const fn asks(id: &'static str, call: crate::function::Call, price: Price) -> Overload {
    Overload { id, member: true, params: &[STRING, STRING], result: BOOL, call, price }
}

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "size",
        overloads: &[
            method("bytes_size", &[Sig::Bytes], INT, count),
            method("list_size", &[LIST], INT, count),
            method("map_size", &[MAP], INT, count),
            method("string_size", &[STRING], INT, count),
            function("size_bytes", &[Sig::Bytes], INT, count),
            function("size_list", &[LIST], INT, count),
            function("size_map", &[MAP], INT, count),
            function("size_string", &[STRING], INT, count),
        ],
    },
    Function {
        name: "contains",
        overloads: &[asks(
            "contains_string",
            |values| asked(values, |text, part| text.contains(part)),
            Price::By {
                estimate: |operands| {
                    (size(operands, 0).scaled(CHARACTER).times(size(operands, 1).scaled(CHARACTER)), None)
                },
                actual: |values, _| {
                    values.iter().map(|value| scale(value.size(), CHARACTER)).fold(1, u64::saturating_mul)
                },
            },
        )],
    },
    Function {
        name: "startsWith",
        overloads: &[asks(
            "starts_with_string",
            |values| asked(values, |text, part| text.starts_with(part)),
            END,
        )],
    },
    Function {
        name: "endsWith",
        overloads: &[asks(
            "ends_with_string",
            |values| asked(values, |text, part| text.ends_with(part)),
            END,
        )],
    },
    Function {
        name: "matches",
        overloads: &[
            function("matches", &[STRING, STRING], BOOL, matches),
            asks(
                "matches_string",
                matches,
                Price::By {
                    estimate: |operands| {
                        let text = size(operands, 0).plus(Size::exactly(1)).scaled(CHARACTER);
                        (text.times(size(operands, 1).scaled(PATTERN)), None)
                    },
                    actual: |values, _| match values {
                        [text, pattern] => {
                            scale(text.size() + 1, CHARACTER).saturating_mul(scale(pattern.size(), PATTERN))
                        }
                        _ => 1,
                    },
                },
            ),
        ],
    },
];

fn size(operands: &[Operand<'_>], index: usize) -> Size {
    operands.get(index).map_or(Size::UNKNOWN, Operand::size)
}

fn count<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [value @ (Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_))] => {
            Ok(Value::Int(value.size() as i64))
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn asked<'a>(values: &[Value<'a>], test: fn(&str, &str) -> bool) -> Result<Value<'a>, Error> {
    match values {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(test(text, part))),
        _ => Err(Error::no_such_overload()),
    }
}

fn matches<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let [Value::String(text), Value::String(pattern)] = values else { return Err(Error::no_such_overload()) };
    match Regex::new(pattern) {
        Ok(regex) => Ok(Value::Bool(regex.is_match(text))),
        Err(_) => Err(Error::new(["error parsing regexp: `", &**pattern, "`"].concat())),
    }
}
