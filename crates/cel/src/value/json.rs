//! JSON as values, by what is declared of it. Nothing is copied but what has to be read: times, bytes.

use std::sync::Arc;

use golang::base64;
use json_tree::Value as Json;

use super::{Duration, List, Map, Text, Timestamp, Value};
use crate::{
    error::Error,
    types::declared::{Declared, Shape},
};

impl Declared {
    /// The value that expressions see of `json`. What is not as it is declared is an error.
    pub fn value<'a>(&'a self, json: &'a Json) -> Result<Value<'a>, Error> {
        let wrong = |expected: &str| {
            Err(Error::new(
                ["invalid data, expected ", expected, ", got ", schema::go::type_name(json)].concat(),
            ))
        };
        if json.is_null() {
            return if self.nullable {
                Ok(Value::Null)
            } else {
                Err(Error::new("invalid data, got null for schema with nullable=false"))
            };
        }
        match (&self.shape, json) {
            (Shape::Any, _) => Ok(Value::of_json(json)),
            (Shape::Object(_), Json::Object(entries)) | (Shape::Map(_), Json::Object(entries)) => {
                Ok(Value::Map(Map::Json(entries, self)))
            }
            (Shape::List(..), Json::Array(items)) => Ok(Value::List(List::Json(items, self))),
            (Shape::Bool, Json::Bool(value)) => Ok(Value::Bool(*value)),
            (Shape::Int, Json::Number(number)) => {
                number.as_i64().map_or_else(|| wrong("int"), |number| Ok(Value::Int(number)))
            }
            (Shape::Double, Json::Number(number)) => Ok(Value::Double(number.as_f64().unwrap_or(f64::NAN))),
            (Shape::IntOrString, Json::Number(number)) if number.as_i64().is_some() => {
                Ok(Value::Int(number.as_i64().unwrap_or_default()))
            }
            (Shape::String | Shape::IntOrString, Json::String(text)) => {
                Ok(Value::String(Text::Borrowed(text)))
            }
            (Shape::Bytes | Shape::Duration | Shape::Date | Shape::DateTime, Json::String(text)) => {
                self.read(text)
            }
            (Shape::Object(_) | Shape::Map(_), _) => {
                Err(Error::new("invalid data, expected a map for schema with type=object"))
            }
            (Shape::List(..), _) => {
                Err(Error::new("invalid data, expected an array for schema with type=array"))
            }
            (Shape::Bool, _) => wrong("bool"),
            (Shape::Int, _) => wrong("int"),
            (Shape::Double, _) => wrong("float"),
            (Shape::IntOrString, _) => {
                Err(Error::new("invalid data, expected XIntOrString value to be either a string or integer"))
            }
            (Shape::String | Shape::Bytes | Shape::Duration | Shape::Date | Shape::DateTime, _) => {
                wrong("string")
            }
        }
    }

    /// Reads a string of a format.
    fn read(&self, text: &str) -> Result<Value<'static>, Error> {
        let (read, what) = match self.shape {
            Shape::Bytes => (base64::decode(text).ok().map(|bytes| Value::Bytes(Arc::from(bytes))), "byte"),
            Shape::Duration => (Duration::parse_format(text).map(Value::Duration), "duration"),
            Shape::Date => (Timestamp::parse_date(text).map(Value::Timestamp), "date"),
            _ => (Timestamp::parse_lenient(text).map(Value::Timestamp), "date-time"),
        };
        read.ok_or_else(|| Error::new(["Invalid ", what, " formatted string ", text].concat()))
    }
}

/// How deep values become JSON.
const DEPTH: u32 = 128;

impl<'a> Value<'a> {
    /// The value as JSON. What has no counterpart there, as keys of maps that are no strings, is an error.
    pub fn to_json(&self) -> Result<Json, Error> {
        self.as_json(DEPTH)
    }

    fn as_json(&self, depth: u32) -> Result<Json, Error> {
        let Some(depth) = depth.checked_sub(1) else { return Err(Error::new("exceeded max depth")) };
        let number = |number: f64| {
            json_tree::Number::from_f64(number)
                .map(Json::Number)
                .ok_or_else(|| Error::new("unsupported value"))
        };
        Ok(match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(value) => Json::from(*value),
            Self::Uint(value) => Json::from(*value),
            Self::Double(value) => number(*value)?,
            Self::String(text) => Json::from(&**text),
            Self::Bytes(bytes) => Json::from(base64::encode(bytes)),
            Self::Timestamp(time) => Json::from(time.to_text()),
            Self::Duration(time) => Json::from(time.to_text()),
            Self::List(items) => {
                let items = items.iter().map(|item| item.and_then(|item| item.as_json(depth)));
                Json::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Map(map) => {
                let mut entries = json_tree::Map::new();
                for key in map.keys() {
                    let Self::String(name) = &key else {
                        return Err(Error::new("map key is not a string"));
                    };
                    let value = map.get(&key).unwrap_or(Ok(Self::Null))?.as_json(depth)?;
                    entries.insert(name.to_string(), value);
                }
                Json::Object(entries)
            }
            Self::Made(made) => {
                let mut entries = json_tree::Map::new();
                for (name, value) in &made.fields {
                    entries.insert(name.clone(), value.as_json(depth)?);
                }
                Json::Object(entries)
            }
            Self::Optional(_) | Self::Opaque(_) | Self::Type(_) | Self::Composed => {
                let kind = self.kind();
                return Err(Error::new(["unsupported type: ", kind.runtime_name()].concat()));
            }
        })
    }

    /// The value of JSON of which nothing is declared.
    pub fn of_json(json: &'a Json) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => Value::Int(number),
                (None, Some(number)) => Value::Uint(number),
                _ => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::String(Text::Borrowed(text)),
            Json::Array(items) => Value::List(List::Json(items, anything())),
            Json::Object(entries) => Value::Map(Map::Json(entries, anything())),
        }
    }
}

/// Returns the declaration for JSON without a declaration.
fn anything() -> &'static Declared {
    static ANYTHING: Declared = Declared {
        shape: Shape::Any,
        kind: crate::types::Type::Dyn,
        nullable: true,
        max_elements: 0,
        min_size: 1,
    };
    &ANYTHING
}
