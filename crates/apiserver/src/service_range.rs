//! The range of a cluster's own cluster IPs: that of the ServiceCIDR `kubernetes`.
//!
//! <https://kubernetes.io/docs/tasks/network/reconfigure-default-service-ip-ranges/>

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use golang::net::parse_cidr_sloppy;
use golang::netip::Prefix;

/// The number of bits that a range leaves at least: of 8 addresses.
const LEAST: u8 = 3;

/// The place of the address that clusters have their DNS at, by convention.
const DNS: u32 = 10;

/// The range of IPv4 that a cluster's Services get their addresses from, until somebody makes another ServiceCIDR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceRange {
    network: Ipv4Addr,
    bits: u8,
}

impl ServiceRange {
    /// The range that kube-apiserver has if it is told none.
    pub const OF_KUBE_APISERVER: Self = Self { network: Ipv4Addr::new(10, 0, 0, 0), bits: 24 };

    /// Returns the address of the Service `kubernetes`, by which what runs in the cluster reaches its API server.
    pub fn api_server(self) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.network.to_bits() | 1)
    }

    /// Returns the address that kubelets tell pods to ask for names: the tenth one, as kubeadm has it, as far as there are so many.
    pub fn dns(self) -> Ipv4Addr {
        let last = u32::MAX.checked_shr(self.bits.into()).unwrap_or_default().saturating_sub(1);
        Ipv4Addr::from_bits(self.network.to_bits() | DNS.min(last))
    }
}

impl Default for ServiceRange {
    fn default() -> Self {
        Self { network: Ipv4Addr::new(10, 96, 0, 0), bits: 16 }
    }
}

impl fmt::Display for ServiceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.bits)
    }
}

/// The error in a value of `--service-cluster-ip-range`: what kube-apiserver says of it, or why it cannot be used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceRangeError {
    /// The first range is none.
    First,
    /// There are too few addresses in it.
    TooSmall,
    /// The second range is none.
    Second,
    /// There are more than two.
    TooMany,
    /// Both are of one family.
    SameFamily,
    /// It is a range, or one of two, that no Service here has an address from.
    Ipv6,
}

impl fmt::Display for ServiceRangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "service-cluster-ip-range[0] is not a valid cidr",
            Self::TooSmall => {
                "error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP \
                 addresses"
            }
            Self::Second => "service-cluster-ip-range[1] is not an ip net",
            Self::TooMany => "--service-cluster-ip-range must not contain more than two entries",
            Self::SameFamily => {
                "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family"
            }
            Self::Ipv6 => {
                "--service-cluster-ip-range is one range of IPv4 here, for Services have no addresses of IPv6"
            }
        })
    }
}

impl std::error::Error for ServiceRangeError {}

/// Reads the value of `--service-cluster-ip-range`, which is one range here. An empty value is kube-apiserver's own range.
impl FromStr for ServiceRange {
    type Err = ServiceRangeError;

    fn from_str(text: &str) -> Result<Self, ServiceRangeError> {
        if text.is_empty() {
            return Ok(Self::OF_KUBE_APISERVER);
        }
        let mut entries = text.split(',');
        let first = entries.next().and_then(parse_cidr_sloppy).ok_or(ServiceRangeError::First)?;
        let most = if first.address.is_ipv4() { 32 } else { 128 };
        if most - first.bits < LEAST {
            return Err(ServiceRangeError::TooSmall);
        }
        if let Some(second) = entries.next() {
            let second = parse_cidr_sloppy(second).ok_or(ServiceRangeError::Second)?;
            return Err(if entries.next().is_some() {
                ServiceRangeError::TooMany
            } else if first.address.is_ipv4() == second.address.is_ipv4() {
                ServiceRangeError::SameFamily
            } else {
                ServiceRangeError::Ipv6
            });
        }
        let Prefix { address, bits } = first.masked();
        match address {
            IpAddr::V4(network) => Ok(Self { network, bits }),
            IpAddr::V6(_) => Err(ServiceRangeError::Ipv6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, ServiceRangeError>) {
        let read = text.parse::<ServiceRange>();
        let found = read.map(|range| format!("{range} {} {}", range.api_server(), range.dns()));
        assert_eq!(found.as_deref(), expected.as_ref().copied(), "{text}");
    }

    #[test]
    fn values() {
        use ServiceRangeError::{First, Ipv6, SameFamily, Second, TooMany, TooSmall};
        check("", Ok("10.0.0.0/24 10.0.0.1 10.0.0.10"));
        check("10.96.0.0/12", Ok("10.96.0.0/12 10.96.0.1 10.96.0.10"));
        check("010.1.2.3/08", Ok("10.0.0.0/8 10.0.0.1 10.0.0.10"));
        check("0.0.0.0/0", Ok("0.0.0.0/0 0.0.0.1 0.0.0.10"));
        check("10.0.0.8/29", Ok("10.0.0.8/29 10.0.0.9 10.0.0.14"));
        check("10.0.0.8/30", Err(TooSmall));
        check("10.0.0.8/32", Err(TooSmall));
        check("fd00::/126", Err(TooSmall));
        check("fd00::/64", Err(Ipv6));
        check("fd00::/108,10.0.0.0/16", Err(Ipv6));
        check("10.0.0.0/16,fd00::/108", Err(Ipv6));
        check("10.0.0.0/16,10.1.0.0/16", Err(SameFamily));
        check("10.0.0.0/16,x", Err(Second));
        check("10.0.0.0/16,", Err(Second));
        check("10.0.0.0/16,fd00::/108,x", Err(TooMany));
        for text in ["10.0.0.0", "10.0.0.0/33", " 10.0.0.0/16", ",10.0.0.0/16", "x/24"] {
            check(text, Err(First));
        }
    }

    #[test]
    fn the_default_is_none_of_kube_apiserver() {
        assert_eq!(ServiceRange::default().to_string(), "10.96.0.0/16");
    }
}
