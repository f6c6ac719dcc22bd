//! Booleans.

use super::quote;

/// Reads a boolean, as Go's `strconv.ParseBool` does.
///
/// # Errors
/// Go's text.
pub fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(["strconv.ParseBool: parsing ", &quote(text), ": invalid syntax"].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<bool, &str>) {
        assert_eq!(parse_bool(text), expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn booleans() {
        check("T", Ok(true));
        check("True", Ok(true));
        check("FALSE", Ok(false));
        check("0", Ok(false));
        check("tRUE", Err("strconv.ParseBool: parsing \"tRUE\": invalid syntax"));
        check("", Err("strconv.ParseBool: parsing \"\": invalid syntax"));
    }
}
