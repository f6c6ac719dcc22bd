//! IP families of services, in a cluster whose services have IPv4 addresses.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/dual-stack/>

use std::collections::HashSet;
use std::net::IpAddr;

use json_tree::Value;

use super::addresses::HEADLESS;
use super::{list, texts};
use crate::validation::address;
use apimachinery::typed_object::TypedObject;
use field::{AddError, Error, Path};

const IPV4: &str = "IPv4";
const IPV6: &str = "IPv6";
const FAMILIES: [&str; 2] = [IPV4, IPV6];
const SINGLE: &str = "SingleStack";
const PREFER: &str = "PreferDualStack";
const REQUIRE: &str = "RequireDualStack";

/// Checks families, policy and addresses against each other, and fills in the families and the policy.
pub(super) fn fill(spec: &mut TypedObject<'_>, was: Option<&Value>) -> Result<(), Vec<Error>> {
    if spec.text("type") == "ExternalName" || was.is_some_and(|was| prefers_as_before(spec, was)) {
        return Ok(());
    }
    let selectorless =
        spec.text("clusterIP") == HEADLESS && spec.map("selector").is_none_or(|map| map.is_empty());
    if spec.get("ipFamilyPolicy").is_none() {
        let before = was.map(|was| was.text("ipFamilyPolicy")).filter(|policy| !policy.is_empty());
        spec.set("ipFamilyPolicy", before.unwrap_or(if selectorless { REQUIRE } else { SINGLE }));
    }
    finish(check(spec))?;
    let mut errors = was.map(|was| reduce(spec, was)).unwrap_or_default();
    let policy = spec.text("ipFamilyPolicy").to_owned();
    let (addresses, mut families) = (list(spec, "clusterIPs"), list(spec, "ipFamilies"));
    let path = Path::new("spec");
    for (count, what) in [(addresses.len(), "cluster IPs"), (families.len(), "IP families")] {
        if policy == SINGLE && count == 2 {
            let why =
                format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified");
            errors.invalid(path.child("ipFamilyPolicy"), SINGLE, why);
        }
    }
    for (index, address) in addresses.iter().enumerate().take_while(|(_, address)| *address != HEADLESS) {
        match family(address) {
            _ if index < families.len() => {}
            Some(IPV4) => families.push(IPV4.to_owned()),
            other => {
                let why = format!("{} is not configured on this cluster", other.unwrap_or_default());
                errors.invalid(path.child("clusterIPs").index(index), addresses.clone(), why);
            }
        }
    }
    finish(errors)?;
    if !selectorless {
        finish(unconfigured(&policy, &families))?;
    }
    if families.is_empty() {
        families.push(IPV4.to_owned());
    }
    // Without selector and address, the families are what somebody else makes of them, so both are offered.
    if selectorless && policy != SINGLE && families.len() < 2 {
        families.push(if families[0] == IPV4 { IPV6 } else { IPV4 }.to_owned());
    }
    spec.set("ipFamilies", families);
    Ok(())
}

/// A service that only prefers two families stays as it is when the cluster gains or loses one.
fn prefers_as_before(spec: &TypedObject<'_>, was: &Value) -> bool {
    spec.text("ipFamilyPolicy") == PREFER
        && was.text("ipFamilyPolicy") == PREFER
        && spec.text("clusterIP") == was.text("clusterIP")
        && list(spec, "clusterIPs") == texts(was, "clusterIPs")
        && list(spec, "ipFamilies") == texts(was, "ipFamilies")
}

