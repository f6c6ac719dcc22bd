//! Values without fields: text, numbers, and what Kubernetes writes as text.

use golang::base64;
use golang::strconv::parse_float;
use golang::time::{self, Layout, Time};
use json_tree::{Number, Value};

use super::{DecodeError, kind, to_value};
use crate::Node;
use crate::quantity;
use crate::types::FieldType;

/// Why a value cannot be decoded.
pub(super) enum Error {
    /// It is of another JSON type; the caller knows how Go calls the type that it should be.
    Mismatch,
    /// This is what Go says.
    Decode(DecodeError),
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

/// Puts the value of a node as a type that has no fields into a slot, which has what an earlier field of the same name
/// had: `null` leaves that as it is. Anything else is [`Error::Mismatch`].
pub(super) fn decode(node: &Node<'_>, ty: &FieldType, slot: &mut Option<Value>) -> Result<(), Error> {
    match (ty, node) {
        (FieldType::String, Node::String(text)) => {
            let text = text.as_ref().to_owned();
            *slot = Some(Value::String(text));
        }
        (FieldType::Any | FieldType::FieldsV1, Node::Null) => *slot = None,
        (FieldType::Any | FieldType::FieldsV1, _) => match to_value(node) {
            Ok(value) => *slot = Some(value),
            Err(error) => return Err(DecodeError::text(error.to_string()).into()),
        },
        (FieldType::Quantity, _) => *slot = Some(quantity(node)?),
        (FieldType::IntOrString, _) => *slot = Some(int_or_string(node)?),
        (FieldType::Time, _) => *slot = time(node, Layout::Rfc3339)?,
        (FieldType::MicroTime, _) => *slot = time(node, Layout::Rfc3339Micro)?,
        (FieldType::Duration, _) => *slot = Some(duration(node)?),
        (FieldType::Bool | FieldType::Int32 | FieldType::Int64, Node::Null) => {}
        (FieldType::Float64 | FieldType::String | FieldType::Struct(_), Node::Null) => {}
        (_, Node::Null) => *slot = None,
        (FieldType::Bool, Node::Bool(bool)) => *slot = Some(Value::Bool(*bool)),
        (FieldType::Int32, Node::Number(literal)) => {
            let integer = integer::<i32>(literal, "int32")?;
            *slot = Some(Value::Number(integer.into()));
        }
        (FieldType::Int64, Node::Number(literal)) => {
            let integer = integer::<i64>(literal, "int64")?;
            *slot = Some(Value::Number(integer.into()));
        }
        (FieldType::Float64, Node::Number(literal)) => match parse_float(literal).and_then(number) {
            Some(float) => *slot = Some(Value::Number(float)),
            None => return Err(out_of_range(literal, "float64").into()),
        },
        (FieldType::Bytes, Node::String(text)) => match base64::decode(text.as_bytes()) {
            Ok(bytes) => *slot = Some(Value::String(base64::encode(bytes))),
            Err(at) => {
                return Err(DecodeError::text(format!("illegal base64 data at input byte {at}")).into());
            }
        },
        (FieldType::Bytes, Node::List(items)) => {
            let bytes = items.iter().map(byte).collect::<Result<Vec<_>, _>>()?;
            *slot = Some(Value::String(base64::encode(bytes)));
        }
        _ => return Err(Error::Mismatch),
    }
    Ok(())
}

/// Returns the number that a float is once it was written and read again: without a fraction it is an integer, so that what
/// was stored and what is sent can be compared.
fn number(float: f64) -> Option<Number> {
    let whole = float.fract() == 0.0 && float.abs() < 9e18 && !(float == 0.0 && float.is_sign_negative());
    if whole { Some(Number::from(float as i64)) } else { Number::from_f64(float) }
}

fn integer<T: std::str::FromStr>(literal: &str, go_type: &str) -> Result<T, DecodeError> {
    literal.parse().map_err(|_| out_of_range(literal, go_type))
}

fn out_of_range(literal: &str, go_type: &str) -> DecodeError {
    DecodeError::wrong_type(format!("number {literal}"), go_type)
}

/// Bytes may be sent as a list of numbers, for to Go they are one.
fn byte(node: &Node<'_>) -> Result<u8, DecodeError> {
    match node {
        Node::Null => Ok(0),
        Node::Number(literal) => integer(literal, "uint8"),
        _ => Err(DecodeError::wrong_type(kind(node), "uint8")),
    }
}

/// A number that is not in quotes is taken as if it were.
fn quantity(node: &Node<'_>) -> Result<Value, DecodeError> {
    let text = match node {
        Node::Null => "0",
        Node::String(text) | Node::Number(text) => text,
        // As text they begin with a letter or bracket.
        Node::Bool(_) | Node::List(_) | Node::Map(_) => "{",
    };
    quantity::canonical(text.trim()).map(Value::from).map_err(DecodeError::text)
}

fn int_or_string(node: &Node<'_>) -> Result<Value, DecodeError> {
    match node {
        Node::Null => Ok(Value::from(0)),
        Node::String(text) => Ok(Value::from(text.as_ref())),
        Node::Number(literal) => integer::<i32>(literal, "int32").map(Value::from),
        _ => Err(DecodeError::wrong_type(kind(node), "int32")),
    }
}

/// Returns a time in UTC, in whole seconds (`metav1.Time`) or in microseconds (`metav1.MicroTime`); nothing for Go's zero
/// time.
fn time(node: &Node<'_>, layout: Layout) -> Result<Option<Value>, Error> {
    let text = match node {
        Node::Null => return Ok(None),
        Node::String(text) => text,
        _ => return Err(DecodeError::wrong_type(kind(node), "string").into()),
    };
    match time::parse(layout, text).map_err(DecodeError::text)? {
        Time::ZERO => Ok(None),
        time if layout == Layout::Rfc3339Micro => Ok(Some(time.rfc3339_micro().into())),
        time => Ok(Some(time.rfc3339().into())),
    }
}

fn duration(node: &Node<'_>) -> Result<Value, DecodeError> {
    let text = match node {
        Node::Null => "",
        Node::String(text) => text,
        _ => return Err(DecodeError::wrong_type(kind(node), "string")),
    };
    let nanos = time::parse_duration(text).map_err(DecodeError::text)?;
    Ok(time::format_duration(nanos).into())
}
