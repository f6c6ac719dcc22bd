//! Bytes to characters, with the checks of libyaml's reader.

use std::borrow::Cow;

use super::Error;

/// So many bytes are looked at before the first token is made of any of them.
const AT_ONCE: usize = 512;

/// The characters of a document.
#[derive(Debug)]
pub(super) struct Text<'a> {
    pub(super) text: Cow<'a, str>,
    /// The error in the bytes that come next, for a reader that needs more than the text.
    pub(super) then: Option<Error>,
}

/// The text of a document in UTF-8, or in UTF-16 after a byte order mark, which is left out. It ends before bytes that are
/// not text in that encoding, and before characters that YAML does not allow: with all that is looked at together with
/// them, but for a character of which only a part is there, which is missed when nothing else is left.
pub(super) fn read(bytes: &[u8]) -> Text<'_> {
    let (text, then) = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
    };
    // In YAML 1.1 this ends a line as a line feed does, and is read as one.
    let text = if text.contains('\u{85}') { text.replace('\u{85}', "\n").into() } else { text };
    Text { text, then }
}

fn utf8(bytes: &[u8]) -> (Cow<'_, str>, Option<Error>) {
    let (valid, problem) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).unwrap_or_default(), Some(utf8_error(rest)))
        }
    };
    let end = |at: usize| valid.floor_char_boundary(at / AT_ONCE * AT_ONCE);
    match (valid.find(|character| !is_allowed(character)), problem) {
        (Some(at), _) => (valid[..end(at)].into(), Some(Error::control_character())),
        (None, Some((error, false))) => (valid[..end(valid.len())].into(), Some(error)),
        (None, problem) => (valid.into(), problem.map(|(error, _)| error)),
    }
}

/// Reports whether a character may stand in a document as it is.
pub(super) fn is_allowed(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..
    )
}

/// Returns the error in the first bytes, and whether it is only that there are no more bytes.
fn utf8_error(bytes: &[u8]) -> (Error, bool) {
    let wrong = |problem: &'static str| (Error::new(problem), false);
    let width = match bytes.first() {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        _ => return wrong("invalid leading UTF-8 octet"),
    };
    let Some(sequence) = bytes.get(..width) else {
        return (Error::new("incomplete UTF-8 octet sequence"), true);
    };
    if sequence[1..].iter().any(|byte| byte & 0xc0 != 0x80) {
        return wrong("invalid trailing UTF-8 octet");
    }
    match sequence {
        [0xc0 | 0xc1, ..] | [0xe0, ..=0x9f, ..] | [0xf0, ..=0x8f, ..] => {
            wrong("invalid length of a UTF-8 sequence")
        }
        _ => wrong("invalid Unicode character"),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (Cow<'static, str>, Option<Error>) {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    // How long the text was where the bytes began that are looked at together with those that come now.
    let mut before = 0;
    let mut units = pairs.iter().map(|&pair| unit(pair)).enumerate();
    while let Some((at, first)) = units.next() {
        if (at + 1) * 2 % AT_ONCE == 0 {
            before = text.len();
        }
        let character = match first {
            0xdc00..=0xdfff => Err("unexpected low surrogate area"),
            0xd800..=0xdbff => match units.next() {
                None => return (text.into(), Some(Error::new("incomplete UTF-16 surrogate pair"))),
                Some((_, second @ 0xdc00..=0xdfff)) => {
                    let (high, low) = (u32::from(first) & 0x3ff, u32::from(second) & 0x3ff);
                    Ok(0x10000 + (high << 10 | low))
                }
                Some(_) => Err("expected low surrogate area"),
            },
            _ => Ok(u32::from(first)),
        };
        let problem = match character.map(char::from_u32) {
            Ok(Some(character)) if is_allowed(character) => {
                text.push(character);
                continue;
            }
            Ok(_) => Error::control_character(),
            Err(problem) => Error::new(problem),
        };
        text.truncate(before);
        return (text.into(), Some(problem));
    }
    (text.into(), (!odd.is_empty()).then(|| Error::new("incomplete UTF-16 character")))
}