/// Validates the fields before any address is looked for.
fn check(spec: &TypedObject<'_>) -> Vec<Error> {
    let path = Path::new("spec");
    let (single, policy) = (spec.text("clusterIP"), spec.text("ipFamilyPolicy"));
    let (addresses, families) = (list(spec, "clusterIPs"), list(spec, "ipFamilies"));
    let plural = path.child("clusterIPs");
    let mut errors = Vec::new();
    match addresses.first() {
        None if !single.is_empty() => errors.required(&plural, ""),
        Some(_) if single.is_empty() => {
            let why = "must be empty when `clusterIP` is not specified";
            errors.invalid(&plural, addresses.clone(), why);
        }
        Some(first) if first != single => {
            errors.invalid(&plural, addresses.clone(), "first value must match `clusterIP`");
        }
        _ => {}
    }
    let mut seen = HashSet::new();
    for (index, own) in families.iter().enumerate() {
        let at = path.child("ipFamilies").index(index);
        if !FAMILIES.contains(&own.as_str()) {
            errors.not_supported(&at, own.as_str(), &FAMILIES);
        }
        if !seen.insert(own) {
            errors.duplicate(&at, own.as_str());
        }
    }
    if ![SINGLE, PREFER, REQUIRE].contains(&policy) {
        errors.not_supported(path.child("ipFamilyPolicy"), policy, &[PREFER, REQUIRE, SINGLE]);
    }
    let mut malformed = false;
    for (index, address) in addresses.iter().enumerate() {
        if index == 0 && address == HEADLESS {
            if addresses.len() > 1 {
                malformed = true;
                errors.invalid(&plural, addresses.clone(), "'None' must be the first and only value");
            }
        } else if let Some(error) = address::ip(address, &plural.index(index)) {
            malformed = true;
            errors.push(error);
        }
    }
    if addresses.len() > 2 {
        errors.invalid(&plural, addresses.clone(), "may only hold up to 2 values");
    }
    if malformed {
        return errors;
    }
    let both = FAMILIES.iter().all(|own| addresses.iter().any(|address| family(address) == Some(*own)));
    if addresses.len() > 1 && !both {
        let why = "may specify no more than one IP for each IP family";
        errors.invalid(&plural, addresses.clone(), why);
    }
    for (index, (address, own)) in std::iter::zip(&addresses, &families).enumerate() {
        if let Some(real) = family(address)
            && FAMILIES.contains(&own.as_str())
            && real != own
        {
            let why = format!("expected an {own} value as indicated by `ipFamilies[{index}]`");
            errors.invalid(plural.index(index), address.as_str(), why);
        }
    }
    errors
}

/// Whoever goes back to one family says so by the policy.
fn reduce(spec: &mut TypedObject<'_>, was: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let single = spec.text("ipFamilyPolicy") == SINGLE;
    for (field, what) in [("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")] {
        let (own, before) = (list(spec, field), texts(was, field));
        if single && own == before && own.len() > 1 {
            spec.set(field, own[..1].to_vec());
        } else if !single && own.len() == 1 && before.len() == 2 {
            let policy = spec.text("ipFamilyPolicy");
            let why = format!("must be 'SingleStack' to release the secondary {what}");
            errors.invalid(Path::new("spec").child("ipFamilyPolicy"), policy, why);
        }
    }
    errors
}

/// Returns the errors for IP families and policies that are not configured on this cluster.
fn unconfigured(policy: &str, families: &[String]) -> Vec<Error> {
    let path = Path::new("spec");
    let mut errors = Vec::new();
    if policy == REQUIRE {
        let why = "this cluster is not configured for dual-stack services";
        errors.invalid(path.child("ipFamilyPolicy"), policy, why);
    }
    for (index, own) in families.iter().enumerate().filter(|(_, own)| *own != IPV4) {
        let at = path.child("ipFamilies").index(index);
        errors.invalid(&at, own.as_str(), "not configured on this cluster");
    }
    errors
}

fn family(address: &str) -> Option<&'static str> {
    match address::parse_ip(address) {
        Some(IpAddr::V4(_)) => Some(IPV4),
        Some(IpAddr::V6(_)) => Some(IPV6),
        None => None,
    }
}

fn finish(errors: Vec<Error>) -> Result<(), Vec<Error>> {
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
