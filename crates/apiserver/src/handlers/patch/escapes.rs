//! Texts of patches as they were sent: messages show them with the escapes that the client wrote.
//!
//! Go's library for patches keeps the values of a patch as bytes. Only where it looks into one, it writes the value again.

use schema::Node;

/// A character that stands for the backslash of an escape while a text is read; nothing that means something has it.
const MARK: char = '\u{10fffe}';

/// Returns the bytes of a patch in which the backslash of each escape that need not be one is [`MARK`], in values and, if
/// `in_keys`, in keys; `None` if there is none, or the mark stands in it already.
pub(super) fn marked(body: &[u8], in_keys: bool) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(body).ok()?;
    if !text.contains('\\') || text.contains(MARK) {
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

/// Returns a text with backslashes again where [`marked`] put its marks.
pub(super) fn unmarked(text: String) -> String {
    if text.contains(MARK) { text.replace(MARK, "\\") } else { text }
}

/// Returns the operations of a JSON Patch with the values of the marked ones.
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
        let marked = marked(body.as_bytes(), in_keys);
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
        check("[\"\\n\u{10fffe}\"]", false, None);
        assert_eq!(unmarked(format!("a{MARK}n")), "a\\n");
    }
}
