//! Endpoints and EndpointSlice.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/>.

mod printer;
mod warnings;

use std::collections::HashSet;

use json_tree::Value;

use super::service::PROTOCOLS;
use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::checks::{domain_name, go_value, named, optional_name, subdomain, texts};
use crate::validation::read::{at, get, integer, list, map, same, text};
use crate::validation::values::{one_of, port_number};
use crate::validation::{address, metadata, name};
use field::{AddError, Error, Path};

/// The kind Endpoints.
pub(crate) struct Endpoints;

impl Kind for Endpoints {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "endpoints";
    const DEPRECATION: Option<&'static str> =
        Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
    const STORAGE_PREFIX: Option<&'static str> = Some("services/endpoints");
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const TYPES: [&str; 3] = ["FQDN", "IPv4", "IPv6"];
const MAX_ENDPOINTS: usize = 1000;
const MAX_ADDRESSES: usize = 100;
const MAX_PORTS: usize = 20_000;
const MAX_TOPOLOGY: usize = 16;
const MAX_HINTS: usize = 8;

/// Validates Endpoints.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    for (index, subset) in list(object, "subsets").iter().enumerate() {
        let path = Path::new("subsets").index(index);
        let groups = ["addresses", "notReadyAddresses"];
        if groups.iter().all(|group| list(subset, group).is_empty()) {
            errors.required(&path, "must specify `addresses` or `notReadyAddresses`");
        }
        for group in groups {
            for (index, one) in list(subset, group).iter().enumerate() {
                errors.extend(endpoint_address(one, &path.child(group).index(index)));
            }
        }
        let ports = list(subset, "ports");
        for (index, port) in ports.iter().enumerate() {
            let path = path.child("ports").index(index);
            if ports.len() > 1 && text(port, "name").is_empty() {
                errors.required(path.child("name"), "");
            }
            errors.extend(optional_name(port, "name", name::label, &path));
            let number = integer(port, "port").unwrap_or_default();
            errors.extend(port_number(number, &path.child("port")));
            errors.extend(protocols(port, &path));
        }
    }
    errors
}

fn endpoint_address(of: &Value, path: &Path) -> Vec<Error> {
    let (ip, at) = (text(of, "ip"), path.child("ip"));
    let mut errors: Vec<Error> = address::ip(ip, &at).into_iter().collect();
    errors.extend(optional_name(of, "hostname", name::label, path));
    errors.extend(node_name(of, path));
    errors.extend(address::special(ip, &at));
    errors
}

fn node_name(of: &Value, path: &Path) -> Vec<Error> {
    let node = get(of, "nodeName").and_then(Value::as_str);
    node.map(|node| named(node, subdomain, &path.child("nodeName"))).unwrap_or_default()
}

fn protocols(port: &Value, path: &Path) -> Vec<Error> {
    let mut errors: Vec<Error> = one_of(port, "protocol", &PROTOCOLS, path).into_iter().collect();
    if let Some(protocol) = get(port, "appProtocol").and_then(Value::as_str) {
        errors.extend(named(protocol, name::qualified_name, &path.child("appProtocol")));
    }
    errors
}

/// Validates an EndpointSlice.
pub(crate) fn create_slice(object: &Value) -> Vec<Error> {
    let mut errors = address_type(object);
    errors.extend(ports(object));
    errors.extend(endpoints(object));
    errors
}

/// Validates an update of an EndpointSlice. Unchanged parts are not checked again.
pub(crate) fn update_slice(object: &Value, old: &Value) -> Vec<Error> {
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
    if text(object, "addressType").is_empty() {
        return vec![Error::required(Path::new("addressType"), "")];
    }
    one_of(object, "addressType", &TYPES, &Path::default()).into_iter().collect()
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
        if let Some(topology) = map(endpoint, "deprecatedTopology") {
            let at = path.child("deprecatedTopology");
            if topology.len() > MAX_TOPOLOGY {
                errors.too_many(&at, topology.len(), MAX_TOPOLOGY);
            }
            errors.extend(metadata::labels(topology, &at));
        }
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
    fn subsets() {
        check(
            &create(&json!({"subsets": [{"addresses": [{"ip": "10.1.2.3"}], "ports": [{"port": 80}]}]})),
            "",
        );
        check(
            &create(&json!({"subsets": [{}, {"addresses": [{"ip": "127.0.0.1", "nodeName": "A"}],
                "ports": [{"port": 0}, {"name": "a", "port": 1, "protocol": "ICMP"}]}]})),
            "[subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`, \
             subsets[1].addresses[0].nodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), \
             subsets[1].addresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128), \
             subsets[1].ports[0].name: Required value, \
             subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, \
             subsets[1].ports[1].protocol: Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\", \"UDP\"]",
        );
    }

    #[test]
    fn slices() {
        let slice = json!({"addressType": "IPv6", "endpoints": [{"addresses": ["1.2.3.4"]}]});
        check(
            &create_slice(&slice),
            "endpoints[0].addresses: Invalid value: \"1.2.3.4\": must be an IPv6 address",
        );
        check(&create_slice(&json!({})), "addressType: Required value");
        check(
            &create_slice(&json!({"addressType": "IPv4", "endpoints": [{}],
                "ports": [{"name": "x"}, {"name": "x", "protocol": "ICMP"}]})),
            "[ports[1].name: Duplicate value: \"x\", \
             ports[1].protocol: Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\", \"UDP\", \
             endpoints[0].addresses: Required value: must contain at least 1 address]",
        );
        let hints = json!({"forZones": [{"name": "a"}, {"name": "a"}]});
        check(
            &create_slice(
                &json!({"addressType": "FQDN", "endpoints": [{"addresses": ["a"], "hints": hints}]}),
            ),
            "[endpoints[0].addresses[0]: Invalid value: \"a\": should be a domain with at least two segments separated by dots, \
             endpoints[0].hints.forZones[1].name: Duplicate value: \"a\"]",
        );
        let old = json!({"addressType": "IPv4", "endpoints": [{"addresses": ["1.2.3.4"]}]});
        check(&update_slice(&slice, &old), "addressType: Invalid value: \"IPv6\": field is immutable");
    }
}
