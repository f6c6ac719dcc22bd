//! IP addresses and networks, read as Go's `net/netip` reads them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use schema::go::quote;

/// A network: an address, of which so many bits say which network it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    /// The address as it was written.
    pub(super) address: IpAddr,
    /// How many bits count.
    pub(super) bits: u8,
}

/// Why a text is no address.
struct Complaint(String);

/// An address, and whether it names a zone.
struct Parsed {
    address: IpAddr,
    zone: bool,
}

/// An address: no zone, and no IPv4 address that is written as one of IPv6.
pub(super) fn parse_address(text: &str) -> Result<IpAddr, String> {
    let Parsed { address, zone } = parse(text).map_err(|Complaint(why)| {
        format!("IP Address {} parse error during conversion from string: {why}", quote(text))
    })?;
    if zone {
        return Err(format!("IP address {} with zone value is not allowed", quote(text)));
    }
    if is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
    }
    Ok(address)
}

/// Why a text in brackets is no address of IPv6, as URLs have it; nothing, if it is one.
pub(super) fn literal_complaint(text: &str) -> Option<String> {
    match parse(text) {
        Err(Complaint(why)) => Some(format!("invalid host: {why}")),
        Ok(Parsed { address: IpAddr::V4(_), .. }) => Some("invalid IP-literal".to_owned()),
        Ok(_) => None,
    }
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

fn parse(text: &str) -> Result<Parsed, Complaint> {
    let complain = |why: &str, at: &str| {
        let at = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
        Complaint(format!("ParseAddr({}): {why}{at}", quote(text)))
    };
    match text.find(['.', ':', '%']) {
        Some(at) if text[at..].starts_with('.') => {
            let four = parse_four(text).map_err(|(why, at)| complain(why, at))?;
            Ok(Parsed { address: IpAddr::V4(four.into()), zone: false })
        }
        Some(at) if text[at..].starts_with(':') => {
            let (six, zone) = text.split_once('%').map_or((text, None), |(six, zone)| (six, Some(zone)));
            if zone == Some("") {
                return Err(complain("zone must be a non-empty string", ""));
            }
            let six = parse_six(six).map_err(|(why, at)| complain(why, at))?;
            Ok(Parsed { address: IpAddr::V6(six.into()), zone: zone.is_some() })
        }
        Some(_) => Err(complain("missing IPv6 address", "")),
        None => Err(complain("unable to parse IP", "")),
    }
}

/// What is wrong, and from where on.
type Place<'a> = (&'static str, &'a str);

fn parse_four(text: &str) -> Result<[u8; 4], Place<'_>> {
    let mut fields = [0; 4];
    let (mut field, mut digits, mut value) = (0, 0, 0u16);
    for (at, c) in text.char_indices() {
        if let Some(digit) = c.to_digit(10) {
            if digits == 1 && value == 0 {
                return Err(("IPv4 field has octet with leading zero", ""));
            }
            value = value * 10 + digit as u16;
            digits += 1;
            if value > 255 {
                return Err(("IPv4 field has value >255", ""));
            }
        } else if c == '.' {
            if digits == 0 || at == text.len() - 1 {
                return Err(("IPv4 field must have at least one digit", &text[at..]));
            }
            if field == 3 {
                return Err(("IPv4 address too long", ""));
            }
            fields[field] = value as u8;
            field += 1;
            (digits, value) = (0, 0);
        } else {
            return Err(("unexpected character", &text[at..]));
        }
    }
    if field < 3 {
        return Err(("IPv4 address too short", ""));
    }
    fields[3] = value as u8;
    Ok(fields)
}

