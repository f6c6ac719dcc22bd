//! JSON as the audit log has it: objects written member by member, and what others have sent.

use codec::json::{parse, write, write_string};
use json_tree::Value;

/// The members of an object, written one after the other.
#[derive(Default)]
pub(super) struct Members(Vec<u8>);

impl Members {
    fn key(&mut self, key: &str) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        write_string(key, &mut self.0);
        self.0.push(b':');
    }

    /// Adds a text.
    pub(super) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        write_string(text, &mut self.0);
    }

    /// Adds a text, unless it is empty.
    pub(super) fn text_if_any(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.text(key, text);
        }
    }

    /// Adds a value.
    pub(super) fn value(&mut self, key: &str, value: &Value) {
        self.key(key);
        write(value, &mut self.0);
    }

    /// Adds an object.
    pub(super) fn members(&mut self, key: &str, members: Self) {
        self.key(key);
        self.0.extend(members.end());
    }

    /// Adds JSON as its sender wrote it, but for blanks between its values.
    ///
    /// # Errors
    /// It is no JSON.
    pub(super) fn raw(&mut self, key: &str, json: &[u8]) -> Result<(), String> {
        parse(json).map_err(|error| error.to_string())?;
        self.key(key);
        compact(json, &mut self.0);
        Ok(())
    }

    /// Returns the object.
    pub(super) fn end(mut self) -> Vec<u8> {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        self.0
    }
}

/// Returns JSON without blanks between its values.
pub(super) fn compacted(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    compact(&codec::json::plain(json), &mut out);
    out
}

/// Appends JSON without blanks, with `<`, `>`, `&`, U+2028 and U+2029 escaped, as Go's encoder has what comes from elsewhere.
fn compact(json: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let (mut in_text, mut is_escaped) = (false, false);
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' if !in_text => continue,
            b'<' | b'>' | b'&' => {
                out.extend([
                    b'\\',
                    b'u',
                    b'0',
                    b'0',
                    HEX[usize::from(byte >> 4)],
                    HEX[usize::from(byte & 15)],
                ]);
            }
            0xe2 if json.get(at) == Some(&0x80) && matches!(json.get(at + 1), Some(0xa8 | 0xa9)) => {
                out.extend_from_slice(if json[at + 1] == 0xa8 { br"\u2028" } else { br"\u2029" });
                at += 2;
            }
            _ => out.push(byte),
        }
        if byte == b'"' && !is_escaped {
            in_text = !in_text;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
}

/// Returns an object, a list or a table without the entries of field management in it.
pub(super) fn without_managed_fields(json: &[u8]) -> Vec<u8> {
    let Ok(mut tree) = serde_json::from_slice::<Value>(json) else { return json.to_vec() };
    forget(&mut tree);
    for (list, part) in [("items", ""), ("rows", "/object")] {
        if let Some(Value::Array(items)) = tree.get_mut(list) {
            items.iter_mut().filter_map(|item| item.pointer_mut(part)).for_each(forget);
        }
    }
    codec::json::to_vec(&tree)
}

/// Takes the entries of field management out of an object.
fn forget(object: &mut Value) {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.shift_remove("managedFields");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Result<&str, ()>) {
        let mut members = Members::default();
        let written = members.raw("a", json.as_bytes()).map_err(drop).map(|()| members.end());
        let expected = expected.map(|text| format!("{{\"a\":{text}}}"));
        assert_eq!(written.map(|bytes| String::from_utf8(bytes).unwrap()), expected, "{json}");
    }

    #[test]
    fn json_of_others_is_compact_and_safe_in_html() {
        check("{ \"a b\" : [ 1.50, \"\\u0041\" ] }\n", Ok(r#"{"a b":[1.50,"\u0041"]}"#));
        check(r#"{"a":1,"a":2}"#, Ok(r#"{"a":1,"a":2}"#));
        check("\"<a \\\" >&\u{2028}\"", Ok("\"\\u003ca \\\" \\u003e\\u0026\\u2028\""));
        check(r#""\\ ""#, Ok(r#""\\ ""#));
        check("spec: {}", Err(()));
        check("", Err(()));
    }

    #[test]
    fn managed_fields_are_left_out() {
        let check = |json: &str, expected: &str| {
            assert_eq!(String::from_utf8(without_managed_fields(json.as_bytes())).unwrap(), expected);
        };
        let with = r#"{"metadata":{"name":"a","managedFields":[{}]}}"#;
        let without = r#"{"metadata":{"name":"a"}}"#;
        check(with, without);
        check(&format!(r#"{{"items":[{with}]}}"#), &format!(r#"{{"items":[{without}]}}"#));
        check(
            &format!(r#"{{"rows":[{{"object":{with}}}]}}"#),
            &format!(r#"{{"rows":[{{"object":{without}}}]}}"#),
        );
        check(r#"{"kind":"Status"}"#, r#"{"kind":"Status"}"#);
    }
}
