//! The status of a ResourceClaim: which devices it got, who uses them, and what their drivers say of them.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>.

use std::collections::HashSet;

use json_tree::Value;

use crate::resource::claim::{reference, references};
use crate::resource::device::{MAX_ITEMS, PACKAGE, binding_conditions, configuration, object_of, pool_name};
use crate::validation::checks::{
    distinct, driver_name, duplicates, each, named, required, required_choice, texts,
};
use crate::validation::read::{at, get, list, same, text};
use crate::validation::{address, condition, internal, name, node_selector};
use field::{AddError, Error, ErrorKind, Path, quote};

const MAX_RESERVED: usize = 256;
const MAX_CONDITIONS: usize = 8;
const MAX_DATA: usize = 10 * 1024;
const MAX_INTERFACE: usize = 256;
const MAX_HARDWARE: usize = 128;
const MAX_ADDRESSES: usize = 16;

/// Validates the status of a ResourceClaim.
pub(super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (status, was, path) = (at(object, "/status"), at(old, "/status"), Path::new("status"));
    let (reserved, at_reserved) = (list(status, "reservedFor"), path.child("reservedFor"));
    let mut errors = distinct(reserved, MAX_RESERVED, "uid", &at_reserved, |user, path| {
        required(user, &["resource", "name", "uid"], path)
    });
    let (allocation, at_allocation) = (get(status, "allocation"), path.child("allocation"));
    errors.extend(devices(list(status, "devices"), allocation, &path.child("devices")));
    let terminating = get(at(object, "/metadata"), "deletionTimestamp").is_some();
    let before = list(was, "reservedFor");
    if !reserved.is_empty() && allocation.is_none() {
        let why = "may not be specified when `allocated` is not set";
        errors.forbidden(&at_reserved, why);
    } else if terminating && reserved.iter().any(|user| !before.contains(user)) {
        let why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
        errors.forbidden(&at_reserved, why);
    }
    match (allocation, get(was, "allocation")) {
        (Some(new), Some(old)) if !same(Some(new), Some(old)) => {
            let value = internal::form(PACKAGE, "AllocationResult", new);
            errors.invalid(&at_allocation, value, "field is immutable");
        }
        (Some(allocation), None) => {
            let requests = list(at(object, "/spec/devices"), "requests");
            errors.extend(allocated(allocation, requests, &at_allocation));
        }
        _ => {}
    }
    errors
}

fn allocated(of: &Value, requests: &[Value], path: &Path) -> Vec<Error> {
    let (devices, at_devices) = (at(of, "/devices"), path.child("devices"));
    let results = list(devices, "results");
    let mut errors = each(results, MAX_ITEMS, &at_devices.child("results"), |result, path| {
        let mut errors = reference(text(result, "request"), requests, &path.child("request"));
        errors.extend(names(result, path));
        errors.extend(binding_conditions(result, path));
        errors.extend(share(result, path));
        errors
    });
    // Those of the claim, and those of the class.
    let (configs, max) = (list(devices, "config"), 2 * MAX_ITEMS);
    errors.extend(each(configs, max, &at_devices.child("config"), |config, path| {
        let source = required_choice(config, "source", &["FromClaim", "FromClass"], path);
        let mut errors: Vec<Error> = source.into_iter().collect();
        errors.extend(references(config, requests, &path.child("requests")));
        errors.extend(configuration(config, path));
        errors
    }));
    if let Some(selector) = get(of, "nodeSelector") {
        errors.extend(node_selector::validate(selector, &path.child("nodeSelector")));
    }
    errors
}

/// Validates the names that identify a device: its driver, its pool and its own name.
fn names(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = driver_name(text(of, "driver"), &path.child("driver"));
    errors.extend(pool_name(text(of, "pool"), &path.child("pool")));
    errors.extend(named(text(of, "device"), name::label, &path.child("device")));
    errors
}

/// Validates the ID of a share of a device.
fn share(of: &Value, path: &Path) -> Option<Error> {
    let id = get(of, "shareID")?.as_str()?;
    let why = match not_uuid(id) {
        Some(why) => format!("error validating uid: {why}"),
        None if id.len() != 36 || id.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal \
             characters"
                .to_owned()
        }
        None => return None,
    };
    Some(Error::invalid(path.child("shareID"), id, why))
}

/// Returns why a text is no UUID in any of the forms that there are.
fn not_uuid(text: &str) -> Option<String> {
    const PREFIX: &str = "urn:uuid:";
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let inner = match text.len() {
        36 => text,
        45 => match text.split_at_checked(PREFIX.len()) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case(PREFIX) => rest,
            Some((prefix, _)) => return Some(format!("invalid urn prefix: {}", quote(prefix))),
            None => return Some("invalid UUID format".to_owned()),
        },
        38 => match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(inner) => inner,
            None => return Some("invalid bracketed UUID format".to_owned()),
        },
        32 => return (!hex(text)).then(|| "invalid UUID format".to_owned()),
        length => return Some(format!("invalid UUID length: {length}")),
    };
    let right = inner.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && inner.split('-').all(hex);
    (!right).then(|| "invalid UUID format".to_owned())
}

