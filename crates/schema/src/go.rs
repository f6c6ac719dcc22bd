//! Texts as Go prints them.

use std::fmt::Write;

use json_tree::{Map, Value};

use crate::{show_float, sort_by};

/// `text` as Go's `%q` prints it: in double quotes, with what is not printable escaped.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            _ if is_print(c) => quoted.push(c),
            _ => escape(&mut quoted, u32::from(c)),
        }
    }
    quoted.push('"');
    quoted
}

fn escape(to: &mut String, code: u32) {
    // Writing to a string does not fail.
    let _ = match code {
        0..0x20 | 0x7f => write!(to, "\\x{code:02x}"),
        0..0x1_0000 => write!(to, "\\u{code:04x}"),
        _ => write!(to, "\\U{code:08x}"),
    };
}

/// Whether Go counts `c` as printable: neither control, format, separator (but the space) nor private.
pub fn is_print(c: char) -> bool {
    c == ' '
        || !(c.is_control()
            || c.is_whitespace()
            || matches!(c,
                '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
                | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}'
                | '\u{e0000}'..='\u{e007f}' | '\u{f0000}'..='\u{10ffff}'))
}

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
    fn check(text: &str, expected: &str) {
        assert_eq!(quote(text), expected);
    }

    #[test]
    fn quotes_as_go_does() {
        check("", r#""""#);
        check("a\"b\\c", r#""a\"b\\c""#);
        check("\u{7}\u{8}\u{c}\n\r\t\u{b}", r#""\a\b\f\n\r\t\v""#);
        check("\0\u{1f}\u{7f}", r#""\x00\x1f\x7f""#);
        check("ä€🙂 ", r#""ä€🙂 ""#);
        check("\u{80}\u{a0}\u{200b}\u{feff}", r#""\u0080\u00a0\u200b\ufeff""#);
        check("\u{f0000}", r#""\U000f0000""#);
    }

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
