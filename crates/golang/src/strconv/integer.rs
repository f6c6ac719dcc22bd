//! Integers in decimal.

use super::quote;

/// Reads a signed integer, as Go's `strconv.ParseInt(text, 10, 64)` does.
///
/// # Errors
/// Go's text.
pub fn parse_int(text: &str) -> Result<i64, String> {
    signed("ParseInt", text)
}

/// Reads a signed integer, as Go's `strconv.Atoi` does.
///
/// # Errors
/// Go's text.
pub fn atoi(text: &str) -> Result<i64, String> {
    signed("Atoi", text)
}

/// Reads an unsigned integer, as Go's `strconv.ParseUint(text, 10, 64)` does. It has no sign, not even a plus.
///
/// # Errors
/// Go's text.
pub fn parse_uint(text: &str) -> Result<u64, String> {
    magnitude(text).map_err(|why| error("ParseUint", text, why))
}

fn signed(function: &str, text: &str) -> Result<i64, String> {
    let negative = text.starts_with('-');
    let size = magnitude(text.strip_prefix(['-', '+']).unwrap_or(text));
    let number = match size.map(i64::try_from) {
        Ok(Ok(size)) if negative => Ok(-size),
        Ok(Ok(size)) => Ok(size),
        // One more has room below zero.
        Ok(Err(_)) if negative && size == Ok(1 << 63) => Ok(i64::MIN),
        Ok(Err(_)) => Err(OUT_OF_RANGE),
        Err(why) => Err(why),
    };
    number.map_err(|why| error(function, text, why))
}

const INVALID: &str = "invalid syntax";
const OUT_OF_RANGE: &str = "value out of range";

/// Reads digits. After those that make the number too large, nothing is looked at, as in Go.
fn magnitude(digits: &str) -> Result<u64, &'static str> {
    if digits.is_empty() {
        return Err(INVALID);
    }
    digits.bytes().try_fold(0_u64, |number, byte| match byte {
        b'0'..=b'9' => number
            .checked_mul(10)
            .and_then(|number| number.checked_add(u64::from(byte - b'0')))
            .ok_or(OUT_OF_RANGE),
        _ => Err(INVALID),
    })
}

fn error(function: &str, text: &str, why: &str) -> String {
    ["strconv.", function, ": parsing ", &quote(text), ": ", why].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: PartialEq + std::fmt::Debug>(found: &Result<T, String>, expected: &Result<T, &str>) {
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|why| *why));
    }

    #[test]
    fn signed_integers() {
        check(&parse_int("+5"), &Ok(5));
        check(&parse_int("-9223372036854775808"), &Ok(i64::MIN));
        check(&parse_int("abc"), &Err("strconv.ParseInt: parsing \"abc\": invalid syntax"));
        check(&parse_int(""), &Err("strconv.ParseInt: parsing \"\": invalid syntax"));
        check(
            &parse_int("99999999999999999999"),
            &Err("strconv.ParseInt: parsing \"99999999999999999999\": value out of range"),
        );
        check(&atoi("1_0"), &Err("strconv.Atoi: parsing \"1_0\": invalid syntax"));
    }

    #[test]
    fn unsigned_integers() {
        check(&parse_uint("18446744073709551615"), &Ok(u64::MAX));
        check(&parse_uint("+1"), &Err("strconv.ParseUint: parsing \"+1\": invalid syntax"));
        check(
            &parse_uint("18446744073709551616"),
            &Err("strconv.ParseUint: parsing \"18446744073709551616\": value out of range"),
        );
    }
}
