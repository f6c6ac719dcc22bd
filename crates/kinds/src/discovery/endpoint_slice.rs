//! The kind EndpointSlice.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/>.

mod printer;
mod warnings;

use std::collections::HashSet;

use json_tree::Value;

use crate::core::endpoints::{node_name, protocols};
use crate::kind::{Checks, DEFAULT, Generation, Kind, Pass, Printer, Strategy, passes};
use crate::validation::checks::{domain_name, go_value, named, optional_name, required_choice, texts};
use crate::validation::read::{at, get, list, same, text};
use crate::validation::{address, name};
use apimachinery::object::{self, METADATA_ORDER, Object, metadata_mut, set_in_order};
use field::{AddError, Error, Path};

/// The kind EndpointSlice.
pub(crate) struct EndpointSlice;

impl Kind for EndpointSlice {
    const GROUP: &'static str = "discovery.k8s.io";
    const RESOURCE: &'static str = "endpointslices";
    const STRATEGY: Strategy = Strategy {
        generation: Generation::SpecOrLabels,
        prepare_for_create: |slice| _ = drop_topology(slice),
        prepare_for_update,
        ..DEFAULT
    };
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const TYPES: [&str; 3] = ["FQDN", "IPv4", "IPv6"];
const MAX_ENDPOINTS: usize = 1000;
const MAX_ADDRESSES: usize = 100;
const MAX_PORTS: usize = 20_000;
const MAX_HINTS: usize = 8;

/// Drops what only v1beta1 could write. To have sent it makes a new generation.
fn prepare_for_update(slice: &mut Object, old: &Object) {
    if drop_topology(slice) {
        let before = object::metadata(old, "generation").and_then(Value::as_i64).unwrap_or_default();
        set_in_order(metadata_mut(slice), "generation", (before + 1).into(), METADATA_ORDER);
    }
}

/// Drops what only v1beta1 could write, and reports whether there was any.
fn drop_topology(slice: &mut Object) -> bool {
    let mut found = false;
    for endpoint in slice.get_mut("endpoints").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(endpoint) = endpoint {
            let topology = endpoint.shift_remove("deprecatedTopology");
            found |= topology.is_some_and(|topology| topology.as_object().is_some_and(|map| !map.is_empty()));
        }
    }
    found
}

/// Validates an EndpointSlice.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = address_type(object);
    errors.extend(ports(object));
    errors.extend(endpoints(object));
    errors
}

/// Validates an update of an EndpointSlice. Unchanged parts are not checked again.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let kept = |field: &str| same(get(object, field), get(old, field));
    let mut errors = address_type(object);
    if !kept("ports") {
        errors.extend(ports(object));
    }
    if !kept("endpoints") {
        errors.extend(endpoints(object));
    }
    if !kept("addressType") {
        let value = go_value(object, "addressType");
        errors.invalid(Path::new("addressType"), value, "field is immutable");
    }
    errors
}

fn address_type(object: &Value) -> Vec<Error> {
    Vec::from_iter(required_choice(object, "addressType", &TYPES, &Path::default()))
}

fn ports(object: &Value) -> Vec<Error> {
    let (ports, path) = (list(object, "ports"), Path::new("ports"));
    if ports.len() > MAX_PORTS {
        return vec![Error::too_many(&path, ports.len(), MAX_PORTS)];
    }
    let mut errors = Vec::new();
    let mut names = HashSet::new();
    for (index, port) in ports.iter().enumerate() {
        let path = path.index(index);
        let this = text(port, "name");
        errors.extend(optional_name(port, "name", name::label, &path));
        if !names.insert(this) {
            errors.duplicate(path.child("name"), this);
        }
        errors.extend(protocols(port, &path));
    }
    errors
}

