//! Formats of OpenAPI that are neither names nor times.

/// Reports whether a text is padded Base64 without line breaks, and not empty, as Go's `govalidator.IsBase64` does.
pub fn is_base64(text: &str) -> bool {
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64() {
        for (text, expected) in [
            ("aGVsbG8=", true),
            ("aGVsbA==", true),
            ("aGVs", true),
            ("", false),
            ("a===", false),
            ("====", false),
            ("aGVsbG8", false),
            ("aG\nVs", false),
            ("aGV-", false),
        ] {
            assert_eq!(is_base64(text), expected, "{text}");
        }
    }
}
