//! JSON values as Go prints them.

use golang::strconv::format_float;
use json_tree::{Map, Value};

use crate::sort_by;

/// The value as Go's `%v` prints it: `map[a:1 b:[x y]]`.
pub fn show(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => format_float(float),
            _ => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Array(items) => show_list(items),
        Value::Object(map) => show_map(map),
    }
}

/// A map as Go prints it: in the order of its keys.
pub fn show_map(map: &Map<String, Value>) -> String {
    let mut sorted: Vec<(&String, &Value)> = map.iter().collect();
    sort_by(&mut sorted, |a, b| a.0.cmp(b.0));
    let entries: Vec<String> =
        sorted.into_iter().map(|(key, value)| format!("{key}:{}", show(value))).collect();
    format!("map[{}]", entries.join(" "))
}

/// A list as Go prints it.
pub fn show_list(items: &[Value]) -> String {
    let items: Vec<String> = items.iter().map(show).collect();
    format!("[{}]", items.join(" "))
}

/// The Go type of a value that was decoded without a schema.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check_shown(value: &Value, expected: &str) {
        assert_eq!(show(value), expected);
    }

    #[test]
    fn values() {
        check_shown(&json!(null), "<nil>");
        check_shown(&json!({"b": "x y", "a": [1, true, null]}), "map[a:[1 true <nil>] b:x y]");
        check_shown(&json!({}), "map[]");
        check_shown(&json!(1.5), "1.5");
        check_shown(&json!(1.0), "1");
        check_shown(&json!(100_000.0), "100000");
        check_shown(&json!(1_000_000.0), "1e+06");
        check_shown(&json!(1_234_567.5), "1.2345675e+06");
        check_shown(&json!(0.0001), "0.0001");
        check_shown(&json!(0.000_012_5), "1.25e-05");
    }
}
