//! `enum`: the values that are allowed.

use field::Error;
use json_tree::Value;

use super::place::At;
use crate::Structural;

/// The error of a value that is none of those that the schema lists.
pub(super) fn check(value: &Value, schema: &Structural, at: &At<'_>) -> Option<Error> {
    let allowed = &schema.enumeration;
    if allowed.is_empty() || allowed.iter().any(|allowed| is_same(value, allowed)) {
        return None;
    }
    let texts: Vec<String> = allowed
        .iter()
        .map(|allowed| match allowed {
            Value::String(text) => text.clone(),
            _ => String::from_utf8_lossy(&codec::json::to_vec(allowed)).into_owned(),
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Some(Error::not_supported(at.path(), value.clone(), &texts))
}

/// Reports whether a value, converted to the type of the other as Go converts it, equals the other. So an integer is
/// a character, a float loses its fraction, and `null` equals nothing.
fn is_same(value: &Value, allowed: &Value) -> bool {
    match (value, allowed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(number), Value::Number(other)) => match (number.as_i64(), other.as_i64()) {
            (Some(number), Some(other)) => number == other,
            (Some(number), None) => other.as_f64() == Some(number as f64),
            (None, Some(other)) => number.as_f64().is_some_and(|float| float as i64 == other),
            (None, None) => number.as_f64() == other.as_f64(),
        },
        (Value::Number(number), Value::String(text)) => number.as_i64().is_some_and(|code| {
            let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            text.strip_prefix(c) == Some("")
        }),
        _ => value == allowed,
    }
}