/// A device, or a share of one, as messages name it.
fn identity(of: &Value) -> String {
    let names = ["driver", "pool", "device", "shareID"].map(|field| text(of, field));
    let given = if names[3].is_empty() { &names[..3] } else { &names[..] };
    given.join("/")
}

/// Validates the statuses that drivers report for the devices of an allocation.
fn devices(devices: &[Value], allocation: Option<&Value>, path: &Path) -> Vec<Error> {
    let results =
        allocation.map(|allocation| list(at(allocation, "/devices"), "results")).unwrap_or_default();
    let allocated: HashSet<String> = results.iter().map(identity).collect();
    let mut errors = each(devices, usize::MAX, path, |device, path| {
        let mut errors = names(device, path);
        errors.extend(share(device, path));
        let this = identity(device);
        if !allocated.contains(&this) {
            let why = format!("{this}: must be an allocated device in the claim");
            errors.push(plain(ErrorKind::Invalid, path, why));
        }
        let (conditions, at_conditions) = (list(device, "conditions"), path.child("conditions"));
        if conditions.len() > MAX_CONDITIONS {
            errors.too_many(&at_conditions, conditions.len(), MAX_CONDITIONS);
        }
        errors.extend(condition::validate(conditions, &at_conditions));
        if let Some(data) = get(device, "data") {
            errors.extend(object_of(Some(data), MAX_DATA, &path.child("data")));
        }
        errors.extend(network(at(device, "/networkData"), &path.child("networkData")));
        errors
    });
    let mut seen = HashSet::new();
    for (index, this) in devices.iter().map(identity).enumerate() {
        if !seen.insert(this.clone()) {
            errors.push(plain(ErrorKind::Duplicate, &path.index(index), this));
        }
    }
    errors
}

/// An error that shows no value, or one without quotes.
fn plain(kind: ErrorKind, path: &Path, detail: String) -> Error {
    Error { kind, field: path.to_string(), bad_value: None, detail }
}

fn network(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (field, max) in [("interfaceName", MAX_INTERFACE), ("hardwareAddress", MAX_HARDWARE)] {
        if text(of, field).len() > max {
            errors.too_long(path.child(field), max);
        }
    }
    let (addresses, path) = (texts(of, "ips"), path.child("ips"));
    errors.extend(each(&addresses, MAX_ADDRESSES, &path, |text, path| {
        interface_address(text).map(|why| Error::invalid(path, *text, why)).into_iter().collect()
    }));
    if addresses.len() <= MAX_ADDRESSES {
        errors.extend(duplicates(addresses.into_iter(), &path));
    }
    errors
}

/// Validates an IP address with the prefix length of its network.
fn interface_address(text: &str) -> Option<String> {
    let Some(block) = address::parse_cidr(text) else {
        return Some("must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)".to_owned());
    };
    let written = block.to_string();
    (written != text).then(|| format!("must be in canonical form ({})", quote(&written)))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn users() {
        check(
            &update(&json!({"status": {"reservedFor": [{"resource": "pods", "name": "p"}]}}), &json!({})),
            "[status.reservedFor[0].uid: Required value, status.reservedFor: Forbidden: may not be specified when `allocated` is not set]",
        );
    }

    #[test]
    fn allocations() {
        let claim = |device: Value| {
            json!({
                "spec": {"devices": {"requests": [{"name": "r"}]}},
                "status": {
                    "allocation": {"devices": {
                        "results": [{"request": "r", "driver": "d.io", "pool": "p", "device": "x"}],
                        "config": [{"source": "FromAir", "requests": ["r"], "opaque": {"driver": "d.io", "parameters": 1}}],
                    }},
                    "devices": [device],
                },
            })
        };
        check(
            &update(
                &claim(
                    json!({"driver": "d.io", "pool": "p", "device": "x", "networkData": {"ips": ["10.0.0.1/24", "10.0.0.1"]}}),
                ),
                &json!({}),
            ),
            "[status.devices[0].networkData.ips[1]: Invalid value: \"10.0.0.1\": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64), \
             status.allocation.devices.config[0].source: Unsupported value: \"FromAir\": supported values: \"FromClaim\", \"FromClass\", \
             status.allocation.devices.config[0].opaque.parameters: Invalid value: \"<value omitted>\": must be a valid JSON object]",
        );
        let other = claim(json!({"driver": "d.io", "pool": "p", "device": "y", "shareID": "1"}));
        check(
            &update(&other, &other),
            "[status.devices[0].shareID: Invalid value: \"1\": error validating uid: invalid UUID length: 1, \
             status.devices[0]: Invalid value: d.io/p/y/1: must be an allocated device in the claim]",
        );
    }
}
