//! IP addresses and prefixes, read as Go's package `net/netip` reads them.
//!
//! See <https://pkg.go.dev/net/netip>.

mod parse;
mod prefix;

pub use parse::{Addr, parse_addr};
pub use prefix::Prefix;

use std::net::{IpAddr, Ipv4Addr};

/// Reports whether an address is an IPv4 address mapped into IPv6, `::ffff:1.2.3.4`, as Go's `Addr.Is4In6` does.
pub fn is_4_in_6(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

/// Reports whether an address is that of a multicast group of the local link: 224.0.0.0/24 or ff02::/16, as Go's
/// `Addr.IsLinkLocalMulticast` does.
pub fn is_link_local_multicast(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(four) => four.octets()[..3] == [224, 0, 0],
        IpAddr::V6(six) => six.segments()[0] & 0xff0f == 0xff02,
    }
}

/// Reports whether an address is of use on the local link alone: 169.254.0.0/16 or fe80::/10, as Go's
/// `Addr.IsLinkLocalUnicast` does.
pub fn is_link_local_unicast(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(four) => four.octets()[..2] == [169, 254],
        IpAddr::V6(six) => six.segments()[0] & 0xffc0 == 0xfe80,
    }
}

/// Reports whether an address may be that of one machine, anywhere, as Go's `Addr.IsGlobalUnicast` does.
pub fn is_global_unicast(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address != IpAddr::V4(Ipv4Addr::BROADCAST)
        && !address.is_unspecified()
        && !address.is_loopback()
        && !address.is_multicast()
        && !is_link_local_unicast(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_kinds() {
        // unspecified, loopback, link local multicast, link local unicast, global unicast
        for (text, expected) in [
            ("0.0.0.0", [true, false, false, false, false]),
            ("::", [true, false, false, false, false]),
            ("127.1.2.3", [false, true, false, false, false]),
            ("::1", [false, true, false, false, false]),
            ("224.0.0.1", [false, false, true, false, false]),
            ("224.0.1.1", [false, false, false, false, false]),
            ("ff02::1", [false, false, true, false, false]),
            ("169.254.169.254", [false, false, false, true, false]),
            ("fe80::1", [false, false, false, true, false]),
            ("192.168.0.1", [false, false, false, false, true]),
            ("255.255.255.255", [false, false, false, false, false]),
            ("2001:db8::abcd", [false, false, false, false, true]),
            ("ff00::1", [false, false, false, false, false]),
            ("fd80::1", [false, false, false, false, true]),
        ] {
            let ip: IpAddr = text.parse().expect(text);
            let kinds = [
                ip.is_unspecified(),
                ip.is_loopback(),
                is_link_local_multicast(ip),
                is_link_local_unicast(ip),
                is_global_unicast(ip),
            ];
            assert_eq!(kinds, expected, "{text}");
        }
    }
}
