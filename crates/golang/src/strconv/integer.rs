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
    if !is_number(text) {
        return Err(invalid("ParseUint", text));
    }
    text.parse().map_err(|_| out_of_range("ParseUint", text))
}

fn signed(function: &str, text: &str) -> Result<i64, String> {
    if !is_number(text.strip_prefix(['-', '+']).unwrap_or(text)) {
        return Err(invalid(function, text));
    }
    text.parse().map_err(|_| out_of_range(function, text))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn invalid(function: &str, text: &str) -> String {
    ["strconv.", function, ": parsing ", &quote(text), ": invalid syntax"].concat()
}

fn out_of_range(function: &str, text: &str) -> String {
    ["strconv.", function, ": parsing ", &quote(text), ": value out of range"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: PartialEq + std::fmt::Debug>(found: Result<T, String>, expected: Result<T, &str>) {
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn signed_integers() {
        check(parse_int("+5"), Ok(5));
        check(parse_int("-9223372036854775808"), Ok(i64::MIN));
        check(parse_int("abc"), Err("strconv.ParseInt: parsing \"abc\": invalid syntax"));
        check(parse_int(""), Err("strconv.ParseInt: parsing \"\": invalid syntax"));
        check(
            parse_int("99999999999999999999"),
            Err("strconv.ParseInt: parsing \"99999999999999999999\": value out of range"),
        );
        check(atoi("1_0"), Err("strconv.Atoi: parsing \"1_0\": invalid syntax"));
    }

    #[test]
    fn unsigned_integers() {
        check(parse_uint("18446744073709551615"), Ok(u64::MAX));
        check(parse_uint("+1"), Err("strconv.ParseUint: parsing \"+1\": invalid syntax"));
        check(
            parse_uint("18446744073709551616"),
            Err("strconv.ParseUint: parsing \"18446744073709551616\": value out of range"),
        );
    }
}
