//! IP addresses and blocks of them.
//!
//! See <https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/> (`StrictIPCIDRValidation`).

use std::net::IpAddr;

use field::{Error, Path, quote};
use golang::net;
use golang::netip::{Prefix, is_4_in_6, is_link_local_multicast, is_link_local_unicast};

const NO_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NO_BLOCK: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/// An address as it was written.
struct Written {
    address: IpAddr,
    /// An IPv4 address with zeros before its numbers, which old software reads in one way or the other.
    zeros: bool,
}

/// The error of a text that is no address, or one that not everybody reads in the same way.
pub(crate) fn ip(text: &str, path: &Path) -> Option<Error> {
    complaint(text).map(|why| Error::invalid(path, text, why))
}

/// Returns the error message for an address that is invalid, or not written as Go writes it.
pub(crate) fn canonical_ip(text: &str) -> Option<String> {
    if let Some(why) = complaint(text) {
        return Some(why.to_owned());
    }
    let written = read(text).map(|written| written.address.to_string()).unwrap_or_default();
    (written != text).then(|| format!("must be in canonical form ({})", quote(&written)))
}

fn complaint(text: &str) -> Option<&'static str> {
    match read(text) {
        None => Some(NO_ADDRESS),
        Some(Written { zeros: true, .. }) => Some("must not have leading 0s"),
        Some(Written { address, .. }) if is_4_in_6(address) => {
            Some("must not be an IPv4-mapped IPv6 address")
        }
        Some(_) => None,
    }
}

/// The error of a block, likewise.
pub(crate) fn cidr(text: &str, path: &Path) -> Option<Error> {
    Some(Error::invalid(path, text, block_complaint(text)?))
}

/// The error of a block that must be written as Go writes it.
pub(crate) fn canonical_cidr(text: &str, path: &Path) -> Option<Error> {
    if let Some(why) = block_complaint(text) {
        return Some(Error::invalid(path, text, why));
    }
    let written = parse_cidr(text)?.masked().to_string();
    let why = format!("must be in canonical form ({})", quote(&written));
    (written != text).then(|| Error::invalid(path, text, why))
}

fn block_complaint(text: &str) -> Option<&'static str> {
    let Some((written, block, zero)) = read_block(text) else { return Some(NO_BLOCK) };
    if written.zeros || zero {
        return Some("must not have leading 0s in IP or prefix length");
    }
    if is_4_in_6(written.address) {
        return Some("must not have an IPv4-mapped IPv6 address");
    }
    (block.masked() != block).then_some("must not have bits set beyond the prefix length")
}

