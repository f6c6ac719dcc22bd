//! Conversions from type to type.

use std::sync::Arc;

use golang::strconv::format_float;

use super::{CHARACTER, function, priced};
use crate::{
    error::Error,
    function::{Function, Price, Size, scale},
    types::{Sig, Type},
    value::{Duration, Text, Timestamp, Value},
};

const BOOL: Sig = Sig::Bool;
const BYTES: Sig = Sig::Bytes;
const DOUBLE: Sig = Sig::Double;
const INT: Sig = Sig::Int;
const SPAN: Sig = Sig::Duration;
const STRING: Sig = Sig::String;
const TIME: Sig = Sig::Timestamp;
const UINT: Sig = Sig::Uint;

/// A character can become four bytes.
const TO_BYTES: Price = Price::By {
    estimate: |operands| {
        let size = operands.first().map_or(Size::UNKNOWN, |operand| operand.size());
        (size.scaled(CHARACTER), Some(Size::new(size.min, size.max.saturating_mul(4))))
    },
    actual: |values, _| scale(values.first().map_or(1, Value::size), CHARACTER),
};
/// Four bytes can become one character.
const TO_STRING: Price = Price::By {
    estimate: |operands| {
        let size = operands.first().map_or(Size::UNKNOWN, |operand| operand.size());
        (size.scaled(CHARACTER), Some(Size::new(size.min / 4, size.max)))
    },
    actual: |values, _| scale(values.first().map_or(1, Value::size), CHARACTER),
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "bool",
        overloads: &[
            function("bool_to_bool", &[BOOL], BOOL, to_bool),
            function("string_to_bool", &[STRING], BOOL, to_bool),
        ],
    },
    Function {
        name: "bytes",
        overloads: &[
            function("bytes_to_bytes", &[BYTES], BYTES, to_bytes),
            priced("string_to_bytes", &[STRING], BYTES, to_bytes, TO_BYTES),
        ],
    },
    Function {
        name: "double",
        overloads: &[
            function("double_to_double", &[DOUBLE], DOUBLE, to_double),
            function("int64_to_double", &[INT], DOUBLE, to_double),
            function("string_to_double", &[STRING], DOUBLE, to_double),
            function("uint64_to_double", &[UINT], DOUBLE, to_double),
        ],
    },
    Function {
        name: "duration",
        overloads: &[
            function("duration_to_duration", &[SPAN], SPAN, to_duration),
            function("int64_to_duration", &[INT], SPAN, to_duration),
            function("string_to_duration", &[STRING], SPAN, to_duration),
        ],
    },
    Function { name: "dyn", overloads: &[function("to_dyn", &[Sig::A], Sig::Dyn, to_dyn)] },
    Function {
        name: "int",
        overloads: &[
            function("int64_to_int64", &[INT], INT, to_int),
            function("double_to_int64", &[DOUBLE], INT, to_int),
            function("duration_to_int64", &[SPAN], INT, to_int),
            function("string_to_int64", &[STRING], INT, to_int),
            function("timestamp_to_int64", &[TIME], INT, to_int),
            function("uint64_to_int64", &[UINT], INT, to_int),
        ],
    },
    Function {
        name: "string",
        overloads: &[
            function("string_to_string", &[STRING], STRING, to_string),
            function("bool_to_string", &[BOOL], STRING, to_string),
            priced("bytes_to_string", &[BYTES], STRING, to_string, TO_STRING),
            function("double_to_string", &[DOUBLE], STRING, to_string),
            function("duration_to_string", &[SPAN], STRING, to_string),
            function("int64_to_string", &[INT], STRING, to_string),
            function("timestamp_to_string", &[TIME], STRING, to_string),
            function("uint64_to_string", &[UINT], STRING, to_string),
        ],
    },
    Function {
        name: "timestamp",
        overloads: &[
            function("timestamp_to_timestamp", &[TIME], TIME, to_timestamp),
            function("int64_to_timestamp", &[INT], TIME, to_timestamp),
            function("string_to_timestamp", &[STRING], TIME, to_timestamp),
        ],
    },
    Function { name: "type", overloads: &[function("type", &[Sig::A], Sig::Type(&Sig::A), to_type)] },
    Function {
        name: "uint",
        overloads: &[
            function("uint64_to_uint64", &[UINT], UINT, to_uint),
            function("double_to_uint64", &[DOUBLE], UINT, to_uint),
            function("int64_to_uint64", &[INT], UINT, to_uint),
            function("string_to_uint64", &[STRING], UINT, to_uint),
        ],
    },
];

/// A value has no meaning in another type.
fn failed<'a>(from: &Value<'_>, to: &Type) -> Result<Value<'a>, Error> {
    let kind = from.kind();
    Err(Error::new(
        ["type conversion error from '", kind.runtime_name(), "' to '", to.runtime_name(), "'"].concat(),
    ))
}

