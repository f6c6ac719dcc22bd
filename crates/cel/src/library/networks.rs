//! IP addresses and networks.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library> and
//! <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cidr-library>.

use std::net::IpAddr;

use golang::netip::{self, Addr, Prefix, is_4_in_6, parse_addr};
use golang::strconv::quote;

use super::{
    global, member, opaque,
    prices::{CHARACTER, ONE, READ, READ_TWICE, actual_size, size},
};
use crate::{
    error::Error,
    function::{Function, Price, Size, scale},
    types::Sig::{self, Bool, Int, Opaque as Of, String},
    value::Value,
};

const IP: Sig = Of("net.IP");
const CIDR: Sig = Of("net.CIDR");

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "ip",
        overloads: &[
            global!("string_to_ip", [String] => IP, READ, |Value::String(text)| {
                parse_address(text).map(Value::opaque)
            }),
            member!("cidr_ip", [CIDR] => IP, ONE, |network| {
                of::<Prefix>(network, |network| Value::opaque(network.address))
            }),
        ],
    },
    Function {
        name: "isIP",
        overloads: &[global!("is_ip", [String] => Bool, READ, |Value::String(text)| {
            Ok(Value::Bool(parse_address(text).is_ok()))
        })],
    },
    Function {
        name: "ip.isCanonical",
        overloads: &[global!("ip_is_canonical", [String] => Bool, READ_TWICE, |Value::String(text)| {
            let address = parse_address(text)?;
            Ok(Value::Bool(address.to_string() == **text))
        })],
    },
    Function {
        name: "family",
        overloads: &[member!("ip_family", [IP] => Int, ONE, |address| {
            of::<IpAddr>(address, |address| Value::Int(if address.is_ipv4() { 4 } else { 6 }))
        })],
    },
    Function {
        name: "isUnspecified",
        overloads: &[member!("ip_is_unspecified", [IP] => Bool, ONE, |ip| is(ip, |ip| ip.is_unspecified()))],
    },
    Function {
        name: "isLoopback",
        overloads: &[member!("ip_is_loopback", [IP] => Bool, ONE, |ip| is(ip, |ip| ip.is_loopback()))],
    },
    Function {
        name: "isLinkLocalMulticast",
        overloads: &[
            member!("ip_is_link_local_multicast", [IP] => Bool, ONE, |ip| is(ip, netip::is_link_local_multicast)),
        ],
    },
    Function {
        name: "isLinkLocalUnicast",
        overloads: &[
            member!("ip_is_link_local_unicast", [IP] => Bool, ONE, |ip| is(ip, netip::is_link_local_unicast)),
        ],
    },
    Function {
        name: "isGlobalUnicast",
        overloads: &[
            member!("ip_is_global_unicast", [IP] => Bool, ONE, |ip| is(ip, netip::is_global_unicast)),
        ],
    },
    Function {
        name: "string",
        overloads: &[
            global!("ip_to_string", [IP] => String, ONE, |address| {
                of::<IpAddr>(address, |address| Value::string(address.to_string()))
            }),
            global!("cidr_to_string", [CIDR] => String, ONE, |network| {
                of::<Prefix>(network, |network| Value::string(network.to_string()))
            }),
        ],
    },
    Function {
        name: "cidr",
        overloads: &[global!("string_to_cidr", [String] => CIDR, READ, |Value::String(text)| {
            network(text).map(Value::opaque)
        })],
    },
    Function {
        name: "isCIDR",
        overloads: &[global!("is_cidr", [String] => Bool, READ, |Value::String(text)| {
            Ok(Value::Bool(network(text).is_ok()))
        })],
    },
    Function {
        name: "containsIP",
        overloads: &[
            member!("cidr_contains_ip_string", [CIDR, String] => Bool, CONTAINS_TEXT, |network, Value::String(text)| {
                let address = parse_address(text)?;
                of::<Prefix>(network, |network| Value::Bool(network.contains(address)))
            }),
            member!("cidr_contains_ip_ip", [CIDR, IP] => Bool, CONTAINS, |network, address| {
                let Some(address) = address.downcast::<IpAddr>() else { return Err(Error::no_such_overload()) };
                of::<Prefix>(network, |network| Value::Bool(network.contains(*address)))
            }),
        ],
    },
    Function {
        name: "containsCIDR",
        overloads: &[
            member!("cidr_contains_cidr_string", [CIDR, String] => Bool, CONTAINS_NETWORK_TEXT,
            |outer, Value::String(text)| {
                let inner = network(text)?;
                of::<Prefix>(outer, |outer| Value::Bool(outer.contains_prefix(inner)))
            }),
            member!("cidr_contains_cidr", [CIDR, CIDR] => Bool, CONTAINS_NETWORK, |outer, inner| {
                let Some(inner) = inner.downcast::<Prefix>() else { return Err(Error::no_such_overload()) };
                of::<Prefix>(outer, |outer| Value::Bool(outer.contains_prefix(*inner)))
            }),
        ],
    },
    Function {
        name: "prefixLength",
        overloads: &[member!("cidr_prefix_length", [CIDR] => Int, ONE, |network| {
            of::<Prefix>(network, |network| Value::Int(i64::from(network.bits)))
        })],
    },
    Function {
        name: "masked",
        overloads: &[member!("cidr_masked", [CIDR] => CIDR, ONE, |network| {
            of::<Prefix>(network, |network| Value::opaque(network.masked()))
        })],
    },
];

