//! Values into text, and values of whatever can be written.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use serde_json::Error;

use crate::{Map, Value};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => items.serialize(serializer),
            Self::Object(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map<String, Value> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// The value of something that can be written as JSON.
///
/// # Errors
/// It refuses to be written, or has keys that are no text.
pub fn to_value<T: Serialize>(value: T) -> Result<Value, Error> {
    value.serialize(Tree)
}

/// Makes a tree of what is written.
struct Tree;

/// A list that is being written, perhaps as the value of a variant.
struct List {
    variant: Option<&'static str>,
    items: Vec<Value>,
}

/// An object that is being written, perhaps as the value of a variant.
struct Object {
    variant: Option<&'static str>,
    map: Map<String, Value>,
    key: String,
}

/// The value of a variant is the only one of an object.
fn under(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => Value::Object(Map::from_iter([(variant.to_owned(), value)])),
        None => value,
    }
}

impl List {
    fn new(variant: Option<&'static str>, length: usize) -> Self {
        Self { variant, items: Vec::with_capacity(length) }
    }

    fn add<T: ?Sized + Serialize>(&mut self, item: &T) -> Result<(), Error> {
        self.items.push(item.serialize(Tree)?);
        Ok(())
    }

    fn finish(self) -> Value {
        under(self.variant, Value::Array(self.items))
    }
}

impl Object {
    fn new(variant: Option<&'static str>, length: usize) -> Self {
        Self { variant, map: Map::with_capacity(length), key: String::new() }
    }

    fn add<T: ?Sized + Serialize>(&mut self, key: String, value: &T) -> Result<(), Error> {
        self.map.insert(key, value.serialize(Tree)?);
        Ok(())
    }

    fn finish(self) -> Value {
        under(self.variant, Value::Object(self.map))
    }
}

macro_rules! scalars {
    ($($name:ident $kind:ty;)*) => {
        $(
            fn $name(self, value: $kind) -> Result<Value, Error> {
                Ok(Value::from(value))
            }
        )*
    };
}

impl Serializer for Tree {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Object;
    type SerializeStruct = Object;
    type SerializeStructVariant = Object;

    scalars! {
        serialize_bool bool;
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_f32 f32;
        serialize_str &str;
    }

    fn serialize_f64(self, value: f64) -> Result<Value, Error> {
        Ok(Value::float(value))
    }

    fn serialize_char(self, value: char) -> Result<Value, Error> {
        Ok(Value::String(value.to_string()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, Error> {
        Ok(Value::from(value))
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Value, Error> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        Ok(under(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List, Error> {
        Ok(List::new(None, length.unwrap_or(0)))
    }

    fn serialize_tuple(self, length: usize) -> Result<List, Error> {
        Ok(List::new(None, length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<List, Error> {
        Ok(List::new(None, length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<List, Error> {
        Ok(List::new(Some(variant), length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Object, Error> {
        Ok(Object::new(None, length.unwrap_or(0)))
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Object, Error> {
        Ok(Object::new(None, length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Object, Error> {
        Ok(Object::new(Some(variant), length))
    }
}

macro_rules! lists {
    ($($kind:ident $add:ident;)*) => {
        $(
            impl $kind for List {
                type Ok = Value;
                type Error = Error;

                fn $add<T: ?Sized + Serialize>(&mut self, item: &T) -> Result<(), Error> {
                    self.add(item)
                }

                fn end(self) -> Result<Value, Error> {
                    Ok(self.finish())
                }
            }
        )*
    };
}

lists! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! objects {
    ($($kind:ident)*) => {
        $(
            impl $kind for Object {
                type Ok = Value;
                type Error = Error;

                fn serialize_field<T: ?Sized + Serialize>(
                    &mut self,
                    key: &'static str,
                    value: &T,
                ) -> Result<(), Error> {
                    self.add(key.to_owned(), value)
                }

                fn end(self) -> Result<Value, Error> {
                    Ok(self.finish())
                }
            }
        )*
    };
}

objects!(SerializeStruct SerializeStructVariant);

impl SerializeMap for Object {
    type Ok = Value;
    type Error = Error;

    /// Numbers and booleans as keys become text.
    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        self.key = match key.serialize(Tree)? {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(bool) => bool.to_string(),
            _ => return Err(Error::custom("key must be a string")),
        };
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        let key = std::mem::take(&mut self.key);
        self.add(key, value)
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.finish())
    }
}