fn to_bool<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Bool(value)] => Ok(Value::Bool(*value)),
        [Value::String(text)] => match &**text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
            _ => failed(&values[0], &Type::Bool),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn to_bytes<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Bytes(bytes)] => Ok(Value::Bytes(bytes.clone())),
        [Value::String(text)] => Ok(Value::Bytes(Arc::from(text.as_bytes()))),
        _ => Err(Error::no_such_overload()),
    }
}

fn to_double<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Double(value)] => Ok(Value::Double(*value)),
        [Value::Int(value)] => Ok(Value::Double(*value as f64)),
        [Value::Uint(value)] => Ok(Value::Double(*value as f64)),
        [Value::String(text)] => match read_double(text) {
            Some(value) => Ok(Value::Double(value)),
            None => failed(&values[0], &Type::Double),
        },
        _ => Err(Error::no_such_overload()),
    }
}

/// Reads a number as Go does, with names for what is none and for what is too large.
fn read_double(text: &str) -> Option<f64> {
    let value = golang::strconv::parse_float(text)?;
    // A number that is too large for a float is none; infinities have names.
    let is_name = text.trim_start_matches(['+', '-']).starts_with(['i', 'I', 'n', 'N']);
    (is_name || value.is_finite()).then_some(value)
}

fn to_duration<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Duration(value)] => Ok(Value::Duration(*value)),
        [Value::Int(value)] => Ok(Value::Duration(Duration(*value))),
        [Value::String(text)] => match Duration::parse(text) {
            Some(value) => Ok(Value::Duration(value)),
            None => failed(&values[0], &Type::Duration),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn to_dyn<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    values.first().cloned().ok_or_else(Error::no_such_overload)
}

fn to_type<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    values.first().map(|value| Value::Type(value.kind())).ok_or_else(Error::no_such_overload)
}

fn to_int<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Int(value)] => Ok(Value::Int(*value)),
        [Value::Uint(value)] => i64::try_from(*value).map(Value::Int).map_err(|_| Error::integer_overflow()),
        // The ends are where the next float is no integer of 64 bits.
        [Value::Double(value)] if value.abs() < 9_223_372_036_854_775_808.0 => Ok(Value::Int(*value as i64)),
        [Value::Double(_)] => Err(Error::integer_overflow()),
        [Value::Duration(value)] => Ok(Value::Int(value.0)),
        [Value::Timestamp(value)] => Ok(Value::Int(value.seconds)),
        [Value::String(text)] => match text.parse() {
            Ok(value) => Ok(Value::Int(value)),
            Err(_) => failed(&values[0], &Type::Int),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn to_uint<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let overflow = || Err(Error::new("unsigned integer overflow"));
    match values {
        [Value::Uint(value)] => Ok(Value::Uint(*value)),
        [Value::Int(value)] => {
            u64::try_from(*value).map_or_else(|_| overflow(), |value| Ok(Value::Uint(value)))
        }
        [Value::Double(value)] if *value >= 0.0 && *value < 18_446_744_073_709_551_616.0 => {
            Ok(Value::Uint(*value as u64))
        }
        [Value::Double(_)] => overflow(),
        [Value::String(text)] => match text.parse() {
            Ok(value) if !text.starts_with('+') => Ok(Value::Uint(value)),
            _ => failed(&values[0], &Type::Uint),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn to_timestamp<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Timestamp(value)] => Ok(Value::Timestamp(*value)),
        [Value::Int(seconds)] => match Timestamp::new(*seconds, 0) {
            Some(value) => Ok(Value::Timestamp(value)),
            None => Err(Error::new("timestamp overflow")),
        },
        [Value::String(text)] => match Timestamp::parse(text) {
            Some(value) => Ok(Value::Timestamp(value)),
            None => failed(&values[0], &Type::Timestamp),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn to_string<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::String(text)] => Ok(Value::String(text.clone())),
        [Value::Bytes(bytes)] => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::String(Text::Shared(Arc::from(text)))),
            Err(_) => Err(Error::new("invalid UTF-8 in bytes, cannot convert to string")),
        },
        [value] => match to_text(value) {
            Some(text) => Ok(Value::string(text)),
            None => failed(value, &Type::String),
        },
        _ => Err(Error::no_such_overload()),
    }
}

/// The text of a value that has one by itself.
pub(crate) fn to_text(value: &Value<'_>) -> Option<String> {
    Some(match value {
        Value::String(text) => (**text).to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => format_float(*value),
        Value::Timestamp(value) => value.to_text(),
        Value::Duration(value) => value.to_text(),
        _ => return None,
    })
}
