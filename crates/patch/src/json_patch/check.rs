//! The errors and warnings of a strict decoder about a JSON Patch.

use std::collections::HashSet;

use schema::Node;
use schema::decode::kind;

use crate::Error;

/// Go's name for the type of an operation.
const OPERATION: &str = "jsonPatchOp";

/// The fields of an operation. All but the value are text.
const FIELDS: [&str; 4] = ["op", "path", "from", "value"];

/// Looks for fields that are unknown or stand twice, and gives them in the words of a warning.
///
/// # Errors
/// The first value of a wrong type, in the words of Go's decoder.
pub fn check(document: &Node<'_>) -> Result<Vec<String>, Error> {
    let items = match document {
        Node::List(items) => items.as_slice(),
        Node::Null => &[],
        other => return Err(wrong(kind(other), &format!("value of type []handlers.{OPERATION}"))),
    };
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let entries = match item {
            Node::Map(entries) => entries.as_slice(),
            Node::Null => &[],
            other => return Err(wrong(kind(other), &format!("value of type handlers.{OPERATION}"))),
        };
        let mut seen = HashSet::with_capacity(entries.len());
        for (key, value) in entries {
            let path = format!("[{index}].{key}");
            if !FIELDS.contains(&key.as_ref()) {
                found.push(format!("json patch unknown field \"{path}\""));
                continue;
            }
            if !seen.insert(key.as_ref()) {
                found.push(format!("json patch duplicate field \"{path}\""));
            }
            match value {
                _ if key == "value" => check_value(value, &path, &mut found)?,
                Node::String(_) | Node::Null => {}
                other => {
                    return Err(wrong(
                        kind(other),
                        &format!("struct field {OPERATION}.{key} of type string"),
                    ));
                }
            }
        }
    }
    let mut seen = HashSet::new();
    found.retain(|text| seen.insert(text.clone()));
    Ok(found)
}

fn check_value(value: &Node<'_>, path: &str, found: &mut Vec<String>) -> Result<(), Error> {
    match value {
        Node::Number(literal) if !golang::strconv::parse_float(literal).is_some_and(f64::is_finite) => {
            let number = format!("number {literal}");
            Err(wrong(&number, &format!("struct field {OPERATION}.value of type float64")))
        }
        Node::List(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| check_value(item, &format!("{path}[{index}]"), found)),
        Node::Map(entries) => {
            let mut seen = HashSet::with_capacity(entries.len());
            for (key, value) in entries {
                let path = format!("{path}.{key}");
                if !seen.insert(key.as_ref()) {
                    found.push(format!("json patch duplicate field \"{path}\""));
                }
                check_value(value, &path, found)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn wrong(value: &str, place: &str) -> Error {
    Error::bad_request(format!("json: cannot unmarshal {value} into Go {place}"))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[track_caller]
    fn check_text(document: &str, expected: &[&str]) {
        let node = codec::json::parse(document.as_bytes()).expect("JSON");
        let said = check(&node).unwrap_or_else(|error| vec![error.to_string()]);
        assert_eq!(said, expected, "{document}");
    }

    #[test]
    fn what_passes() {
        check_text("null", &[]);
        check_text("[]", &[]);
        check_text("[null]", &[]);
        check_text(r#"[{"op":"add","path":"/a","value":{"b":[1,null]}}]"#, &[]);
        check_text(r#"[{"op":null}]"#, &[]);
    }

    #[test]
    fn strict_errors() {
        check_text(r#"[{},{"foo":1}]"#, &[r#"json patch unknown field "[1].foo""#]);
        check_text(r#"[{"Op":"add"}]"#, &[r#"json patch unknown field "[0].Op""#]);
        check_text(r#"[{"op":"add","op":"add"}]"#, &[r#"json patch duplicate field "[0].op""#]);
        check_text(
            r#"[{"value":{"a":[{"b":1,"b":2}]}}]"#,
            &[r#"json patch duplicate field "[0].value.a[0].b""#],
        );
    }

    #[test]
    fn wrong_types() {
        let array = "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp";
        check_text(r#"{"a":1}"#, &[array]);
        check_text("[1]", &["json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"]);
        let field = "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string";
        check_text(r#"[{"op":1}]"#, &[field]);
    }
}
