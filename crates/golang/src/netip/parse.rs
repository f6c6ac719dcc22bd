//! Addresses out of text.

use std::net::IpAddr;

use crate::strconv::quote;

/// An address of which the zone, if any, is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addr {
    /// The address as it was written: an IPv4 address in an IPv6 one is one of IPv6.
    pub address: IpAddr,
    /// Is true if the text names a zone.
    pub zone: bool,
}

/// Reads an address, as Go's `netip.ParseAddr` does.
///
/// # Errors
/// Go's text.
///
/// ```
/// use golang::netip::parse_addr;
///
/// let why = parse_addr("10.0.0.01").unwrap_err();
/// assert_eq!(why, "ParseAddr(\"10.0.0.01\"): IPv4 field has octet with leading zero");
/// ```
pub fn parse_addr(text: &str) -> Result<Addr, String> {
    let complain = |why: &str, at: &str| {
        let at = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
        format!("ParseAddr({}): {why}{at}", quote(text))
    };
    match text.find(['.', ':', '%']) {
        Some(at) if text[at..].starts_with('.') => {
            let four = parse_four(text).map_err(|(why, at)| complain(why, at))?;
            Ok(Addr { address: IpAddr::V4(four.into()), zone: false })
        }
        Some(at) if text[at..].starts_with(':') => {
            let (six, zone) = text.split_once('%').map_or((text, None), |(six, zone)| (six, Some(zone)));
            if zone == Some("") {
                return Err(complain("zone must be a non-empty string", ""));
            }
            let six = parse_six(six).map_err(|(why, at)| complain(why, at))?;
            Ok(Addr { address: IpAddr::V6(six.into()), zone: zone.is_some() })
        }
        Some(_) => Err(complain("missing IPv6 address", "")),
        None => Err(complain("unable to parse IP", "")),
    }
}

/// The complaint, and the rest of the text from where it is wrong.
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

#[cfg(test)]
mod tests {
    use super::*;

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
            let found = parse_addr(text).map(|addr| addr.address.to_string());
            assert_eq!(found.as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_explained_as_go_does() {
        let check = |text: &str, why: &str| {
            assert_eq!(parse_addr(text), Err(format!("ParseAddr({}): {why}", quote(text))));
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
    }

    #[test]
    fn zones_and_addresses_within_addresses() {
        for (text, zone, mapped) in
            [("fe80::1%eth0", true, false), ("::ffff:1.2.3.4", false, true), ("::1.2.3.4", false, false)]
        {
            let addr = parse_addr(text).expect(text);
            assert_eq!((addr.zone, crate::netip::is_4_in_6(addr.address)), (zone, mapped), "{text}");
        }
    }
}
