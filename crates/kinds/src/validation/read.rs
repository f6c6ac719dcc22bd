//! Reading objects whose types have been checked: what is missing reads as Go's zero value.

use json_tree::{Map, Value};

/// The value under `field`, unless it is null.
pub(crate) fn get<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.get(field).filter(|value| !value.is_null())
}

/// The value at a JSON pointer, or null.
pub(crate) fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// The text under `field`.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.text(field)
}

/// The integer under `field`, if it is there.
pub(crate) fn integer(value: &Value, field: &str) -> Option<i64> {
    get(value, field).and_then(Value::as_i64)
}

/// Returns whether `field` is present and true.
pub(crate) fn is_true(value: &Value, field: &str) -> bool {
    get(value, field).and_then(Value::as_bool).unwrap_or_default()
}

/// The items of the list under `field`.
pub(crate) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    get(value, field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The map under `field`, if it is there.
pub(crate) fn map<'a>(value: &'a Value, field: &str) -> Option<&'a Map<String, Value>> {
    get(value, field).and_then(Value::as_object)
}

/// Returns whether two values mean the same. A missing value, null, an empty list and an empty map are equal.
pub(crate) fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    a == b || (a.is_none_or(is_empty) && b.is_none_or(is_empty))
}

/// Returns whether a value is null, an empty list or an empty object.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        other => is_nil(other),
    }
}

/// Returns whether a value is null or an empty list, which in Go are the same.
pub(crate) fn is_nil(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Returns whether two trees are the same but for values for which `is_nothing` holds: those are the same as missing ones, at any depth.
pub(crate) fn same_but(a: Option<&Value>, b: Option<&Value>, is_nothing: fn(&Value) -> bool) -> bool {
    match (a, b) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            a.iter().all(|(key, value)| same_but(Some(value), b.get(key), is_nothing))
                && b.iter().all(|(key, value)| a.contains_key(key) || is_nothing(value))
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_but(Some(a), Some(b), is_nothing))
        }
        _ => a == b || (a.is_none_or(is_nothing) && b.is_none_or(is_nothing)),
    }
}
