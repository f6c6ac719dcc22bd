//! IP addresses and blocks of them, read as Go's package `net` reads them, and as it read them before Go 1.17.
//!
//! See <https://pkg.go.dev/net#ParseIP> and <https://pkg.go.dev/k8s.io/utils/net>: Kubernetes keeps Go's old readers,
//! which take zeros before the numbers of an IPv4 address.

use std::fmt::Display;
use std::net::IpAddr;

use crate::netip::{Addr, Prefix, parse_addr};

/// Returns a host and a port as they stand in a URL, as Go's `net.JoinHostPort` does: an IPv6 address in brackets.
pub fn join_host_port(host: &str, port: impl Display) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Reads an address, as Go's `net.ParseIP` does: no zone, and no zeros before the numbers of an IPv4 address. An IPv4
/// address in an IPv6 one is returned as it was written.
pub fn parse_ip(text: &str) -> Option<IpAddr> {
    match parse_addr(text) {
        Ok(Addr { address, zone: false }) => Some(address),
        _ => None,
    }
}

/// Reads an address, as `ParseIPSloppy` of `k8s.io/utils/net` does: as [`parse_ip`], with any zeros before groups and
/// numbers.
pub fn parse_ip_sloppy(text: &str) -> Option<IpAddr> {
    if let Some(address) = parse_ip(text) {
        return Some(address);
    }
    let text: Vec<String> = text.split(':').map(without_zeros).collect();
    parse_ip(&text.join(":"))
}

/// Takes away the zeros that the old readers take before a group of an IPv6 address and the numbers of an IPv4 address.
fn without_zeros(group: &str) -> String {
    let trimmed = |number: &str, most: usize| match number.trim_start_matches('0') {
        "" if !number.is_empty() => "0".to_owned(),
        rest if number.len() > most => rest.to_owned(),
        _ => number.to_owned(),
    };
    if !group.contains('.') {
        return trimmed(group, 4);
    }
    let numbers: Vec<String> = group.split('.').map(|number| trimmed(number, 1)).collect();
    numbers.join(".")
}

/// Reads a block of addresses, as `ParseCIDRSloppy` of `k8s.io/utils/net` does: an address as [`parse_ip_sloppy`] reads
/// it, a slash and the length of a prefix, with any zeros before it. The bits after the prefix are kept.
pub fn parse_cidr_sloppy(text: &str) -> Option<Prefix> {
    let (address, digits) = text.split_once('/')?;
    let address = parse_ip_sloppy(address)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let bits = digits.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    (bits <= most).then_some(Prefix { address, bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        // strict, sloppy
        let check = |text: &str, expected: [Option<&str>; 2]| {
            let found = [parse_ip(text), parse_ip_sloppy(text)];
            let found = found.map(|address| address.map(|address| address.to_string()));
            assert_eq!(found.each_ref().map(Option::as_deref), expected, "{text}");
        };
        check("1.2.3.4", [Some("1.2.3.4"), Some("1.2.3.4")]);
        check("01.002.000.4", [None, Some("1.2.0.4")]);
        check("::1", [Some("::1"), Some("::1")]);
        check("::ffff:1.2.3.4", [Some("::ffff:1.2.3.4"), Some("::ffff:1.2.3.4")]);
        check("::ffff:01.2.3.4", [None, Some("::ffff:1.2.3.4")]);
        check("00001::", [None, Some("1::")]);
        check("00fffe::", [None, Some("fffe::")]);
        check("12345::", [None, None]);
        check("2001:DB8:0::1", [Some("2001:db8::1"), Some("2001:db8::1")]);
        for wrong in ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1..3.4", "x", "+1.2.3.4", "fe80::1%eth0"] {
            check(wrong, [None, None]);
        }
    }

    #[test]
    fn blocks() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(parse_cidr_sloppy(text).map(|block| block.to_string()).as_deref(), expected, "{text}");
        };
        check("10.0.0.0/8", Some("10.0.0.0/8"));
        check("10.1.2.3/8", Some("10.1.2.3/8"));
        check("010.0.0.0/0008", Some("10.0.0.0/8"));
        check("::ffff:10.0.0.0/104", Some("::ffff:10.0.0.0/104"));
        for wrong in ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/", "::/129", "/8", "1.2.3.4/8/8"] {
            check(wrong, None);
        }
    }
}
