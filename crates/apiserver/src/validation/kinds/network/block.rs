//! Blocks of addresses.

use std::net::IpAddr;

use serde_json::Value;

use super::super::read::{list, text};
use crate::field::{Error, Path};

const NO_BLOCK: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/// What is wrong with a block and what it leaves out.
pub(super) fn validate(block: &Value, path: &Path) -> Vec<Error> {
    let (at, cidr) = (path.child("cidr"), text(block, "cidr"));
    if cidr.is_empty() {
        return vec![Error::required(&at, "")];
    }
    let Some(whole) = parse(cidr) else {
        return vec![Error::invalid(&at, cidr, NO_BLOCK)];
    };
    let mut errors = Vec::new();
    for (index, except) in list(block, "except").iter().enumerate() {
        let (at, except) = (path.child("except").index(index), except.as_str().unwrap_or_default());
        match parse(except) {
            None => errors.push(Error::invalid(&at, except, NO_BLOCK)),
            Some(part) if !contains(whole, part) => {
                errors.push(Error::invalid(&at, except, "must be a strict subset of `cidr`"));
            }
            Some(_) => {}
        }
    }
    errors
}

/// An address and how many bits of it count.
fn parse(cidr: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = cidr.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let length = length.parse().ok().filter(|_| length.bytes().all(|b| b.is_ascii_digit()))?;
    (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
}

fn contains((whole, length): (IpAddr, u32), (part, longer): (IpAddr, u32)) -> bool {
    let prefix = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(address.to_bits()).checked_shr(32 - length).unwrap_or_default(),
        IpAddr::V6(address) => address.to_bits().checked_shr(128 - length).unwrap_or_default(),
    };
    whole.is_ipv4() == part.is_ipv4() && longer > length && prefix(whole) == prefix(part)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(cidr: &str, except: &str, expected: &[&str]) {
        let errors = validate(&json!({"cidr": cidr, "except": [except]}), &Path::new("ipBlock"));
        assert_eq!(errors.iter().map(Error::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn blocks() {
        check("10.0.0.0/8", "10.1.0.0/16", &[]);
        check("::/0", "2001:db8::/64", &[]);
        check("0.0.0.0/0", "10.0.0.0/8", &[]);
        let strict = "ipBlock.except[0]: Invalid value: \"10.0.0.0/8\": must be a strict subset of `cidr`";
        check("10.0.0.0/8", "10.0.0.0/8", &[strict]);
        check("11.0.0.0/8", "10.0.0.0/8", &[strict]);
        check(
            "1.2.3",
            "1.2.3.0/24",
            &[
                "ipBlock.cidr: Invalid value: \"1.2.3\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ],
        );
    }
}
