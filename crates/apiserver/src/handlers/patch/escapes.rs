//! Texts of patches as they were sent: messages show them with the escapes that the client wrote.
//!
//! Go's library for patches keeps the values of a patch as bytes. Only where it looks into one, it writes the value again.

use schema::Node;

/// A character that stands for the backslash of an escape while a text is read; nothing that means something has it.
pub(super) const MARK: char = '\u{10fffe}';

/// Returns the bytes of a patch in which the backslash of each escape that need not be one is [`MARK`], in values and, if
/// `in_keys`, in keys; `None` if there is none, or the mark stands in the patch or in the patched document already.
pub(super) fn marked(body: &[u8], in_keys: bool, patched: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(body).ok()?;
    if !text.contains('\\') || [text, patched].iter().any(|text| text.contains(MARK)) {
        return None;
    }
    let mut marked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find('"') {
        let (before, text) = rest.split_at(begin + 1);
        marked.push_str(before);
        let end = end_of(text)?;
        let (text, after) = text.split_at(end);
        let is_key = after[1..].trim_start().starts_with(':');
        if is_key && !in_keys {
            marked.push_str(text)
        } else {
            mark(text, &mut marked)
        }
        rest = after;
        // The quotation mark at the end.
        marked.push('"');
        rest = &rest[1..];
    }
    marked.push_str(rest);
    Some(marked.into_bytes())
}

/// Returns where a text ends whose first quotation mark has been passed.
fn end_of(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at),
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
    None
}

fn mark(text: &str, marked: &mut String) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('"' | '\\')) => marked.extend(['\\', escaped]),
                escaped => marked.extend([Some(MARK), escaped].into_iter().flatten()),
            },
            c => marked.push(c),
        }
    }
}

/// Returns the operations of a JSON Patch with the values of the marked ones. Each entry has its place in both: a document is
/// read with all entries of the same key.
pub(super) fn with_values_of<'a>(patch: Node<'a>, marked: Node<'a>) -> Node<'a> {
    let (Node::List(mut operations), Node::List(others)) = (patch, marked) else { return Node::Null };
    for (operation, other) in operations.iter_mut().zip(others) {
        let (Node::Map(entries), Node::Map(others)) = (operation, other) else { continue };
        for ((key, value), (_, other)) in entries.iter_mut().zip(others) {
            if key.as_ref() == "value" {
                *value = other;
            }
        }
    }
    Node::List(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, in_keys: bool, expected: Option<&str>) {
        check_beside("", body, in_keys, expected);
    }

    #[track_caller]
    fn check_beside(patched: &str, body: &str, in_keys: bool, expected: Option<&str>) {
        let marked = marked(body.as_bytes(), in_keys, patched);
        let shown = marked.map(|bytes| String::from_utf8_lossy(&bytes).replace(MARK, "~"));
        assert_eq!(shown.as_deref(), expected);
    }

    #[test]
    fn escapes_are_marked() {
        check("{}", false, None);
        check(r#"{"a":"b"}"#, false, None);
        check(r#"{"a":"\u00e9\n\/"}"#, false, Some(r#"{"a":"~u00e9~n~/"}"#));
        check(r#"{"\u00e9" : "\u00e9"}"#, false, Some(r#"{"\u00e9" : "~u00e9"}"#));
        check(r#"{"\u00e9":["\t"]}"#, true, Some(r#"{"~u00e9":["~t"]}"#));
        check(r#"["a\"\\\u0041","\\"]"#, false, Some(r#"["a\"\\~u0041","\\"]"#));
        check(r#"["a\"#, false, None);
    }

    #[test]
    fn marks_stand_nowhere_else() {
        check("[\"\\n\u{10fffe}\"]", false, None);
        check_beside("{\"a\":\"\u{10fffe}\"}", r#"["\n"]"#, false, None);
        check_beside("{\"a\":\"b\"}", r#"["\n"]"#, false, Some(r#"["~n"]"#));
    }

    #[test]
    fn values_are_the_marked_ones() {
        let read = |text: &'static str| codec::json::parse(text.as_bytes()).expect("JSON");
        let plain = read(r#"[{"op":"add","v\u0061lue":1,"value":{"a":2,"\u0061":3}}]"#);
        let marked = read(r#"[{"op":"add","v~u0061lue":4,"value":{"a":5,"~u0061":6}}]"#);
        let mut text = Vec::new();
        codec::json::write_node(&with_values_of(plain, marked), &mut text);
        let expected = r#"[{"op":"add","value":4,"value":{"a":5,"~u0061":6}}]"#;
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }
}
