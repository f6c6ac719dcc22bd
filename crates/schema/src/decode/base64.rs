//! Base64 as Go's `base64.StdEncoding` reads and writes it.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes that the text stands for. Line breaks in it do not count.
///
/// # Errors
/// Where in the text Go finds it wrong.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let text = text.as_bytes();
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

/// Where the padding ends whose first `=` stands before `at`, after `length` letters of a group.
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

/// The bytes as padded Base64.
pub(super) fn encode(bytes: &[u8]) -> String {
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
