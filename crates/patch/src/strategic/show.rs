//! Values in error texts, as Go's `%s` prints them, which expects text.

use json_tree::Value;
use schema::go::{show, type_name};

/// The value as Go's `%s` prints it.
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

/// The type of a value, as Go's `%s` prints it: that of nothing is no text.
pub(super) fn show_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
        value => type_name(value),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn as_text() {
        assert_eq!(show_as_text(&json!("x")), "x");
        assert_eq!(show_as_text(&json!(1)), "%!s(int64=1)");
        assert_eq!(show_as_text(&json!(null)), "%!s(<nil>)");
    }
}
