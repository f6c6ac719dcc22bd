//! The kind NetworkPolicy.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/network-policies/>.

mod printer;
mod warnings;

use json_tree::Value;

use crate::kind::{Checks, Generation, Kind, Printer, Strategy, TRACKED};
use crate::validation::address::{cidr, parse_cidr};
use crate::validation::checks::texts;
use crate::validation::label_selector;
use crate::validation::read::{at, get, integer, list, text};
use crate::validation::values::{one_of, port_name, port_number};
use field::{AddError, Error, Path};

/// The kind NetworkPolicy.
pub(crate) struct NetworkPolicy;

impl Kind for NetworkPolicy {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "networkpolicies";
    const STRATEGY: Strategy = Strategy { generation: Generation::ExactSpec, ..TRACKED };

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a NetworkPolicy.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = label_selector::validate(at(spec, "/podSelector"), &path.child("podSelector"));
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in list(spec, direction).iter().enumerate() {
            let path = path.child(direction).index(index);
            for (index, port) in list(rule, "ports").iter().enumerate() {
                errors.extend(policy_port(port, &path.child("ports").index(index)));
            }
            for (index, one) in list(rule, peers).iter().enumerate() {
                errors.extend(peer(one, &path.child(peers).index(index)));
            }
        }
    }
    let (types, path) = (list(spec, "policyTypes"), path.child("policyTypes"));
    if types.len() > 2 {
        errors.invalid(&path, types.to_vec(), "may not specify more than two policyTypes");
        return errors;
    }
    for (index, one) in types.iter().enumerate() {
        if one != "Ingress" && one != "Egress" {
            errors.not_supported(path.index(index), one.clone(), &["Ingress", "Egress"]);
        }
    }
    errors
}

/// Validates an updated NetworkPolicy.
fn update(object: &Value, _old: &Value) -> Vec<Error> {
    create(object)
}

fn policy_port(port: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    errors.extend(one_of(port, "protocol", &["TCP", "UDP", "SCTP"], path));
    let (at, end) = (path.child("endPort"), integer(port, "endPort"));
    match (get(port, "port"), end) {
        (Some(Value::String(this)), _) => {
            if let Some(end) = end {
                let why = "may not be specified when `port` is non-numeric";
                errors.invalid(&at, end, why);
            }
            let path = path.child("port");
            errors.extend(port_name(this).into_iter().map(|why| Error::invalid(&path, this.as_str(), why)));
        }
        (Some(number), _) => {
            let number = number.as_i64().unwrap_or_default();
            errors.extend(port_number(number, &path.child("port")));
            if let Some(end) = end {
                if end < number {
                    errors.invalid(&at, number, "must be greater than or equal to `port`");
                }
                errors.extend(port_number(end, &at));
            }
        }
        (None, Some(end)) => {
            errors.invalid(&at, end, "may not be specified when `port` is not specified");
        }
        (None, None) => {}
    }
    errors
}

fn peer(peer: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut selectors = 0;
    for field in ["podSelector", "namespaceSelector"] {
        if let Some(selector) = get(peer, field) {
            selectors += 1;
            errors.extend(label_selector::validate(selector, &path.child(field)));
        }
    }
    match (get(peer, "ipBlock"), selectors) {
        (None, 0) => errors.required(path, "must specify a peer"),
        (None, _) => {}
        (Some(ip_block), selectors) => {
            errors.extend(block(ip_block, &path.child("ipBlock")));
            if selectors > 0 {
                errors.forbidden(path, "may not specify both ipBlock and another peer");
            }
        }
    }
    errors
}

/// Validates an IP block: its CIDR and the ranges that it excepts.
fn block(block: &Value, path: &Path) -> Vec<Error> {
    let (at, whole) = (path.child("cidr"), text(block, "cidr"));
    if whole.is_empty() {
        return vec![Error::required(&at, "")];
    }
    let mut errors: Vec<Error> = cidr(whole, &at).into_iter().collect();
    let Some(whole) = parse_cidr(whole) else { return errors };
    for (index, except) in texts(block, "except").into_iter().enumerate() {
        let at = path.child("except").index(index);
        errors.extend(cidr(except, &at));
        if parse_cidr(except).is_some_and(|part| part.bits <= whole.bits || !whole.contains(part.address)) {
            errors.invalid(&at, except, "must be a strict subset of `cidr`");
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn policies() {
        let policy = |spec: Value| create(&json!({ "spec": spec }));
        check(&policy(json!({"podSelector": {}})), "");
        check(
            &policy(json!({"ingress": [{"from": [{}]}]})),
            "spec.ingress[0].from[0]: Required value: must specify a peer",
        );
        check(
            &policy(json!({"egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}]}]})),
            "spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer",
        );
        check(
            &policy(json!({"policyTypes": ["Sideways"]})),
            "spec.policyTypes[0]: Unsupported value: \"Sideways\": supported values: \"Ingress\", \"Egress\"",
        );
        check(
            &policy(json!({"policyTypes": ["Ingress", "Egress", "Ingress"]})),
            "spec.policyTypes: Invalid value: [\"Ingress\",\"Egress\",\"Ingress\"]: may not specify more than two policyTypes",
        );
    }

    #[test]
    fn ports() {
        let ports = |ports: Value| create(&json!({"spec": {"ingress": [{"ports": ports}]}}));
        check(
            &ports(json!([{"port": 80, "endPort": 70}, {"endPort": 70}, {"port": "X", "endPort": 70}])),
            "[spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`, \
             spec.ingress[0].ports[1].endPort: Invalid value: 70: may not be specified when `port` is not specified, \
             spec.ingress[0].ports[2].endPort: Invalid value: 70: may not be specified when `port` is non-numeric, \
             spec.ingress[0].ports[2].port: Invalid value: \"X\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-), \
             spec.ingress[0].ports[2].port: Invalid value: \"X\": must contain at least one letter (a-z)]",
        );
    }

    #[test]
    fn blocks() {
        let check = |cidr: &str, except: &str, expected: &str| {
            check(&block(&json!({"cidr": cidr, "except": [except]}), &Path::new("ipBlock")), expected);
        };
        check("10.0.0.0/8", "10.1.0.0/16", "");
        check("::/0", "2001:db8::/64", "");
        check("0.0.0.0/0", "10.0.0.0/8", "");
        let strict = "ipBlock.except[0]: Invalid value: \"10.0.0.0/8\": must be a strict subset of `cidr`";
        check("10.0.0.0/8", "10.0.0.0/8", strict);
        check("11.0.0.0/8", "10.0.0.0/8", strict);
        check(
            "1.2.3",
            "1.2.3.0/24",
            "ipBlock.cidr: Invalid value: \"1.2.3\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        );
        check(
            "10.0.0.0/8",
            "10.1.2.3/16",
            "ipBlock.except[0]: Invalid value: \"10.1.2.3/16\": must not have bits set beyond the prefix length",
        );
    }
}
