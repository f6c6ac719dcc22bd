//! What a document means where no schema says it.

use std::fmt::{self, Display, Formatter};

use schema::Node;
use serde_json::{Map, Number, Value};

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

/// The value of a node as Kubernetes reads what has no type (custom resources, patches): numbers without
/// fraction and exponent that fit an `i64` are integers, all others floats; of several entries of one name
/// the last counts, in the place of the first. Maps keep the order of the document.
///
/// # Errors
/// A number beyond the range of a float.
pub fn to_value(node: &Node<'_>) -> Result<Value, RangeError> {
    Ok(match node {
        Node::Null => Value::Null,
        Node::Bool(bool) => Value::Bool(*bool),
        Node::Number(literal) => Value::Number(number(literal)?),
        Node::String(text) => Value::String(text.as_ref().to_owned()),
        Node::List(items) => Value::Array(items.iter().map(to_value).collect::<Result<_, _>>()?),
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
    let float = literal.parse::<f64>().ok().and_then(Number::from_f64);
    float.ok_or_else(|| RangeError { literal: literal.to_owned() })
}
