//! The ranges of cluster IPs: those of the ServiceCIDRs that are ready.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/>

use std::net::{IpAddr, Ipv4Addr};

use json_tree::Value;

use crate::kind::Objects;
use crate::validation::address::parse_cidr;
use crate::validation::checks::texts;
use crate::validation::read::at;

/// The keys of ServiceCIDRs begin with this.
const PREFIX: &str = "/registry/servicecidrs/";

/// A range of addresses of IPv4, the family in which services get theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The range as it is written.
    pub(super) cidr: String,
    /// The first address that a service can have. That before it is the network's.
    first: u32,
    /// The last address that a service can have. That after it is for broadcasts.
    last: u32,
    /// The first and the last address of the network.
    network: (u32, u32),
}

impl Range {
    /// Reads a range such as `10.96.0.0/16`; `None` for one of IPv6.
    fn parse(cidr: &str) -> Option<Self> {
        let block = parse_cidr(cidr)?;
        let IpAddr::V4(address) = block.address else { return None };
        let host = u32::MAX.checked_shr(block.bits.into()).unwrap_or_default();
        let network = (address.to_bits() & !host, address.to_bits() | host);
        let (first, last) = (network.0.saturating_add(1), network.1.saturating_sub(1));
        Some(Self { cidr: cidr.to_owned(), first, last, network })
    }

    /// Reports whether an address is in the network.
    pub(super) fn contains(&self, address: Ipv4Addr) -> bool {
        (self.network.0..=self.network.1).contains(&address.to_bits())
    }

    /// Reports whether a service can have an address.
    pub(super) fn allows(&self, address: Ipv4Addr) -> bool {
        (self.first..=self.last).contains(&address.to_bits())
    }

    /// Returns the address that a dry run shows: that of the network.
    pub(super) fn base(&self) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.network.0)
    }

    /// Returns the addresses that a service can have, in the order in which those are given that ask for none. The low end is left to
    /// those who ask for an address, until there are no others.
    pub(super) fn addresses(&self) -> impl Iterator<Item = Ipv4Addr> {
        let low = self.first.max(self.network.0 + self.reserved());
        (low..=self.last).chain(self.first..low).map(Ipv4Addr::from_bits)
    }

    /// Returns the number of addresses at the low end: a sixteenth, at least 16 and at most 256; none of a range of 16 or fewer.
    fn reserved(&self) -> u32 {
        match self.network.1 - self.network.0 {
            0..16 => 0,
            size => (size / 16).clamp(16, 256),
        }
    }
}

/// Returns the ranges of the ServiceCIDRs that are ready and stay, in the order of their names; that of the cluster before all.
pub(super) fn ready(objects: &dyn Objects) -> Vec<Range> {
    let mut ranges = Vec::new();
    objects.each(PREFIX, &mut |found| {
        let object = Value::Object(found.tree());
        let deleted = at(&object, "/metadata/deletionTimestamp") != &Value::Null;
        let mut conditions = at(&object, "/status/conditions").as_array().into_iter().flatten();
        let ready = conditions.find(|condition| at(condition, "/type") == "Ready");
        let is_ready = ready.is_none_or(|condition| at(condition, "/status") == "True");
        if deleted || !is_ready {
            return;
        }
        let own = texts(at(&object, "/spec"), "cidrs").into_iter().filter_map(Range::parse);
        if found.name() == "kubernetes" {
            ranges.splice(0..0, own);
        } else {
            ranges.extend(own);
        }
    });
    ranges
}

/// Reports whether a service can have an address from a ServiceCIDR, be that ready or not.
pub fn is_in_one(objects: &dyn Objects, address: IpAddr) -> bool {
    let mut is_in_one = false;
    objects.each(PREFIX, &mut |found| {
        let object = Value::Object(found.tree());
        for cidr in texts(at(&object, "/spec"), "cidrs") {
            is_in_one |= match address {
                IpAddr::V4(address) => Range::parse(cidr).is_some_and(|range| range.allows(address)),
                IpAddr::V6(_) => parse_cidr(cidr)
                    .is_some_and(|block| block.contains(address) && block.masked().address != address),
            };
        }
    });
    is_in_one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cidr: &str, expected: Option<(&str, &str, &str, usize)>) {
        let found = Range::parse(cidr).map(|range| {
            let all: Vec<String> = range.addresses().map(|address| address.to_string()).collect();
            let end = |address: Option<&String>| address.cloned().unwrap_or_default();
            (range.base().to_string(), end(all.first()), end(all.last()), all.len())
        });
        let expected =
            expected.map(|(base, first, last, count)| (base.into(), first.into(), last.into(), count));
        assert_eq!(found, expected, "{cidr}");
    }

    #[test]
    fn addresses_of_ranges() {
        check("10.96.0.0/16", Some(("10.96.0.0", "10.96.1.0", "10.96.0.255", 65_534)));
        check("10.0.0.0/24", Some(("10.0.0.0", "10.0.0.16", "10.0.0.15", 254)));
        check("10.0.0.0/28", Some(("10.0.0.0", "10.0.0.1", "10.0.0.14", 14)));
        check("10.0.0.4/30", Some(("10.0.0.4", "10.0.0.5", "10.0.0.6", 2)));
        check("10.0.0.4/31", Some(("10.0.0.4", "", "", 0)));
        check("0.0.0.0/32", Some(("0.0.0.0", "", "", 0)));
        check("255.255.255.255/32", Some(("255.255.255.255", "", "", 0)));
        check("2001:db8::/64", None);
        check("garbage", None);
    }
}
