//! JSON strings: where one ends, and what it says.

use super::SyntaxError;

/// Returns the place of the closing quote of the string whose text begins at `start`, and whether an escape is in it.
pub(super) fn scan(bytes: &[u8], start: usize) -> Result<(usize, bool), SyntaxError> {
    let mut at = start;
    let mut escaped = false;
    loop {
        at = skip_plain(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok((at, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = skip_escape(bytes, at + 1)?;
            }
            Some(_) => return Err(SyntaxError::byte(bytes, at, "in string literal")),
            None => return Err(SyntaxError::end(bytes.len())),
        }
    }
}

/// The next quote, backslash or control character, eight bytes at a time.
fn skip_plain(bytes: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero_byte = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        let quote = zero_byte(word ^ (LOW * u64::from(b'"')));
        let backslash = zero_byte(word ^ (LOW * u64::from(b'\\')));
        let control = word.wrapping_sub(LOW * 0x20) & !word & HIGH;
        let found = quote | backslash | control;
        if found != 0 {
            // A borrow can only mark bytes above the first that counts.
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
        at += 1;
    }
    at
}

/// Checks the escape whose backslash stands before `at`, and returns where it ends.
fn skip_escape(bytes: &[u8], at: usize) -> Result<usize, SyntaxError> {
    match bytes.get(at) {
        Some(b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"') => Ok(at + 1),
        Some(b'u') => {
            for digit in at + 1..at + 5 {
                if !bytes.get(digit).is_some_and(u8::is_ascii_hexdigit) {
                    return Err(SyntaxError::byte(bytes, digit, r"in \u hexadecimal character escape"));
                }
            }
            Ok(at + 5)
        }
        _ => Err(SyntaxError::byte(bytes, at, "in string escape code")),
    }
}

/// The text that `raw`, a string that [`scan`] has found well-formed, stands for.
pub(super) fn unquote(raw: &[u8]) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(backslash) = rest.iter().position(|&byte| byte == b'\\') {
        push_lossy(&rest[..backslash], &mut text);
        rest = &rest[backslash + 1..];
        let Some((&escape, after)) = rest.split_first() else { break };
        rest = after;
        match escape {
            b'b' => text.push('\u{8}'),
            b'f' => text.push('\u{c}'),
            b'n' => text.push('\n'),
            b'r' => text.push('\r'),
            b't' => text.push('\t'),
            b'u' => {
                let (character, length) = unicode_escape(rest);
                text.push(character);
                rest = rest.get(length..).unwrap_or_default();
            }
            other => text.push(char::from(other)),
        }
    }
    push_lossy(rest, &mut text);
    text
}

/// The character of an escape after its `\u`, and how many bytes of `rest` it takes: two escapes can be the
/// halves of one character; a half alone is U+FFFD.
fn unicode_escape(rest: &[u8]) -> (char, usize) {
    let unit = hex4(rest);
    if (0xd800..0xdc00).contains(&unit)
        && let Some(low) = rest.get(4..).and_then(|next| next.strip_prefix(br"\u")).map(hex4)
        && (0xdc00..0xe000).contains(&low)
    {
        let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 10);
    }
    (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 4)
}

fn hex4(digits: &[u8]) -> u32 {
    digits.iter().take(4).fold(0, |code, &digit| code << 4 | char::from(digit).to_digit(16).unwrap_or(0))
}

/// Appends bytes of which every one that is not UTF-8 becomes a U+FFFD of its own, as Go decodes runes.
fn push_lossy(mut bytes: &[u8], text: &mut String) {
    while !bytes.is_empty() {
        match std::str::from_utf8(bytes) {
            Ok(valid) => {
                text.push_str(valid);
                return;
            }
            Err(error) => {
                let (valid, rest) = bytes.split_at(error.valid_up_to());
                text.push_str(std::str::from_utf8(valid).unwrap_or_default());
                text.push(char::REPLACEMENT_CHARACTER);
                bytes = &rest[1..];
            }
        }
    }
}
