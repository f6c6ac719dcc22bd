//! Values as Go compares and prints them.

use std::cmp::Ordering;

use golang::strconv::quote;
use json_tree::{Number, Value};

/// Returns whether two values are equal: numbers by their numeric value, maps in any order.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b) == Ordering::Equal,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            // Mostly the order is the same.
            a.len() == b.len()
                && a.iter().zip(b).all(|((key, value), (theirs, beside))| {
                    let other = if json_tree::map::same(key, theirs) { Some(beside) } else { b.get(key) };
                    other.is_some_and(|other| same(value, other))
                })
        }
        (a, b) => a == b,
    }
}

/// The order of values: numbers, strings, booleans, lists, maps, null.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            let first = a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        // Nothing is keyed by a map; its text is an order as good as any.
        (Value::Object(_), Value::Object(_)) => a.to_string().cmp(&b.to_string()),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
        return a.cmp(&b);
    }
    let float = |number: &Number| number.as_f64().unwrap_or_default();
    float(a).total_cmp(&float(b))
}

/// The value as it stands in the paths of errors: `name="x"`, `port=80`.
pub fn write_text(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(&quote(text)),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_text(item, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ";" });
                out.push_str(key);
                out.push('=');
                write_text(value, out);
            }
            out.push('}');
        }
        other => write_json(other, out),
    }
}

/// Go's `%#v` of a value: its source text.
pub fn write_source(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("interface {}(nil)"),
        Value::String(text) => out.push_str(&quote(text)),
        Value::Array(items) => {
            out.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_source(item, out);
            }
            out.push('}');
        }
        Value::Object(entries) => {
            out.push_str("map[string]interface {}{");
            for (index, key) in sorted(entries.keys()).into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                out.push_str(&quote(key));
                out.push(':');
                write_source(&entries[key], out);
            }
            out.push('}');
        }
        other => write_json(other, out),
    }
}

/// The value as JSON, as Go writes it.
pub fn write_json(value: &Value, out: &mut String) {
    let mut bytes = Vec::new();
    codec::json::write(value, &mut bytes);
    out.push_str(&String::from_utf8_lossy(&bytes));
}

fn sorted<'a>(keys: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut keys: Vec<&String> = keys.collect();
    schema::sort_by(&mut keys, |a, b| a.cmp(b));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use json_tree::json;

    #[track_caller]
    fn check(value: &Value, text: &str, source: &str) {
        for (write, expected) in [(write_text as fn(&Value, &mut String), text), (write_source, source)] {
            let mut out = String::new();
            write(value, &mut out);
            assert_eq!(out, expected, "{value}");
        }
    }

    #[test]
    fn go_prints_values() {
        check(&json!("a\"\n"), r#""a\"\n""#, r#""a\"\n""#);
        check(&json!(1), "1", "1");
        check(&json!(true), "true", "true");
        check(&json!(null), "null", "interface {}(nil)");
        check(&json!([1, "b"]), r#"[1,"b"]"#, r#"[]interface {}{1, "b"}"#);
        check(&json!({"b": 1, "a": "x"}), r#"{b=1;a="x"}"#, r#"map[string]interface {}{"a":"x", "b":1}"#);
    }

    #[test]
    fn values_have_an_order() {
        let values = [json!(-1), json!(1.5), json!(2), json!("a"), json!("b"), json!(false), json!(true)];
        for pair in values.windows(2) {
            assert_eq!(compare(&pair[0], &pair[1]), Ordering::Less, "{pair:?}");
        }
        assert!(same(&json!({"a": 1, "b": [2.0]}), &json!({"b": [2], "a": 1.0})));
    }
}
