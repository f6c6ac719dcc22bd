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
    let is_empty = |value: Option<&Value>| match value {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(map)) => map.is_empty(),
        Some(_) => false,
    };
    a == b || (is_empty(a) && is_empty(b))
}