/// The bytes of an address.
const BYTES: Size = Size::new(4, 16);

const CONTAINS: Price = Price::By {
    estimate: |_| (compared(), None),
    actual: |values, _| scale(2 * network_size(values), CHARACTER),
};

const CONTAINS_TEXT: Price = Price::By {
    estimate: |operands| (compared().plus(size(operands, 1).scaled(CHARACTER)), None),
    actual: |values, _| scale(2 * network_size(values), CHARACTER) + scale(actual_size(values, 1), CHARACTER),
};

const CONTAINS_NETWORK: Price =
    Price::By { estimate: |_| (masked_and_compared(), None), actual: |values, _| masking(values) };

const CONTAINS_NETWORK_TEXT: Price = Price::By {
    estimate: |operands| (masked_and_compared().plus(size(operands, 1).scaled(CHARACTER)), None),
    actual: |values, _| masking(values) + scale(actual_size(values, 1), CHARACTER),
};

fn compared() -> Size {
    BYTES.plus(BYTES).scaled(CHARACTER)
}

fn masked_and_compared() -> Size {
    compared().plus(BYTES.scaled(CHARACTER)).plus(Size::exactly(1))
}

/// Returns the number of bytes that the prefix of a network takes; 1 of what is no network.
fn network_size(values: &[Value<'_>]) -> u64 {
    values
        .first()
        .and_then(Value::downcast::<Prefix>)
        .map_or(1, |network| u64::from(network.bits).div_ceil(8))
}

fn masking(values: &[Value<'_>]) -> u64 {
    let size = network_size(values);
    scale(2 * size, CHARACTER) + scale(size, CHARACTER) + 1
}

/// Reads an address: no zone, and no IPv4 address that is written as one of IPv6.
fn parse_address(text: &str) -> Result<IpAddr, Error> {
    let Addr { address, zone } = parse_addr(text).map_err(|why| {
        Error::Message(
            ["IP Address ", &quote(text), " parse error during conversion from string: ", &why].concat(),
        )
    })?;
    if zone {
        return Err(Error::Message(
            ["IP address ", &quote(text), " with zone value is not allowed"].concat(),
        ));
    }
    not_mapped(address, text).map(|()| address)
}

/// Reads a network, whose address is not one of IPv4 that is written as one of IPv6.
fn network(text: &str) -> Result<Prefix, Error> {
    // The texts of who reads and of who asks for it both say where it went wrong.
    const WHERE: &str = "network address parse error during conversion from string: ";
    let network = Prefix::parse(text).map_err(|why| Error::new([WHERE, WHERE, &why].concat()))?;
    not_mapped(network.address, text).map_err(|why| Error::new([WHERE, &why.to_string()].concat()))?;
    Ok(network)
}

fn not_mapped(address: IpAddr, text: &str) -> Result<(), Error> {
    if is_4_in_6(address) {
        return Err(Error::Message(["IPv4-mapped IPv6 address ", &quote(text), " is not allowed"].concat()));
    }
    Ok(())
}

fn of<'a, T: Copy + 'static>(value: &Value<'a>, f: impl Fn(T) -> Value<'a>) -> Result<Value<'a>, Error> {
    value.downcast().map(|value| f(*value)).ok_or_else(Error::no_such_overload)
}

/// Returns the result of a predicate for an address.
fn is<'a>(address: &Value<'a>, is: fn(IpAddr) -> bool) -> Result<Value<'a>, Error> {
    of::<IpAddr>(address, |address| Value::Bool(is(address)))
}

opaque!(IpAddr, "net.IP");
opaque!(Prefix, "net.CIDR");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_explained() {
        for (text, expected) in [
            (
                "",
                "IP Address \"\" parse error during conversion from string: ParseAddr(\"\"): unable to parse IP",
            ),
            ("fe80::1%eth0", "IP address \"fe80::1%eth0\" with zone value is not allowed"),
            ("::ffff:1.2.3.4", "IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed"),
        ] {
            assert_eq!(parse_address(text).map_err(|why| why.to_string()), Err(expected.to_owned()));
        }
    }

    #[test]
    fn what_is_no_network_is_explained() {
        for (text, expected) in [
            (
                "1.2.3.4",
                "network address parse error during conversion from string: network address parse error during \
                 conversion from string: netip.ParsePrefix(\"1.2.3.4\"): no '/'",
            ),
            (
                "::ffff:1.2.3.4/24",
                "network address parse error during conversion from string: IPv4-mapped IPv6 address \
                 \"::ffff:1.2.3.4/24\" is not allowed",
            ),
        ] {
            assert_eq!(network(text).map_err(|why| why.to_string()), Err(expected.to_owned()));
        }
    }

    #[test]
    fn the_bits_of_a_network_take_bytes() {
        for (text, expected) in [("192.168.0.1/24", 3), ("1.2.3.4/0", 0), ("2001:db8:ffff::1/33", 5)] {
            assert_eq!(network_size(&[network(text).map(Value::opaque).expect(text)]), expected);
        }
    }
}
