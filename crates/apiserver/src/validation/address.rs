//! IP addresses as Kubernetes has always read them, which is more forgiving than the standards are.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>.

use std::net::IpAddr;

/// The address that `text` means. Zeros may stand before the numbers of an IPv4 address.
pub fn parse(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| {
        let number = |part: &str| match part.trim_start_matches('0') {
            "" if !part.is_empty() => Some(0),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse::<u8>().ok(),
            _ => None,
        };
        let numbers: Option<Vec<u8>> = text.split('.').map(number).collect();
        <[u8; 4]>::try_from(numbers?).ok().map(IpAddr::from)
    })
}

/// How `text` should be written instead: the address, and whether it is wrong for more than its looks.
pub fn preferred(text: &str) -> Option<(String, bool)> {
    let address = parse(text)?;
    let canonical = address.to_canonical();
    if canonical != address || text.parse::<IpAddr>().is_err() {
        return Some((canonical.to_string(), true));
    }
    let canonical = canonical.to_string();
    (address.is_ipv6() && canonical != text).then_some((canonical, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |text: &str, parsed: Option<&str>, better: Option<(&str, bool)>| {
            assert_eq!(parse(text).map(|address| address.to_string()).as_deref(), parsed, "{text}");
            let better = better.map(|(text, wrong)| (text.to_owned(), wrong));
            assert_eq!(preferred(text), better, "{text}");
        };
        check("1.2.3.4", Some("1.2.3.4"), None);
        check("01.002.000.4", Some("1.2.0.4"), Some(("1.2.0.4", true)));
        check("::1", Some("::1"), None);
        check("::ffff:1.2.3.4", Some("::ffff:1.2.3.4"), Some(("1.2.3.4", true)));
        check("2001:DB8:0::1", Some("2001:db8::1"), Some(("2001:db8::1", false)));
        for wrong in ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1..3.4", "x", "+1.2.3.4"] {
            check(wrong, None, None);
        }
    }
}
