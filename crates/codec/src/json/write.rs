//! A value to compact JSON, byte for byte as Go's `json.Marshal` does it.

use golang::strconv::Digits;
use json_tree::{Number, Value};
use schema::Node;

/// The value as compact JSON.
pub fn to_vec(value: &Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    write(value, &mut out);
    out
}

/// The value as compact JSON, as Go's `encoding/json/v2` writes it: `<`, `>`, `&`, U+2028 and U+2029 stand as they are.
pub fn to_vec_unescaped(value: &Value) -> Vec<u8> {
    const ESCAPES: [(&[u8], &str); 5] =
        [(b"u003c", "<"), (b"u003e", ">"), (b"u0026", "&"), (b"u2028", "\u{2028}"), (b"u2029", "\u{2029}")];
    let escaped = to_vec(value);
    let mut out = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_slice();
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let known = ESCAPES.iter().find(|(code, _)| escape[1..].starts_with(code));
        let length = known.map_or(2, |(code, _)| code.len() + 1);
        out.extend_from_slice(known.map_or(&escape[..2], |(_, text)| text.as_bytes()));
        rest = &escape[length..];
    }
    out.extend_from_slice(rest);
    out
}

/// Appends the value as compact JSON, maps in their own order. No newline follows; kube-apiserver ends a
/// compact response with one, as `json.Encoder` does, and a [`pretty`](super::pretty) one with none.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => write_list(items, out, write),
        Value::Object(entries) => {
            write_map(entries.iter().map(|(key, value)| (key.as_str(), value)), out, |_, value, out| {
                write(value, out);
            });
        }
    }
}

/// Appends a document as compact JSON as its sender wrote it: keys in their order, duplicates still there, numbers
/// as they were.
pub fn write_node(node: &Node<'_>, out: &mut Vec<u8>) {
    write_node_by(node, out, write_string, |literal, out| out.extend_from_slice(literal.as_bytes()));
}

/// As [`write_node`], but that `text` appends texts and keys, and `number` numbers by their literals.
pub(crate) fn write_node_by(
    node: &Node<'_>,
    out: &mut Vec<u8>,
    text: fn(&str, &mut Vec<u8>),
    number: fn(&str, &mut Vec<u8>),
) {
    match node {
        Node::Null => out.extend_from_slice(b"null"),
        Node::Bool(bool) => out.extend_from_slice(if *bool { b"true" } else { b"false" }),
        Node::Number(literal) => number(literal, out),
        Node::String(string) => text(string, out),
        Node::List(items) => write_list(items, out, |item, out| write_node_by(item, out, text, number)),
        Node::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.as_ref(), value));
            write_entries(entries, out, text, |_, value, out| write_node_by(value, out, text, number));
        }
    }
}

fn write_list<T>(items: &[T], out: &mut Vec<u8>, mut write: impl FnMut(&T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

/// Appends a map of which `write` appends each value, and may look where it does.
pub fn write_map<'a, T>(
    entries: impl IntoIterator<Item = (&'a str, T)>,
    out: &mut Vec<u8>,
    write: impl FnMut(&str, T, &mut Vec<u8>),
) {
    write_entries(entries, out, write_string, write);
}

fn write_entries<'a, T>(
    entries: impl IntoIterator<Item = (&'a str, T)>,
    out: &mut Vec<u8>,
    write_key: impl Fn(&str, &mut Vec<u8>),
    mut write: impl FnMut(&str, T, &mut Vec<u8>),
) {
    out.push(b'{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_key(key, out);
        out.push(b':');
        write(key, value, out);
    }
    out.push(b'}');
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    if let Some(integer) = number.as_i64() {
        write_integer(integer, out);
        return;
    }
    let text = number.to_string();
    if number.is_f64() { write_float(&text, out) } else { out.extend_from_slice(text.as_bytes()) }
}

fn write_integer(integer: i64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = integer.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if integer < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a float as Go does: the shortest digits that read back as the same number, with an exponent
/// below 1e-6 and from 1e21 on. What is not finite becomes `null`.
pub fn write_f64(float: f64, out: &mut Vec<u8>) {
    match Number::from_f64(float) {
        Some(number) => write_number(&number, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Lays out the shortest digits of a float, which `text` has in some notation, in Go's.
fn write_float(text: &str, out: &mut Vec<u8>) {
    let digits = Digits::of(text);
    let text = if (-5..=21).contains(&digits.point) { digits.plain() } else { digits.scientific(0) };
    out.extend_from_slice(text.as_bytes());
}

/// Appends a string in quotes, with Go's escapes: those of JSON, and `<`, `>`, `&`, U+2028 and U+2029 so
/// that the document may stand in HTML.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut done = 0;
    let mut at = 0;
    loop {
        at = skip_plain(bytes, at);
        let Some(&byte) = bytes.get(at) else { break };
        let mut length = 1;
        let escape: &[u8] = match byte {
            b'"' => br#"\""#,
            b'\\' => br"\\",
            0x08 => br"\b",
            0x0c => br"\f",
            b'\n' => br"\n",
            b'\r' => br"\r",
            b'\t' => br"\t",
            // The first byte of the line separators, and of much else.
            0xe2 => match bytes.get(at + 1..at + 3) {
                Some([0x80, 0xa8]) => br"\u2028",
                Some([0x80, 0xa9]) => br"\u2029",
                _ => {
                    at += 3;
                    continue;
                }
            },
            _ => &[b'\\', b'u', b'0', b'0', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]],
        };
        if byte == 0xe2 {
            length = 3;
        }
        out.extend_from_slice(&bytes[done..at]);
        out.extend_from_slice(escape);
        at += length;
        done = at;
    }
    out.extend_from_slice(&bytes[done..]);
    out.push(b'"');
}

/// The next byte that may have to be escaped, eight at a time: a control character, one of `"`, `\`, `&`, `<` and `>`,
/// or the first of a line separator.
fn skip_plain(bytes: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero_byte = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    let is = |word: u64, byte: u8| zero_byte(word ^ (LOW * u64::from(byte)));
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        let control = word.wrapping_sub(LOW * 0x20) & !word & HIGH;
        // Quotes and ampersands differ in one bit, and so do angle brackets.
        let two = is(word & !(LOW * 0x04), b'"') | is(word & !(LOW * 0x02), b'<');
        let found = control | two | is(word, b'\\') | is(word, 0xe2);
        if found != 0 {
            // A borrow can only mark bytes above the first that counts.
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let special = |byte: u8| byte < 0x20 || matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xe2);
    while bytes.get(at).is_some_and(|byte| !special(*byte)) {
        at += 1;
    }
    at
}
