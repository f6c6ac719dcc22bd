//! IP addresses and networks.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library> and
//! <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cidr-library>.

use std::net::IpAddr;

use super::{
    address::{self, Network, parse_address},
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
                parse_address(text).map(Value::opaque).map_err(Error::Message)
            }),
            member!("cidr_ip", [CIDR] => IP, ONE, |network| {
                of::<Network>(network, |network| Value::opaque(network.address))
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
            let address = parse_address(text).map_err(Error::Message)?;
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
            member!("ip_is_link_local_multicast", [IP] => Bool, ONE, |ip| is(ip, address::is_link_local_multicast)),
        ],
    },
    Function {
        name: "isLinkLocalUnicast",
        overloads: &[
            member!("ip_is_link_local_unicast", [IP] => Bool, ONE, |ip| is(ip, address::is_link_local_unicast)),
        ],
    },
    Function {
        name: "isGlobalUnicast",
        overloads: &[
            member!("ip_is_global_unicast", [IP] => Bool, ONE, |ip| is(ip, address::is_global_unicast)),
        ],
    },
    Function {
        name: "string",
        overloads: &[
            global!("ip_to_string", [IP] => String, ONE, |address| {
                of::<IpAddr>(address, |address| Value::string(address.to_string()))
            }),
            global!("cidr_to_string", [CIDR] => String, ONE, |network| {
                of::<Network>(network, |network| Value::string(network.to_text()))
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
            Ok(Value::Bool(Network::parse(text).is_ok()))
        })],
    },
    Function {
        name: "containsIP",
        overloads: &[
            member!("cidr_contains_ip_string", [CIDR, String] => Bool, CONTAINS_TEXT, |network, Value::String(text)| {
                let address = parse_address(text).map_err(Error::Message)?;
                of::<Network>(network, |network| Value::Bool(network.contains(address)))
            }),
            member!("cidr_contains_ip_ip", [CIDR, IP] => Bool, CONTAINS, |network, address| {
                let Some(address) = address.downcast::<IpAddr>() else { return Err(Error::no_such_overload()) };
                of::<Network>(network, |network| Value::Bool(network.contains(*address)))
            }),
        ],
    },
    Function {
        name: "containsCIDR",
        overloads: &[
            member!("cidr_contains_cidr_string", [CIDR, String] => Bool, CONTAINS_NETWORK_TEXT,
            |outer, Value::String(text)| {
                let inner = network(text)?;
                of::<Network>(outer, |outer| Value::Bool(outer.contains_network(inner)))
            }),
            member!("cidr_contains_cidr", [CIDR, CIDR] => Bool, CONTAINS_NETWORK, |outer, inner| {
                let Some(inner) = inner.downcast::<Network>() else { return Err(Error::no_such_overload()) };
                of::<Network>(outer, |outer| Value::Bool(outer.contains_network(*inner)))
            }),
        ],
    },
    Function {
        name: "prefixLength",
        overloads: &[member!("cidr_prefix_length", [CIDR] => Int, ONE, |network| {
            of::<Network>(network, |network| Value::Int(i64::from(network.bits)))
        })],
    },
    Function {
        name: "masked",
        overloads: &[member!("cidr_masked", [CIDR] => CIDR, ONE, |network| {
            of::<Network>(network, |network| Value::opaque(network.masked()))
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

fn network_size(values: &[Value<'_>]) -> u64 {
    values.first().and_then(Value::downcast::<Network>).map_or(1, |network| network.size())
}

fn masking(values: &[Value<'_>]) -> u64 {
    let size = network_size(values);
    scale(2 * size, CHARACTER) + scale(size, CHARACTER) + 1
}

fn network(text: &str) -> Result<Network, Error> {
    // The texts of who reads and of who asks for it both say where it went wrong.
    Network::parse(text).map_err(|why| {
        Error::new(["network address parse error during conversion from string: ", &why].concat())
    })
}

fn of<'a, T: Copy + 'static>(value: &Value<'a>, f: impl Fn(T) -> Value<'a>) -> Result<Value<'a>, Error> {
    value.downcast().map(|value| f(*value)).ok_or_else(Error::no_such_overload)
}

/// What a question about an address is answered.
fn is<'a>(address: &Value<'a>, is: fn(IpAddr) -> bool) -> Result<Value<'a>, Error> {
    of::<IpAddr>(address, |address| Value::Bool(is(address)))
}

opaque!(IpAddr, "net.IP");
opaque!(Network, "net.CIDR");