fn endpoints(object: &Value) -> Vec<Error> {
    let (endpoints, path) = (list(object, "endpoints"), Path::new("endpoints"));
    if endpoints.len() > MAX_ENDPOINTS {
        return vec![Error::too_many(&path, endpoints.len(), MAX_ENDPOINTS)];
    }
    let kind = text(object, "addressType");
    let mut errors = Vec::new();
    for (index, endpoint) in endpoints.iter().enumerate() {
        let path = path.index(index);
        errors.extend(addresses(endpoint, kind, &path.child("addresses")));
        errors.extend(node_name(endpoint, &path));
        if let Some(host) = get(endpoint, "hostname").and_then(Value::as_str) {
            errors.extend(named(host, name::label, &path.child("hostname")));
        }
        let hints = at(endpoint, "/hints");
        for (field, rule) in [("forZones", name::label_value as fn(&str) -> _), ("forNodes", name::subdomain)]
        {
            let (hints, at) = (list(hints, field), path.child("hints").child(field));
            if hints.len() > MAX_HINTS {
                errors.too_many(&at, hints.len(), MAX_HINTS);
                break;
            }
            errors.extend(of_hints(hints, rule, &at));
        }
    }
    errors
}

fn addresses(endpoint: &Value, kind: &str, path: &Path) -> Vec<Error> {
    let addresses = texts(endpoint, "addresses");
    let mut errors = Vec::new();
    if addresses.is_empty() {
        errors.required(path, "must contain at least 1 address");
    } else if addresses.len() > MAX_ADDRESSES {
        errors.too_many(path, addresses.len(), MAX_ADDRESSES);
    }
    for (index, one) in addresses.into_iter().enumerate() {
        let at = path.index(index);
        if kind == "FQDN" {
            errors.extend(domain_name(one, &at));
        } else if matches!(kind, "IPv4" | "IPv6") {
            if let Some(error) = address::ip(one, &at) {
                errors.push(error);
                continue;
            }
            if address::parse_ip(one).is_some_and(|address| address.is_ipv4() != (kind == "IPv4")) {
                errors.invalid(path, one, format!("must be an {kind} address"));
            }
            errors.extend(address::special(one, &at));
        }
    }
    errors
}

fn of_hints(hints: &[Value], rule: fn(&str) -> Vec<String>, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut names: HashSet<&str> = HashSet::new();
    for (index, hint) in hints.iter().enumerate() {
        let (this, at) = (text(hint, "name"), path.index(index).child("name"));
        if names.contains(&this) {
            errors.duplicate(&at, this);
        }
        names.insert(this);
        errors.extend(named(this, rule, &at));
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn old_topology_makes_a_generation() {
        let check = |topology: Value, expected: i64| {
            let old = json!({"metadata": {"generation": 3}}).as_object().cloned().expect("an object");
            let sent =
                json!({"metadata": {"generation": 3}, "endpoints": [{"deprecatedTopology": topology}]});
            let mut slice = sent.as_object().cloned().expect("an object");
            prepare_for_update(&mut slice, &old);
            assert_eq!(
                Value::Object(slice),
                json!({"metadata": {"generation": expected}, "endpoints": [{}]})
            );
        };
        check(json!({"a": "b"}), 4);
        check(json!({}), 3);
    }

    #[test]
    fn slices() {
        let slice = json!({"addressType": "IPv6", "endpoints": [{"addresses": ["1.2.3.4"]}]});
        check(&create(&slice), "endpoints[0].addresses: Invalid value: \"1.2.3.4\": must be an IPv6 address");
        check(&create(&json!({})), "addressType: Required value");
        check(
            &create(&json!({"addressType": "IPv4", "endpoints": [{}],
                "ports": [{"name": "x"}, {"name": "x", "protocol": "ICMP"}]})),
            "[ports[1].name: Duplicate value: \"x\", \
             ports[1].protocol: Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\", \"UDP\", \
             endpoints[0].addresses: Required value: must contain at least 1 address]",
        );
        let hints = json!({"forZones": [{"name": "a"}, {"name": "a"}]});
        check(
            &create(&json!({"addressType": "FQDN", "endpoints": [{"addresses": ["a"], "hints": hints}]})),
            "[endpoints[0].addresses[0]: Invalid value: \"a\": should be a domain with at least two segments separated by dots, \
             endpoints[0].hints.forZones[1].name: Duplicate value: \"a\"]",
        );
        let old = json!({"addressType": "IPv4", "endpoints": [{"addresses": ["1.2.3.4"]}]});
        check(&update(&slice, &old), "addressType: Invalid value: \"IPv6\": field is immutable");
    }
}
