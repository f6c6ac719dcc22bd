//! Bytes to characters, with the checks of libyaml's reader.

use std::borrow::Cow;

use super::Error;

/// The text of a document in UTF-8, or in UTF-16 after a byte order mark, which is left out.
///
/// # Errors
/// Bytes that are not text in that encoding, and characters that YAML does not allow.
pub(super) fn read(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)?),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)?),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            Cow::Borrowed(std::str::from_utf8(bytes).map_err(|error| utf8_error(bytes, error.valid_up_to()))?)
        }
    };
    if !text.chars().all(is_allowed) {
        return Err(Error::control_character());
    }
    // In YAML 1.1 this ends a line as a line feed does, and is read as one.
    if text.contains('\u{85}') { Ok(text.replace('\u{85}', "\n").into()) } else { Ok(text) }
}

/// Whether a character may stand in a document as it is.
pub(super) fn is_allowed(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..
    )
}

/// What is wrong with the bytes that begin at `at`, unless something is wrong before.
fn utf8_error(bytes: &[u8], at: usize) -> Error {
    let (valid, rest) = bytes.split_at(at);
    if !String::from_utf8_lossy(valid).chars().all(is_allowed) {
        return Error::control_character();
    }
    let width = match rest.first() {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        _ => return Error::new("invalid leading UTF-8 octet"),
    };
    let Some(sequence) = rest.get(..width) else { return Error::new("incomplete UTF-8 octet sequence") };
    if sequence[1..].iter().any(|byte| byte & 0xc0 != 0x80) {
        return Error::new("invalid trailing UTF-8 octet");
    }
    match sequence {
        [0xc0 | 0xc1, ..] | [0xe0, ..=0x9f, ..] | [0xf0, ..=0x8f, ..] => {
            Error::new("invalid length of a UTF-8 sequence")
        }
        _ => Error::new("invalid Unicode character"),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Error> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    let mut units = pairs.iter().map(|&pair| unit(pair));
    while let Some(first) = units.next() {
        let character = match first {
            0xdc00..=0xdfff => return Err(Error::new("unexpected low surrogate area")),
            0xd800..=0xdbff => match units.next() {
                None => return Err(Error::new("incomplete UTF-16 surrogate pair")),
                Some(second @ 0xdc00..=0xdfff) => {
                    char::from_u32(0x10000 + ((u32::from(first) & 0x3ff) << 10) + (u32::from(second) & 0x3ff))
                }
                Some(_) => return Err(Error::new("expected low surrogate area")),
            },
            _ => char::from_u32(u32::from(first)),
        };
        text.extend(character);
    }
    if odd.is_empty() { Ok(text) } else { Err(Error::new("incomplete UTF-16 character")) }
}
