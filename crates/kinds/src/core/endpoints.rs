//! The kind Endpoints.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/#endpoints>.

mod printer;
mod warnings;

use json_tree::Value;

use crate::core::service::PROTOCOLS;
use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::checks::{named, optional_name, subdomain};
use crate::validation::read::{get, integer, list, text};
use crate::validation::values::{one_of, port_number};
use crate::validation::{address, name};
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

pub(crate) fn node_name(of: &Value, path: &Path) -> Vec<Error> {
    let node = get(of, "nodeName").and_then(Value::as_str);
    node.map(|node| named(node, subdomain, &path.child("nodeName"))).unwrap_or_default()
}

pub(crate) fn protocols(port: &Value, path: &Path) -> Vec<Error> {
    let mut errors: Vec<Error> = one_of(port, "protocol", &PROTOCOLS, path).into_iter().collect();
    if let Some(protocol) = get(port, "appProtocol").and_then(Value::as_str) {
        errors.extend(named(protocol, name::qualified_name, &path.child("appProtocol")));
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
}
