//! Values to messages.

use base64::Engine as _;
use json_tree::{Map, Value};
use schema::{Empty, Field, FieldType, Part, Type, TypeId, Types};

use super::wire::{FIXED64, put_bytes, put_message, put_number, put_tag};
use super::{Shape, envelope, meta, scalar};

/// Appends an object as a document, which says of itself to be `api_version` and `kind`.
///
/// The value is one that [`schema::decode()`] could have made. What it has that its type has not, or that is of
/// another type, is not written.
pub fn write(types: &Types, shape: Shape, api_version: &str, kind: &str, value: &Value, out: &mut Vec<u8>) {
    envelope::put(api_version, kind, out, |out| write_message(types, shape, value, out));
}

/// Appends a list as a document: its `metadata` and the objects in it, in the order that they come in.
pub fn write_list<'v>(
    types: &Types,
    shape: Shape,
    (api_version, kind): (&str, &str),
    metadata: &Value,
    items: impl IntoIterator<Item = &'v Value>,
    out: &mut Vec<u8>,
) {
    envelope::put(api_version, kind, out, |out| {
        put_message(1, out, |out| part(types, meta(types, "ListMeta"), metadata, out));
        for item in items {
            put_message(2, out, |out| write_message(types, shape, item, out));
        }
    });
}

/// Appends the message of an object, without anything around it.
pub fn write_message(types: &Types, shape: Shape, value: &Value, out: &mut Vec<u8>) {
    match shape {
        Shape::Object(ty) => part(types, Some(ty), value, out),
        Shape::Metadata => {
            put_message(1, out, |out| part(types, meta(types, "ObjectMeta"), &value["metadata"], out));
        }
    }
}

fn part(types: &Types, ty: Option<TypeId>, value: &Value, out: &mut Vec<u8>) {
    if let Some(ty) = ty {
        Writer { types }.object(ty, value.as_object(), out);
    }
}

struct Writer<'t> {
    types: &'t Types,
}

impl Writer<'_> {
    /// The content of a struct's message; without a value that of one in which nothing is set.
    fn object(&self, id: TypeId, value: Option<&Map<String, Value>>, out: &mut Vec<u8>) {
        let ty = self.types.get(id);
        let values = Values::new(ty, value);
        self.level(ty, &values, &[], out);
    }

    /// The fields of a struct that are in the embedded message at `path`.
    fn level(&self, ty: &Type, values: &Values<'_>, path: &[u32], out: &mut Vec<u8>) {
        for &(number, part) in ty.parts(path) {
            match part {
                Part::Field(index) => {
                    let index = usize::from(index);
                    self.field(&ty.fields[index], values.get(index), out);
                }
                Part::Embedded(index) => put_message(number, out, |out| {
                    self.level(ty, values, &ty.embedded[usize::from(index)].path, out);
                }),
            }
        }
    }

    fn field(&self, field: &Field, value: Option<&Value>, out: &mut Vec<u8>) {
        let pointer = matches!(field.empty, Empty::Pointer | Empty::Null);
        let many = matches!(field.ty, FieldType::List(_) | FieldType::Map(_) | FieldType::Bytes);
        match (&field.ty, value) {
            (_, None) if pointer || many => {}
            (FieldType::List(item), Some(Value::Array(items))) => {
                for value in items {
                    self.value(field.number, item, Some(value), out);
                }
            }
            (FieldType::Map(item), Some(Value::Object(entries))) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                if !sorted.is_sorted_by_key(|(key, _)| *key) {
                    sorted.sort_unstable_by_key(|(key, _)| *key);
                }
                for (key, value) in sorted {
                    put_message(field.number, out, |out| {
                        put_bytes(1, key.as_bytes(), out);
                        self.value(2, item, Some(value).filter(|value| !value.is_null()), out);
                    });
                }
            }
            (FieldType::List(_) | FieldType::Map(_), _) => {}
            (ty, value) => self.value(field.number, ty, value, out),
        }
    }

    /// A value as a field, the zero value if there is none.
    fn value(&self, number: u32, ty: &FieldType, value: Option<&Value>, out: &mut Vec<u8>) {
        let text = || value.and_then(Value::as_str).unwrap_or_default();
        match ty {
            FieldType::Bool => {
                put_number(number, u64::from(value.and_then(Value::as_bool).unwrap_or(false)), out);
            }
            FieldType::Int32 | FieldType::Int64 => {
                put_number(number, value.and_then(Value::as_i64).unwrap_or(0) as u64, out);
            }
            FieldType::Float64 => {
                put_tag(number, FIXED64, out);
                let float = value.and_then(Value::as_f64).unwrap_or(0.0);
                out.extend_from_slice(&float.to_le_bytes());
            }
            FieldType::String => put_bytes(number, text().as_bytes(), out),
            FieldType::Bytes => {
                // Text that is no Base64 cannot have come out of it, and is written as it is.
                let bytes = scalar::BASE64.decode(text()).unwrap_or_else(|_| text().as_bytes().to_vec());
                if value.is_some() {
                    put_bytes(number, &bytes, out);
                }
            }
            FieldType::Struct(id) => put_message(number, out, |out| {
                self.object(*id, value.and_then(Value::as_object), out);
            }),
            FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id) | FieldType::SchemaOrStrings(id) => {
                put_message(number, out, |out| self.schema_or(ty, *id, value, out));
            }
            _ => scalar::put(number, ty, value, out),
        }
    }

    /// A schema or something else: whether anything is allowed, or several schemas, or the names of properties.
    fn schema_or(&self, ty: &FieldType, id: TypeId, value: Option<&Value>, out: &mut Vec<u8>) {
        let is_bool = matches!(ty, FieldType::SchemaOrBool(_));
        match value {
            Some(Value::Object(schema)) => {
                let number = if is_bool { 2 } else { 1 };
                if is_bool {
                    put_number(1, 1, out);
                }
                put_message(number, out, |out| self.object(id, Some(schema), out));
            }
            Some(Value::Array(items)) if !is_bool => {
                let item = match ty {
                    FieldType::SchemaOrArray(_) => FieldType::Struct(id),
                    _ => FieldType::String,
                };
                for value in items {
                    self.value(2, &item, Some(value), out);
                }
            }
            Some(Value::Bool(allows)) if is_bool => put_number(1, u64::from(*allows), out),
            _ if is_bool => put_number(1, 0, out),
            _ => {}
        }
    }
}

/// The values of a struct's fields, by the index of the field.
struct Values<'v>(Vec<Option<&'v Value>>);

impl<'v> Values<'v> {
    fn new(ty: &Type, object: Option<&'v Map<String, Value>>) -> Self {
        let mut values = vec![None; ty.fields.len()];
        let mut next = 0;
        for (key, value) in object.into_iter().flatten() {
            // Often it is the one after the last.
            let ahead = ty.fields.get(next).filter(|field| field.name == *key).map(|_| next);
            if let Some(index) = ahead.or_else(|| ty.position(key)) {
                values[index] = Some(value).filter(|value| !value.is_null());
                next = index + 1;
            }
        }
        Self(values)
    }

    fn get(&self, index: usize) -> Option<&'v Value> {
        self.0.get(index).copied().flatten()
    }
}
