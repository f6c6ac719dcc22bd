//! Prefixes: addresses of networks.

use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::parse::{Addr, parse_addr};
use crate::strconv::{atoi, quote};

/// A network: an address, of which so many bits say which network it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The address as it was written.
    pub address: IpAddr,
    /// The number of bits that count.
    pub bits: u8,
}

impl Prefix {
    /// Reads an address, a slash and a number of bits, as Go's `netip.ParsePrefix` does.
    ///
    /// # Errors
    /// Go's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| ["netip.ParsePrefix(", &quote(text), "): ", why].concat();
        let Some((address, bits)) = text.rsplit_once('/') else { return Err(wrong("no '/'")) };
        let Addr { address, zone } = parse_addr(address).map_err(|why| wrong(&why))?;
        if zone {
            return Err(wrong("IPv6 zones cannot be present in a prefix"));
        }
        let bad = || wrong(&["bad bits after slash: ", &quote(bits)].concat());
        if bits.len() > 1 && !bits.starts_with(|c: char| ('1'..='9').contains(&c)) {
            return Err(bad());
        }
        match u8::try_from(atoi(bits).map_err(|_| bad())?) {
            Ok(bits) if bits <= width(address) => Ok(Self { address, bits }),
            _ => Err(wrong("prefix length out of range")),
        }
    }

    /// Returns the bits of an address that say which network of this size it is in.
    fn network(bits: u8, address: IpAddr) -> u128 {
        let value = match address {
            IpAddr::V4(four) => u128::from(u32::from(four)),
            IpAddr::V6(six) => u128::from(six),
        };
        let width = width(address);
        value.checked_shr(u32::from(width - bits.min(width))).unwrap_or(0)
    }

    /// Reports whether an address is in the network, as Go's `Prefix.Contains` does.
    pub fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && Self::network(self.bits, self.address) == Self::network(self.bits, address)
    }

    /// Reports whether another network is part of this one.
    pub fn contains_prefix(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }

    /// Returns the network without the bits that say which address in it is meant, as Go's `Prefix.Masked` does.
    pub fn masked(self) -> Self {
        let width = width(self.address);
        let value = Self::network(self.bits, self.address)
            .checked_shl(u32::from(width.saturating_sub(self.bits)))
            .unwrap_or(0);
        let address = match self.address {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from(value as u32)),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from(value)),
        };
        Self { address, ..self }
    }
}

impl Display for Prefix {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// Returns how many bits an address has, as Go's `Addr.BitLen` does.
fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read() {
        let check = |text: &str, why: &str| {
            assert_eq!(Prefix::parse(text), Err(format!("netip.ParsePrefix({}): {why}", quote(text))));
        };
        check("10.0.0.0", "no '/'");
        check("192.168.0.0/33", "prefix length out of range");
        check("::1/129", "prefix length out of range");
        check("1.2.3.4/1000000000000000000", "prefix length out of range");
        check("1.2.3.4/", "bad bits after slash: \"\"");
        check("1.2.3.4/08", "bad bits after slash: \"08\"");
        check("1.2.3.4/-1", "bad bits after slash: \"-1\"");
        check("1.2.3.4/1x", "bad bits after slash: \"1x\"");
        check("1.2.3/8", "ParseAddr(\"1.2.3\"): IPv4 address too short");
        check("fe80::1%a/8", "IPv6 zones cannot be present in a prefix");
    }

    #[test]
    fn networks_contain() {
        for (network, other, expected) in [
            ("192.168.0.0/24", "192.168.0.1/32", true),
            ("192.168.0.0/24", "192.168.1.1/32", false),
            ("192.168.0.0/16", "192.168.10.0/24", true),
            ("192.168.1.0/24", "192.168.2.0/24", false),
            ("192.168.1.0/24", "192.168.0.0/16", false),
            ("0.0.0.0/0", "1.2.3.4/32", true),
            ("::/0", "1.2.3.4/32", false),
            ("::/0", "ffff::/16", true),
            ("2001:db8::/32", "2001:db8:1::/48", true),
            ("::1/128", "::1/128", true),
            ("::1/128", "::2/128", false),
        ] {
            let [network, other] = [network, other].map(|text| Prefix::parse(text).expect(text));
            assert_eq!(network.contains_prefix(other), expected, "{network:?} {other:?}");
        }
        for (text, expected) in [
            ("192.168.0.1/24", "192.168.0.0/24"),
            ("1.2.3.4/0", "0.0.0.0/0"),
            ("1.2.3.4/32", "1.2.3.4/32"),
            ("2001:db8:ffff::1/33", "2001:db8:8000::/33"),
            ("ffff::1/0", "::/0"),
        ] {
            let network = Prefix::parse(text).expect(text);
            assert_eq!(network.masked().to_string(), expected, "{text}");
        }
    }
}
