//! The object that Go has when it has set nothing.

use json_tree::{Map, Value};

use crate::types::{Empty, FieldType, TypeId, Types};

/// The zero value of a struct as Go's encoder writes it: the fields that are written even when they are
/// empty. `kind` and `apiVersion` are not part of it.
///
/// A Service has `{"metadata":{},"spec":{},"status":{"loadBalancer":{}}}`. The object of a watch bookmark
/// is one of these, with its metadata; and a struct that a client left out is stored as one.
/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks>.
pub fn zero(types: &Types, id: TypeId) -> Value {
    let mut object = Map::new();
    for field in &types.get(id).fields {
        match field.empty {
            Empty::Omit | Empty::Pointer => {}
            Empty::Null => {
                object.insert(field.name.clone(), Value::Null);
            }
            Empty::Keep => {
                object.insert(field.name.clone(), zero_value(types, &field.ty));
            }
        }
    }
    Value::Object(object)
}

/// Reports whether a value is the zero value of a struct.
pub(crate) fn is_zero(types: &Types, id: TypeId, value: &Value) -> bool {
    // Mostly it has more than that, and nothing has to be made.
    let fits = value.as_object().is_some_and(|map| map.len() == types.get(id).always().count());
    fits && *value == zero(types, id)
}

/// The zero value of a field's type as Go's encoder writes it: `""`, `0`, `false`, `null` for lists, maps,
/// times and free values, `"0"` for a quantity, `"0s"` for a duration, and the zero object of a struct.
pub fn zero_value(types: &Types, ty: &FieldType) -> Value {
    match ty {
        FieldType::Bool => Value::Bool(false),
        FieldType::Int32 | FieldType::Int64 | FieldType::Float64 | FieldType::IntOrString => Value::from(0),
        FieldType::String => Value::from(""),
        FieldType::Duration => Value::from("0s"),
        FieldType::Quantity => Value::from("0"),
        FieldType::Struct(id) => zero(types, *id),
        FieldType::Bytes
        | FieldType::Time
        | FieldType::MicroTime
        | FieldType::Any
        | FieldType::FieldsV1
        | FieldType::Strings
        | FieldType::SchemaOrArray(_)
        | FieldType::SchemaOrBool(_)
        | FieldType::SchemaOrStrings(_)
        | FieldType::List(_)
        | FieldType::Map(_) => Value::Null,
    }
}

/// Returns the value of an item of a list, or of a value in a map, that has nothing.
pub fn empty_element(types: &Types, ty: &FieldType) -> Value {
    match ty {
        // In storage, no bytes are an empty value.
        FieldType::Bytes => Value::from(""),
        ty => zero_value(types, ty),
    }
}
