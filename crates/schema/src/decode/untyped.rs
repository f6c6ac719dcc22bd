//! Decoding of documents without a type: custom resources, patches, free values.

use std::fmt::{self, Display, Formatter};

use json_tree::{Map, Number, Value};

use super::path::{Step, Trace};
use super::room::{Full, Room};
use super::{DecodeError, Decoded, kind};
use crate::Node;
use golang::strconv::parse_float;

/// A number that no float can hold, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeError {
    /// The number as it was sent.
    pub literal: String,
}

impl Display for RangeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "json: cannot unmarshal number {} into Go value of type float64", self.literal)
    }
}

impl std::error::Error for RangeError {}

impl From<RangeError> for DecodeError {
    fn from(error: RangeError) -> Self {
        Self::text(error.to_string())
    }
}

/// The value of a node as Kubernetes reads what has no type: numbers without fraction and exponent that fit
/// an `i64` are integers, all others floats; of several entries of one name the last counts, in the place
/// of the first. Maps keep the order of the document.
///
/// # Errors
/// A number beyond the range of a float.
pub fn to_value(node: &Node<'_>) -> Result<Value, RangeError> {
    Ok(match node {
        Node::Null => Value::Null,
        Node::Bool(bool) => Value::Bool(*bool),
        Node::Number(literal) => Value::Number(number(literal)?),
        Node::String(text) => Value::String(text.as_ref().to_owned()),
        Node::List(items) => {
            let mut list = Vec::with_capacity(items.len());
            for item in items {
                list.push(to_value(item)?);
            }
            Value::Array(list)
        }
        Node::Map(entries) => {
            let mut map = Map::with_capacity(entries.len());
            for (key, value) in entries {
                map.insert(key.as_ref().to_owned(), to_value(value)?);
            }
            Value::Object(map)
        }
    })
}

fn number(literal: &str) -> Result<Number, RangeError> {
    if let Ok(integer) = literal.parse::<i64>() {
        return Ok(integer.into());
    }
    let float = parse_float(literal).and_then(Number::from_f64);
    float.ok_or_else(|| RangeError { literal: literal.to_owned() })
}

/// Decodes an object without a type, as [`to_value`] does, but with the keys of all its maps in the order
/// in which Go writes them, and what stands twice reported.
///
/// # Errors
/// A document that is no object or too large ([`Full`]), or a number beyond the range of a float.
pub fn decode_untyped(node: &Node<'_>) -> Result<Decoded, DecodeError> {
    if !matches!(node, Node::Map(_) | Node::Null) {
        return Err(DecodeError::wrong_type(kind(node), "map[string]interface {}"));
    }
    let mut trace = Trace::default();
    duplicates(node, &mut trace, &mut Room::default())?;
    let mut value = to_value(node)?;
    value.sort_all_objects();
    Ok(Decoded { value, strict: trace.strict })
}

fn duplicates<'a>(node: &'a Node<'_>, trace: &mut Trace<'a>, room: &mut Room) -> Result<(), Full> {
    match node {
        Node::List(items) => {
            for (index, item) in items.iter().enumerate() {
                room.take_value()?;
                trace.enter(Step::Item(index));
                duplicates(item, trace, room)?;
                trace.leave();
            }
        }
        Node::Map(entries) => {
            let mut seen = std::collections::HashSet::with_capacity(entries.len());
            for (key, value) in entries {
                room.take_value()?;
                if !seen.insert(key.as_ref()) {
                    trace.duplicate(key);
                }
                trace.enter(Step::Key(key));
                duplicates(value, trace, room)?;
                trace.leave();
            }
        }
        _ => {}
    }
    Ok(())
}
