//! The meaning of scalars without quotes, by the rules of go-yaml v2, which are YAML 1.1's and some of Go's own.

use golang::strconv::parse_float;

use super::timestamp;

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer that only fits without a sign.
    Uint(u64),
    Float(f64),
    /// Kept as text, but written in quotes.
    Timestamp,
    Text,
}

/// Finds out what an untagged scalar without quotes means.
///
/// Numbers in base 60 (`12:30:45`) are text here, though [`is_base60`] has them written in quotes.
pub(super) fn resolve(text: &str) -> Resolved {
    let Some(first) = text.bytes().next() else { return Resolved::Null };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => match word(text) {
            Resolved::Text => parse_float(text).map_or(Resolved::Text, finite),
            float => float,
        },
        b'+' | b'-' | b'0'..=b'9' => match word(text) {
            Resolved::Text if timestamp::is_timestamp(text) => Resolved::Timestamp,
            Resolved::Text => number(&text.replace('_', "")),
            float => float,
        },
        _ => Resolved::Text,
    }
}

fn word(text: &str) -> Resolved {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" => Resolved::Bool(true),
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "on" | "On" | "ON" => Resolved::Bool(true),
        "n" | "N" | "no" | "No" | "NO" => Resolved::Bool(false),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        "off" | "Off" | "OFF" => Resolved::Bool(false),
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
        "+.inf" | "+.Inf" | "+.INF" => Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Resolved::Float(f64::NEG_INFINITY),
        _ => Resolved::Text,
    }
}

/// A number out of range stays text.
fn finite(float: f64) -> Resolved {
    if float.is_finite() { Resolved::Float(float) } else { Resolved::Text }
}

fn number(plain: &str) -> Resolved {
    if let Some(integer) = integer(plain) {
        return integer;
    }
    if is_float(plain) { parse_float(plain).map_or(Resolved::Text, finite) } else { Resolved::Text }
}

/// An integer as Go reads it: in base 16, 8 or 2 after `0x`, `0o` or `0b`, and in base 8 after a mere `0`.
fn integer(plain: &str) -> Option<Resolved> {
    let (sign, digits) = match plain.as_bytes().first()? {
        b'+' => (Some(1), &plain[1..]),
        b'-' => (Some(-1), &plain[1..]),
        _ => (None, plain),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // Rust would take a second sign.
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let magnitude = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let signed = magnitude * sign.unwrap_or(1);
    match i64::try_from(signed) {
        Ok(integer) => Some(Resolved::Int(integer)),
        Err(_) if sign.is_none() => u64::try_from(signed).ok().map(Resolved::Uint),
        Err(_) => None,
    }
}

/// Reports whether this looks like a decimal float: `1`, `1.`, `.5`, `1e3`, with a sign or without.
fn is_float(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits(rest);
    rest = &rest[whole..];
    if let Some(after) = rest.strip_prefix('.') {
        let fraction = digits(after);
        if whole + fraction == 0 {
            return false;
        }
        rest = &after[fraction..];
    } else if whole == 0 {
        return false;
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let exponent = after.strip_prefix(['-', '+']).unwrap_or(after);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// Reports whether YAML 1.1 takes this for a number in base 60, such as `12:30:45` or `1:20.5`.
pub(super) fn is_base60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let mut parts = unsigned.split(':');
    let leading =
        parts.next().is_some_and(|part| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'_')));
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return false };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    leading
        && middle.iter().chain([&last]).all(|part| match part.as_bytes() {
            [ones] => ones.is_ascii_digit(),
            [b'0'..=b'5', ones] => ones.is_ascii_digit(),
            _ => false,
        })
        && fraction.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'_'))
}
