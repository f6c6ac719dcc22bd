//! Values out of text, and other things out of values.

use std::fmt::{self, Formatter};

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use serde_json::Error;

use crate::{Map, Number, Value};

/// Converts a value to another type, by way of its JSON text.
///
/// # Errors
/// It is nothing of the type.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    let text = serde_json::to_vec(&value)?;
    drop(value);
    serde_json::from_slice(&text)
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inside: D) -> Result<Value, D::Error> {
        Value::deserialize(inside)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, value)) = entries.next_entry()? {
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

impl<'de> Deserialize<'de> for Map<String, Value> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(Tree)? {
            Value::Object(map) => Ok(map),
            Value::Null => Ok(Self::new()),
            _ => Err(D::Error::custom("invalid type, expected a map")),
        }
    }
}

impl std::str::FromStr for Value {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        // The reader of bytes, so that it is the only one.
        serde_json::from_slice(text.as_bytes())
    }
}

impl Value {
    /// The number as a value; `null` if it is not finite.
    pub(crate) fn float(number: f64) -> Self {
        Number::from_f64(number).map_or(Self::Null, Self::Number)
    }
}