fn parse_six(text: &str) -> Result<[u8; 16], Place<'_>> {
    let mut bytes = [0; 16];
    let mut filled = 0;
    let mut ellipsis = None;
    let mut rest = text;
    if let Some(after) = text.strip_prefix("::") {
        if after.is_empty() {
            return Ok(bytes);
        }
        ellipsis = Some(0);
        rest = after;
    }
    while filled < 16 {
        let length = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        if length > 4 {
            return Err(("each group must have 4 or less digits", rest));
        }
        if length == 0 {
            return Err(("each colon-separated field must have at least one digit", rest));
        }
        let after = &rest[length..];
        if after.starts_with('.') {
            if ellipsis.is_none() && filled != 12 {
                return Err(("embedded IPv4 address must replace the final 2 fields of the address", rest));
            }
            if filled + 4 > 16 {
                return Err(("too many hex fields to fit an embedded IPv4 at the end of the address", rest));
            }
            bytes[filled..filled + 4].copy_from_slice(&parse_four(rest)?);
            filled += 4;
            rest = "";
            break;
        }
        let group = u16::from_str_radix(&rest[..length], 16).unwrap_or_default();
        bytes[filled..filled + 2].copy_from_slice(&group.to_be_bytes());
        filled += 2;
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return Err(("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Err(("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(("multiple :: in address", rest));
            }
            ellipsis = Some(filled);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest));
    }
    match ellipsis {
        None if filled < 16 => Err(("address string too short", "")),
        Some(_) if filled == 16 => Err(("the :: must expand to at least one field of zeros", "")),
        Some(at) => {
            bytes[at..].rotate_right(16 - filled);
            Ok(bytes)
        }
        None => Ok(bytes),
    }
}

/// How many bytes an address has.
pub(super) fn size(address: IpAddr) -> u64 {
    if address.is_ipv4() { 4 } else { 16 }
}

/// Whether an address belongs to everybody in the network at hand.
pub(super) fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.octets()[..3] == [224, 0, 0],
        IpAddr::V6(six) => six.segments()[0] & 0xff0f == 0xff02,
    }
}

/// Whether an address is of use in the network at hand alone.
pub(super) fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.octets()[..2] == [169, 254],
        IpAddr::V6(six) => six.segments()[0] & 0xffc0 == 0xfe80,
    }
}

/// Whether an address may be that of one machine, anywhere.
pub(super) fn is_global_unicast(address: IpAddr) -> bool {
    address != IpAddr::V4(Ipv4Addr::BROADCAST)
        && !address.is_unspecified()
        && !address.is_loopback()
        && !address.is_multicast()
        && !is_link_local_unicast(address)
}

