//! Values as Go prints them.

use serde_json::{Map, Value};

/// The value as Go's `%v` prints it: `map[a:1 b:[x y]]`.
pub fn show(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => show_float(float),
            _ => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Array(items) => show_list(items),
        Value::Object(map) => show_map(map),
    }
}

/// A map as Go prints it: in the order of its keys.
pub(super) fn show_map(map: &Map<String, Value>) -> String {
    let mut sorted: Vec<(&String, &Value)> = map.iter().collect();
    schema::sort_by(&mut sorted, |a, b| a.0.cmp(b.0));
    let entries: Vec<String> =
        sorted.into_iter().map(|(key, value)| format!("{key}:{}", show(value))).collect();
    format!("map[{}]", entries.join(" "))
}

/// A list as Go prints it.
pub(super) fn show_list(items: &[Value]) -> String {
    let items: Vec<String> = items.iter().map(show).collect();
    format!("[{}]", items.join(" "))
}

/// The value as Go's `%s` prints it, which expects text.
pub(super) fn show_as_text(value: &Value) -> String {
    match value {
        Value::Null => "%!s(<nil>)".to_owned(),
        Value::Bool(_) | Value::Number(_) => format!("%!s({}={})", type_name(value), show(value)),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(show_as_text).collect();
            format!("[{}]", items.join(" "))
        }
        Value::String(_) | Value::Object(_) => show(value),
    }
}

/// The shortest digits; with an exponent if it is below -4 or above 20.
fn show_float(float: f64) -> String {
    let scientific = format!("{float:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..21).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => format!("{float}"),
    }
}

/// The Go type of a value that was decoded without a schema.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
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
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: &Value, expected: &str) {
        assert_eq!(show(value), expected);
    }

    #[test]
    fn values() {
        check(&json!(null), "<nil>");
        check(&json!({"b": "x y", "a": [1, true, null]}), "map[a:[1 true <nil>] b:x y]");
        check(&json!({}), "map[]");
        check(&json!(1.5), "1.5");
        check(&json!(1.0), "1");
        check(&json!(1e20), "100000000000000000000");
        check(&json!(1e21), "1e+21");
        check(&json!(0.0001), "0.0001");
        check(&json!(0.000_012_5), "1.25e-05");
    }

    #[test]
    fn as_text() {
        assert_eq!(show_as_text(&json!("x")), "x");
        assert_eq!(show_as_text(&json!(1)), "%!s(int64=1)");
        assert_eq!(show_as_text(&json!(null)), "%!s(<nil>)");
    }
}