/// The errors of an address that means something else than one endpoint.
pub(crate) fn special(text: &str, path: &Path) -> Vec<Error> {
    let Some(address) = parse_ip(text) else {
        return vec![Error::invalid(path, text, "must be a valid IP address")];
    };
    let unspecified = format!("may not be unspecified ({text})");
    let rules = [
        (address.is_unspecified(), unspecified.as_str()),
        (address.is_loopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        (is_link_local_unicast(address), "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        (
            is_link_local_multicast(address),
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
        ),
    ];
    rules.iter().filter(|(broken, _)| *broken).map(|(_, why)| Error::invalid(path, text, *why)).collect()
}

/// The warnings of a block that is valid, but not written as it should be.
pub(crate) fn cidr_warnings(text: &str, path: &Path) -> Vec<String> {
    let (Some((written, block, zero)), Some(meant)) = (read_block(text), parse_cidr(text)) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    let (text_of, masked) = (quote(text), meant.masked());
    let whole = quote(&masked.to_string());
    if masked != meant {
        let bits = if meant.address.is_ipv4() { 32 } else { 128 };
        let one = quote(&Prefix { bits, ..meant }.to_string());
        warnings.push(format!(
            "{path}: CIDR value {text_of} is ambiguous in this context (should be {whole} or {one}?)"
        ));
    }
    if written.zeros || zero || is_4_in_6(written.address) {
        warnings.push(format!(
            "{path}: non-standard CIDR value {text_of} will be considered invalid in a future Kubernetes release: \
             use {whole}"
        ));
    }
    let canonical = quote(&block.to_string());
    if warnings.is_empty() && meant.address.is_ipv6() && canonical != text_of {
        warnings.push(format!(
            "{path}: IPv6 CIDR value {text_of} should be in RFC 5952 canonical format ({canonical})"
        ));
    }
    warnings
}

/// The address that a text means in whatever spelling. One of IPv4 in the guise of IPv6 is one of IPv4.
pub(crate) fn parse_ip(text: &str) -> Option<IpAddr> {
    net::parse_ip_sloppy(text).map(|address| address.to_canonical())
}

/// How an address should be written instead, and whether it is wrong for more than its looks.
pub(crate) fn preferred(text: &str) -> Option<(String, bool)> {
    let Written { address, zeros } = read(text)?;
    let canonical = address.to_canonical();
    let wrong = zeros || canonical != address;
    let canonical = canonical.to_string();
    (wrong || (address.is_ipv6() && canonical != text)).then_some((canonical, wrong))
}

/// The block that a text means in whatever spelling. One of IPv4 in the guise of IPv6 is one of IPv4.
pub(crate) fn parse_cidr(text: &str) -> Option<Prefix> {
    let Prefix { address, bits } = net::parse_cidr_sloppy(text)?;
    let bits = if is_4_in_6(address) { bits.checked_sub(96)? } else { bits };
    Some(Prefix { address: address.to_canonical(), bits })
}

/// Reads an address in whatever spelling.
fn read(text: &str) -> Option<Written> {
    let address = net::parse_ip_sloppy(text)?;
    Some(Written { address, zeros: net::parse_ip(text).is_none() })
}

/// Reads a block, and tells if its length has zeros before it.
fn read_block(text: &str) -> Option<(Written, Prefix, bool)> {
    let block = net::parse_cidr_sloppy(text)?;
    let (address, digits) = text.split_once('/')?;
    Some((read(address)?, block, digits.len() > 1 && digits.starts_with('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(ip(text, &Path::new("ip")).map(|error| error.detail).as_deref(), expected, "{text}");
        };
        check("10.1.2.3", None);
        check("2001:DB8::1", None);
        check("010.1.2.3", Some("must not have leading 0s"));
        check("::ffff:1.2.3.4", Some("must not be an IPv4-mapped IPv6 address"));
        check("::ffff:01.2.3.4", Some("must not have leading 0s"));
        check("1.2.3", Some(NO_ADDRESS));
        check("1.2.3.999", Some(NO_ADDRESS));
        check("fe80::1%eth0", Some(NO_ADDRESS));
        check("", Some(NO_ADDRESS));
        assert_eq!(
            canonical_ip("2001:DB8::1").as_deref(),
            Some("must be in canonical form (\"2001:db8::1\")")
        );
    }

    #[test]
    fn better_spellings() {
        let check = |text: &str, parsed: Option<&str>, better: Option<(&str, bool)>| {
            assert_eq!(
                net::parse_ip_sloppy(text).map(|address| address.to_string()).as_deref(),
                parsed,
                "{text}"
            );
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

    #[test]
    fn blocks() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(block_complaint(text), expected, "{text}");
        check("10.0.0.0/8", None);
        check("::/0", None);
        check("10.0.0.1/8", Some("must not have bits set beyond the prefix length"));
        check("10.0.0.0/08", Some("must not have leading 0s in IP or prefix length"));
        check("::ffff:10.0.0.0/104", Some("must not have an IPv4-mapped IPv6 address"));
        check("10.0.0.0", Some(NO_BLOCK));
        check("10.0.0.0/33", Some(NO_BLOCK));
        check("10.0.0.0/+8", Some(NO_BLOCK));
    }

    #[test]
    fn spellings_of_blocks() {
        let check = |text: &str, expected: &str| {
            assert_eq!(cidr_warnings(text, &Path::new("a")).join("; "), expected);
        };
        check("2001:db8::/64", "");
        check(
            "010.0.0.0/8",
            "a: non-standard CIDR value \"010.0.0.0/8\" will be considered invalid in a future Kubernetes release: use \"10.0.0.0/8\"",
        );
        check(
            "10.1.2.3/8",
            "a: CIDR value \"10.1.2.3/8\" is ambiguous in this context (should be \"10.0.0.0/8\" or \"10.1.2.3/32\"?)",
        );
        check(
            "2001:DB8::/64",
            "a: IPv6 CIDR value \"2001:DB8::/64\" should be in RFC 5952 canonical format (\"2001:db8::/64\")",
        );
    }

    #[test]
    fn special_addresses() {
        let check = |text: &str, expected: usize| {
            assert_eq!(special(text, &Path::new("ip")).len(), expected, "{text}");
        };
        check("1.2.3.4", 0);
        check("0.0.0.0", 1);
        check("127.0.0.1", 1);
        check("169.254.1.1", 1);
        check("224.0.0.1", 1);
        check("fe80::1", 1);
        check("ff02::1", 1);
    }
}
