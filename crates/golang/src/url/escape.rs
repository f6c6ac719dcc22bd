//! Percent escapes.

use crate::strconv::quote_bytes;

/// A part of a URL, by what stands for itself in it: Go's `encoding`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    PathSegment,
    User,
    Host,
    Zone,
    Query,
    Fragment,
}

/// Writes a segment of a path, as Go's `url.PathEscape` does.
pub fn path_escape(text: &str) -> String {
    escape(text.as_bytes(), Part::PathSegment)
}

/// Writes a path, whose slashes stay, as Go's `URL.EscapedPath` does if nothing was escaped before.
pub fn escape_path(path: &str) -> String {
    escape(path.as_bytes(), Part::Path)
}

/// Writes a key or a value of a query, as Go's `url.QueryEscape` does.
pub fn query_escape(text: &str) -> String {
    escape(text.as_bytes(), Part::Query).replace("%20", "+")
}

/// Reads a segment of a path, as Go's `url.PathUnescape` does. Bytes that are no UTF-8 become U+FFFD.
///
/// # Errors
/// Go's text.
pub fn path_unescape(text: &str) -> Result<String, String> {
    unescape(text, Part::PathSegment).map(to_text)
}

/// Reads a key or a value of a query, as Go's `url.QueryUnescape` does. Bytes that are no UTF-8 become U+FFFD.
///
/// # Errors
/// Go's text.
pub fn query_unescape(text: &str) -> Result<String, String> {
    unescape(text, Part::Query).map(to_text)
}

pub(super) fn to_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Reports whether a byte cannot stand for itself, as Go's `shouldEscape` does.
fn must_escape(byte: u8, part: Part) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => false,
        _ if matches!(part, Part::Host | Part::Zone) => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
        b'$' | b'&' | b'+' | b'=' => {
            !matches!(part, Part::Path | Part::PathSegment | Part::User | Part::Fragment)
        }
        b':' => !matches!(part, Part::Path | Part::PathSegment | Part::Fragment),
        b',' | b';' => !matches!(part, Part::Path | Part::User | Part::Fragment),
        b'@' => !matches!(part, Part::Path | Part::PathSegment | Part::Fragment),
        b'/' => !matches!(part, Part::Path | Part::Fragment),
        b'?' | b'!' | b'(' | b')' | b'*' => part != Part::Fragment,
        _ => true,
    }
}

fn hex(digit: Option<&u8>) -> Option<u8> {
    char::from(*digit?).to_digit(16).map(|digit| digit as u8)
}

pub(super) fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let host = matches!(part, Part::Host | Part::Zone);
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let piece = &bytes[at..bytes.len().min(at + 3)];
        match byte {
            b'%' => {
                let invalid = || format!("invalid URL escape {}", quote_bytes(piece));
                let (Some(high), Some(low)) = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) else {
                    return Err(invalid());
                };
                let value = high << 4 | low;
                let allowed = match part {
                    _ if piece == b"%25" => true,
                    Part::Host => high >= 8,
                    Part::Zone => value == b' ' || !must_escape(value, Part::Host),
                    _ => true,
                };
                if !allowed {
                    return Err(invalid());
                }
                plain.push(value);
                at += 3;
                continue;
            }
            b'+' if part == Part::Query => plain.push(b' '),
            _ if host && byte < 0x80 && must_escape(byte, part) => {
                return Err(format!("invalid character {} in host name", quote_bytes(&[byte])));
            }
            _ => plain.push(byte),
        }
        at += 1;
    }
    Ok(plain)
}

/// Returns the escaped path, as Go's `URL.EscapedPath` does: what was escaped without need stays so, if all that need be
/// is.
pub(super) fn escaped_path(sent: &str, path: &[u8]) -> String {
    let is_escaped = sent.bytes().all(|b| b"!$&'()*+,;=:@[]%".contains(&b) || !must_escape(b, Part::Path));
    match path {
        _ if is_escaped => sent.to_owned(),
        b"*" => "*".to_owned(),
        _ => escape(path, Part::Path),
    }
}

/// Writes bytes as they stand in a part of a URL.
pub(super) fn escape(bytes: &[u8], part: Part) -> String {
    let mut escaped = String::with_capacity(bytes.len());
    for byte in bytes {
        if must_escape(*byte, part) {
            escaped.push('%');
            for digit in [byte >> 4, byte & 15] {
                escaped.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
        } else {
            escaped.push(char::from(*byte));
        }
    }
    escaped
}
