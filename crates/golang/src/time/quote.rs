//! Quoted texts in errors about times.

use std::fmt::Write as _;

/// Returns the text in double quotes, as Go's package `time` quotes in its errors: bytes that are not ASCII, or below the
/// space, as `\xNN`.
pub(super) fn quote(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=0x7f => out.push(char::from(byte)),
            // Writing to a String does not fail.
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}
