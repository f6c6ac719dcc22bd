//! The shape of DER, which certificates, keys and requests for certificates are written in.
//!
//! <https://www.itu.int/rec/T-REC-X.690>

/// The tag of a sequence.
const SEQUENCE: u8 = 0x30;

/// The content of a sequence at the beginning of some DER, and what follows it; `None` if there is none.
pub(crate) fn sequence(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, rest) = der.split_first().filter(|(tag, _)| **tag == SEQUENCE)?;
    let (&first, rest) = rest.split_first()?;
    if first < 0x80 {
        return rest.split_at_checked(usize::from(first));
    }
    let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
    let minimal = matches!(digits.len(), 1..=4) && digits[0] != 0;
    let length = digits.iter().fold(0usize, |sum, digit| sum.wrapping_shl(8) | usize::from(*digit));
    rest.split_at_checked(length).filter(|_| minimal && length >= 0x80)
}

/// Returns the error message for a certificate, as far as its shape tells.
pub(crate) fn certificate(der: &[u8]) -> Option<&'static str> {
    match sequence(der) {
        None => Some("x509: malformed certificate"),
        Some((content, _)) if sequence(content).is_none() => Some("x509: malformed tbs certificate"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates() {
        let check = |der: &[u8], expected: Option<&str>| assert_eq!(certificate(der), expected);
        check(&[], Some("x509: malformed certificate"));
        check(b"a", Some("x509: malformed certificate"));
        check(&[0x30, 0x81, 0x02, 0x30, 0x00], Some("x509: malformed certificate"));
        check(&[0x30, 0x02, 0x02, 0x00], Some("x509: malformed tbs certificate"));
        check(&[0x30, 0x02, 0x30, 0x00], None);
    }
}