impl Network {
    /// Reads a network: an address, a slash, and a number of bits.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let network = Self::parse_any(text).map_err(|why| {
            format!(
                "network address parse error during conversion from string: netip.ParsePrefix({}): {why}",
                quote(text)
            )
        })?;
        if is_mapped(network.address) {
            return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
        }
        Ok(network)
    }

    fn parse_any(text: &str) -> Result<Self, String> {
        let Some((address, bits)) = text.rsplit_once('/') else { return Err("no '/'".to_owned()) };
        let Parsed { address, zone } = parse(address).map_err(|Complaint(why)| why)?;
        if zone {
            return Err("IPv6 zones cannot be present in a prefix".to_owned());
        }
        let bad = || format!("bad bits after slash: {}", quote(bits));
        if bits.len() > 1 && !bits.starts_with(|c: char| ('1'..='9').contains(&c)) {
            return Err(bad());
        }
        // It may be a number that is no number of bits.
        if bits.is_empty() || bits.len() > 18 || bits.bytes().any(|b| !b.is_ascii_digit()) {
            return Err(bad());
        }
        match bits.parse() {
            Ok(bits) if u64::from(bits) <= 8 * size(address) => Ok(Self { address, bits }),
            _ => Err("prefix length out of range".to_owned()),
        }
    }

    /// The bits of an address that say which network of this size it is in.
    fn prefix(bits: u8, address: IpAddr) -> u128 {
        let (value, width) = match address {
            IpAddr::V4(four) => (u128::from(u32::from(four)), 32),
            IpAddr::V6(six) => (u128::from(six), 128),
        };
        value.checked_shr(width - u32::from(bits).min(width)).unwrap_or(0)
    }

    /// Whether an address is in the network.
    pub(super) fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && Self::prefix(self.bits, self.address) == Self::prefix(self.bits, address)
    }

    /// Whether a network is part of this one.
    pub(super) fn contains_network(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }

    /// The network without the bits that say which address in it is meant.
    pub(super) fn masked(self) -> Self {
        let value = Self::prefix(self.bits, self.address);
        let shift = 8 * size(self.address) as u32 - u32::from(self.bits);
        let value = value.checked_shl(shift).unwrap_or(0);
        let address = match self.address {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from(value as u32)),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from(value)),
        };
        Self { address, ..self }
    }

    /// As it is written.
    pub(super) fn to_text(self) -> String {
        format!("{}/{}", self.address, self.bits)
    }

    /// How many bytes the bits that count take.
    pub(super) fn size(self) -> u64 {
        u64::from(self.bits).div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        parse_address(text).expect(text)
    }

    #[test]
    fn addresses_are_read() {
        for (text, expected) in [
            ("127.0.0.1", "127.0.0.1"),
            ("::", "::"),
            ("::1", "::1"),
            ("1::", "1::"),
            ("2001:DB8::0:0:0:abcd", "2001:db8::abcd"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ] {
            assert_eq!(address(text).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_explained_as_go_does() {
        let check = |text: &str, why: &str| {
            let expected = format!(
                "IP Address {0} parse error during conversion from string: ParseAddr({0}): {why}",
                quote(text)
            );
            assert_eq!(parse_address(text), Err(expected));
        };
        check("", "unable to parse IP");
        check("foo", "unable to parse IP");
        check("127.0.0.256", "IPv4 field has value >255");
        check("127.0.0.01", "IPv4 field has octet with leading zero");
        check("127.0.0", "IPv4 address too short");
        check("127.0.0.1.2", "IPv4 address too long");
        check("127..0.1", "IPv4 field must have at least one digit (at \".0.1\")");
        check("127.0.0.", "IPv4 field must have at least one digit (at \".\")");
        check("1.2.3.é", "unexpected character (at \"é\")");
        check(":::1", "each colon-separated field must have at least one digit (at \":1\")");
        check("1:2:3", "address string too short");
        check("1::2::3", "multiple :: in address (at \":3\")");
        check("1:2:3:4:5:6:7:8:9", "trailing garbage after address (at \"9\")");
        check("1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros");
        check("12345::", "each group must have 4 or less digits (at \"12345::\")");
        check("1:", "colon must be followed by more characters (at \":\")");
        check("1:g", "each colon-separated field must have at least one digit (at \"g\")");
        check("1g::", "unexpected character, want colon (at \"g::\")");
        check("%eth0", "missing IPv6 address");
        check("fe80::1%", "zone must be a non-empty string");
        check(
            "1:1.2.3.4",
            "embedded IPv4 address must replace the final 2 fields of the address (at \"1.2.3.4\")",
        );
        check("::1.2.3", "IPv4 address too short");
        for (text, expected) in [
            ("fe80::1%eth0", "IP address \"fe80::1%eth0\" with zone value is not allowed"),
            ("::ffff:1.2.3.4", "IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed"),
        ] {
            assert_eq!(parse_address(text), Err(expected.to_owned()));
        }
    }

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
            let ip = address(text);
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

    #[test]
    fn networks_are_read() {
        let check = |text: &str, why: &str| {
            let expected = format!(
                "network address parse error during conversion from string: netip.ParsePrefix({}): {why}",
                quote(text)
            );
            assert_eq!(Network::parse(text), Err(expected));
        };
        check("10.0.0.0", "no '/'");
        check("192.168.0.0/33", "prefix length out of range");
        check("::1/129", "prefix length out of range");
        check("1.2.3.4/", "bad bits after slash: \"\"");
        check("1.2.3.4/08", "bad bits after slash: \"08\"");
        check("1.2.3.4/-1", "bad bits after slash: \"-1\"");
        check("1.2.3.4/1x", "bad bits after slash: \"1x\"");
        check("1.2.3/8", "ParseAddr(\"1.2.3\"): IPv4 address too short");
        check("fe80::1%a/8", "IPv6 zones cannot be present in a prefix");
        assert_eq!(
            Network::parse("::ffff:1.2.3.4/24"),
            Err("IPv4-mapped IPv6 address \"::ffff:1.2.3.4/24\" is not allowed".to_owned())
        );
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
            let [network, other] = [network, other].map(|text| Network::parse(text).expect(text));
            assert_eq!(network.contains_network(other), expected, "{network:?} {other:?}");
        }
        for (text, expected, bytes) in [
            ("192.168.0.1/24", "192.168.0.0/24", 3),
            ("1.2.3.4/0", "0.0.0.0/0", 0),
            ("1.2.3.4/32", "1.2.3.4/32", 4),
            ("2001:db8:ffff::1/33", "2001:db8:8000::/33", 5),
            ("ffff::1/0", "::/0", 0),
        ] {
            let network = Network::parse(text).expect(text);
            assert_eq!((network.masked().to_text().as_str(), network.size()), (expected, bytes), "{text}");
        }
    }
}
