//! Warnings to the client that writes an object: the object is accepted, but it may not mean what the client expects.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>,
//! <https://kubernetes.io/blog/2020/09/03/warnings/>

pub(crate) mod address;
pub(crate) mod addresses;
pub(crate) mod labels;

use json_tree::Value;
use schema::quantity::Quantity;

use field::{Path, quote};

/// The warning of an amount of bytes that is not whole.
pub(crate) fn fractional(amounts: &Value, name: &str, path: &Path) -> Option<String> {
    let text = amounts.get(name)?.as_str()?;
    if Quantity::parse(text).ok()?.is_whole() {
        return None;
    }
    Some(format!("{}: fractional byte value {} is invalid, must be an integer", path.key(name), quote(text)))
}

pub(crate) fn annotations(path: &Path) -> Path {
    path.child("metadata").child("annotations")
}

pub(crate) fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}

pub(crate) fn integer(value: &Value, field: &str) -> i64 {
    value.get(field).and_then(Value::as_i64).unwrap_or_default()
}

pub(crate) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
