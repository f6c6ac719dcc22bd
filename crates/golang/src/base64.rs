//! Base64 as Go's `base64.StdEncoding` reads and writes it, and for URLs as its `base64.RawURLEncoding` does.
//!
//! See <https://pkg.go.dev/encoding/base64>.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Reads padded Base64, as Go's `base64.StdEncoding.DecodeString` does. Line breaks do not count.
///
/// # Errors
/// The byte at which Go finds the text wrong: its `base64.CorruptInputError`.
pub fn decode(text: impl AsRef<[u8]>) -> Result<Vec<u8>, usize> {
    decode_bytes(text.as_ref())
}

fn decode_bytes(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = 0_u32;
    let mut length = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\r' | b'\n' => {}
            b'=' => {
                let end = padding_end(text, at, length)?;
                if end < text.len() {
                    return Err(end);
                }
                let whole = (group << (6 * (4 - length))).to_be_bytes();
                bytes.extend_from_slice(&whole[1..length]);
                return Ok(bytes);
            }
            _ => {
                group = group << 6 | sextet(byte).ok_or(at - 1)?;
                length += 1;
                if length == 4 {
                    bytes.extend_from_slice(&group.to_be_bytes()[1..]);
                    (group, length) = (0, 0);
                }
            }
        }
    }
    // Go names the beginning of the group that is not complete.
    if length == 0 { Ok(bytes) } else { Err(at - length) }
}

/// Returns where the padding ends whose first `=` stands before `at`, after `length` letters of a group.
fn padding_end(text: &[u8], at: usize, length: usize) -> Result<usize, usize> {
    let skip_breaks =
        |at: usize| at + text[at..].iter().take_while(|&&byte| byte == b'\r' || byte == b'\n').count();
    let mut at = at;
    match length {
        0 | 1 => return Err(at - 1),
        2 => {
            at = skip_breaks(at);
            match text.get(at) {
                None => return Err(text.len()),
                Some(b'=') => at += 1,
                Some(_) => return Err(at - 1),
            }
        }
        _ => {}
    }
    Ok(skip_breaks(at))
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// Writes padded Base64, as Go's `base64.StdEncoding.EncodeToString` does.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    encode_bytes(bytes.as_ref())
}

fn encode_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..4 {
            text.push(if letter > chunk.len() {
                '='
            } else {
                char::from(ALPHABET[(group >> (18 - 6 * letter) & 63) as usize])
            });
        }
    }
    text
}

/// Writes Base64 for URLs without padding, as Go's `base64.RawURLEncoding.EncodeToString` does.
pub fn encode_url(bytes: impl AsRef<[u8]>) -> String {
    let padded = encode_bytes(bytes.as_ref());
    padded.trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// Reads Base64 for URLs without padding, as Go's `base64.RawURLEncoding.DecodeString` does. Line breaks do not count.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    if text.contains(['+', '/', '=']) {
        return None;
    }
    let letters = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).count();
    let padding = ["", "", "==", "="][letters % 4];
    decode([&text.replace('-', "+").replace('_', "/"), padding].concat()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (bytes, text) in [(&b""[..], ""), (b"\xfb", "-w"), (b"\xff\xff", "__8"), (b"abc", "YWJj")] {
            assert_eq!(encode_url(bytes), text);
            assert_eq!(decode_url(text).as_deref(), Some(bytes));
        }
        assert_eq!(decode_url("YW\nJj").as_deref(), Some(&b"abc"[..]));
        for text in ["Y", "YWJjY", "-w==", "+w", "/w", "a b", "\u{e9}"] {
            assert_eq!(decode_url(text), None, "{text}");
        }
    }
}
