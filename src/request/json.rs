//! Looking at the body while it is being written: where it breaks, and what its pieces are.

use serde::de::IgnoredAny;

/// The place where a text stops being JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Break {
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// In bytes from the start of the text; a character begins there, or the text ends.
    pub(crate) offset: usize,
    /// The description of what was expected.
    pub(crate) why: String,
}

/// Finds where `text` breaks. An empty text is no broken one.
pub(crate) fn check(text: &str) -> Option<Break> {
    if text.trim().is_empty() {
        return None;
    }
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default().to_owned();
    // The error names the last byte that was read; at the end of the text that is one too early.
    let start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut offset = if error.is_eof() { text.len() } else { start + error.column().saturating_sub(1) };
    // For a control character it names the byte before.
    offset += usize::from(why.starts_with("control character"));
    offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Some(Break {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        offset,
        why,
    })
}

/// The kind of a piece of a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The name of a field.
    Key,
    /// A string value.
    Text,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
    /// Everything else.
    Plain,
}

/// Cuts `text` into pieces that, put together, are the text again; it need not be valid.
pub(crate) fn pieces(text: &str) -> Vec<(Piece, &str)> {
    let bytes = text.as_bytes();
    let mut pieces: Vec<(Piece, &str)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let piece = match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
                if next == Some(&b':') { Piece::Key } else { Piece::Text }
            }
            b'-' | b'0'..=b'9' => {
                at = run(bytes, at, |b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
                Piece::Number
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                at = run(bytes, at, |b| b.is_ascii_alphanumeric());
                if matches!(&text[start..at], "true" | "false" | "null") { Piece::Word } else { Piece::Plain }
            }
            _ => {
                at = run(bytes, at + 1, |b| b != b'"' && b != b'-' && !b.is_ascii_alphanumeric());
                Piece::Plain
            }
        };
        pieces.push((piece, &text[start..at]));
    }
    pieces
}

/// A piece of a text as it is shown: what it is, whether the text breaks at it, and its characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) piece: Piece,
    pub(crate) broken: bool,
    pub(crate) text: String,
}

/// The pieces of `text`, with the character at `broken` on its own. Where there is none to show, a space stands
/// for it, which is not in the text.
pub(crate) fn shown(text: &str, broken: Option<usize>) -> Vec<Shown> {
    let pieces = if text.len() > COLOURED { vec![(Piece::Plain, text)] } else { pieces(text) };
    let mut shown = Vec::new();
    let mut push = |piece, broken, text: &str| {
        if !text.is_empty() {
            shown.push(Shown { piece, broken, text: text.to_owned() });
        }
    };
    let mut start = 0;
    for (piece, text) in pieces {
        let within = broken.and_then(|at| at.checked_sub(start)).filter(|at| *at < text.len());
        start += text.len();
        let Some(at) = within else {
            push(piece, false, text);
            continue;
        };
        push(piece, false, &text[..at]);
        let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        if &text[at..end] == "\n" {
            push(Piece::Plain, true, " ");
            push(piece, false, &text[at..]);
        } else {
            push(piece, true, &text[at..end]);
            push(piece, false, &text[end..]);
        }
    }
    if broken.is_some_and(|at| at >= text.len()) {
        push(Piece::Plain, true, " ");
    }
    shown
}

/// A text of more bytes than this is shown in one colour.
const COLOURED: usize = 40_000;

/// Returns where the string that begins at `at` ends: after its quote, or at the end of its line.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii) => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn run(bytes: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|byte| !belongs(*byte)).map_or(bytes.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn breaks(text: &str, line: usize, column: usize, at: &str) {
        let found = check(text).expect("it breaks");
        assert_eq!((found.line, found.column), (line, column), "{found:?}");
        assert!(text[found.offset..].starts_with(at), "{found:?}");
        assert!(!found.why.is_empty() && !found.why.contains("line"), "{found:?}");
    }

    #[test]
    fn finds_where_it_breaks() {
        breaks("{\"a\": 1,}", 1, 9, "}");
        breaks("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "\"b\"");
        breaks("{\n  \"ä→\": x\n}", 2, 9, "x");
        breaks("{\"a\": [1, 2", 1, 12, "");
        breaks("{}\n{}", 2, 1, "{");
        breaks("nul", 1, 4, "");
        breaks("{\"a\": \"b\nc\"}", 1, 9, "\n");
    }

    #[test]
    fn leaves_what_is_whole_or_empty_alone() {
        for text in ["", "  \n", "{}", "[1, \"ä\"]", "null"] {
            assert_eq!(check(text), None, "{text}");
        }
    }

    #[track_caller]
    fn cuts(text: &str, expected: &[(Piece, &str)]) {
        assert_eq!(pieces(text), expected);
    }

    #[test]
    fn cuts_into_pieces() {
        use Piece::{Key, Number, Plain, Text, Word};
        cuts(
            r#"{"a" : [-1.5e3, "b\"c", null]}"#,
            &[
                (Plain, "{"),
                (Key, r#""a""#),
                (Plain, " : ["),
                (Number, "-1.5e3"),
                (Plain, ", "),
                (Text, r#""b\"c""#),
                (Plain, ", "),
                (Word, "null"),
                (Plain, "]}"),
            ],
        );
    }

    #[track_caller]
    fn marks(text: &str, broken: Option<usize>, expected: &str) {
        let marked: String = shown(text, broken)
            .iter()
            .map(|shown| if shown.broken { format!("<{}>", shown.text) } else { shown.text.clone() })
            .collect();
        assert_eq!(marked, expected);
    }

    #[test]
    fn marks_where_it_breaks() {
        marks("{\"a\": 1,}", Some(8), "{\"a\": 1,<}>");
        marks("{\"ä\"}", Some(2), "{\"<ä>\"}");
        marks("{", Some(1), "{< >");
        marks("[\n1", Some(1), "[< >\n1");
        marks("{}", None, "{}");
        marks(&"x".repeat(COLOURED + 1), None, &"x".repeat(COLOURED + 1));
    }

    #[test]
    fn broken_text_keeps_every_character() {
        for text in ["{\"a", "\"ä\\", "{\"a\nb\": →}", "yes -", "\\\"", "\"\\ä\""] {
            assert_eq!(pieces(text).iter().map(|(_, piece)| *piece).collect::<String>(), text);
        }
    }
}
