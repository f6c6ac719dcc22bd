//! The traffic to a service: load balancers, policies, health checks.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/#loadbalancer> and
//! <https://kubernetes.io/docs/reference/networking/virtual-ips/#traffic-policies>.

use json_tree::Value;

use crate::validation::checks::{named, supported, texts};
use crate::validation::read::{at, get, integer, list, text};
use crate::validation::values::{one_of, port_number};
use crate::validation::{address, name};
use field::{AddError, Error, Path};

const POLICIES: [&str; 2] = ["Cluster", "Local"];
const DISTRIBUTIONS: [&str; 3] = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const ADDRESS_MODES: [&str; 2] = ["Proxy", "VIP"];
const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
const BALANCED_ONLY: &str = "may only be used when `type` is 'LoadBalancer'";

/// Validates how traffic reaches the service.
pub(super) fn validate(object: &Value, path: &Path) -> Vec<Error> {
    let spec = at(object, "/spec");
    let mut errors = source_ranges(object, path);
    if get(spec, "allocateLoadBalancerNodePorts").is_some() && !is_balanced(spec) {
        errors.forbidden(path.child("allocateLoadBalancerNodePorts"), BALANCED_ONLY);
    }
    errors.extend(balancer_class(spec, path));
    let policy = text(spec, "externalTrafficPolicy");
    if is_reached_from_outside(spec) {
        errors.extend(one_of(spec, "externalTrafficPolicy", &POLICIES, path));
    } else if !policy.is_empty() {
        let why = "may only be set for externally-accessible services";
        errors.invalid(path.child("externalTrafficPolicy"), policy, why);
    }
    let port = integer(spec, "healthCheckNodePort").unwrap_or_default();
    let at_port = path.child("healthCheckNodePort");
    if needs_health_check(spec) {
        errors.extend(match port {
            0 => Some(Error::required(&at_port, "")),
            port => port_number(port, &at_port),
        });
    } else if port != 0 {
        let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        errors.invalid(&at_port, port, why);
    }
    for (field, known) in
        [("internalTrafficPolicy", POLICIES.as_slice()), ("trafficDistribution", DISTRIBUTIONS.as_slice())]
    {
        errors.extend(one_of(spec, field, known, path));
    }
    errors
}

fn is_balanced(spec: &Value) -> bool {
    text(spec, "type") == "LoadBalancer"
}

fn is_reached_from_outside(spec: &Value) -> bool {
    match text(spec, "type") {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !list(spec, "externalIPs").is_empty(),
        _ => false,
    }
}

/// Returns whether a load balancer checks the health of the service's nodes.
pub(super) fn needs_health_check(spec: &Value) -> bool {
    is_balanced(spec) && text(spec, "externalTrafficPolicy") == "Local"
}

/// Validates the class of the load balancer.
pub(super) fn balancer_class(spec: &Value, path: &Path) -> Vec<Error> {
    let Some(class) = get(spec, "loadBalancerClass").and_then(Value::as_str) else {
        return Vec::new();
    };
    let at = path.child("loadBalancerClass");
    if is_balanced(spec) {
        named(class, name::qualified_name, &at)
    } else {
        vec![Error::forbidden(&at, BALANCED_ONLY)]
    }
}

/// Validates the CIDRs that a load balancer accepts traffic from: those of the field or, without it, of the annotation.
fn source_ranges(object: &Value, path: &Path) -> Vec<Error> {
    let spec = at(object, "/spec");
    let ranges = texts(spec, "loadBalancerSourceRanges");
    let mut errors = Vec::new();
    if !ranges.is_empty() {
        let at = path.child("LoadBalancerSourceRanges");
        if !is_balanced(spec) {
            errors.forbidden(&at, BALANCED_ONLY);
        }
        let blocks = ranges.iter().enumerate();
        errors.extend(blocks.filter_map(|(index, block)| address::cidr(block.trim(), &at.index(index))));
    } else if let Some(ranges) = get(at(object, "/metadata/annotations"), SOURCE_RANGES) {
        let at = Path::new("metadata").child("annotations").key(SOURCE_RANGES);
        if !is_balanced(spec) {
            errors.forbidden(&at, BALANCED_ONLY);
        }
        let ranges = ranges.as_str().unwrap_or_default().trim();
        if !ranges.is_empty() {
            errors.extend(ranges.split(',').filter_map(|block| address::cidr(block.trim(), &at)));
        }
    }
    errors
}

/// Validates the status of a service: the addresses of its load balancer.
pub(crate) fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let ingresses = list(at(object, "/status/loadBalancer"), "ingress");
    let path = Path::new("status").child("loadBalancer").child("ingress");
    if !is_balanced(at(object, "/spec")) && !ingresses.is_empty() {
        return vec![Error::forbidden(&path, "may only be used when `spec.type` is 'LoadBalancer'")];
    }
    let mut errors = Vec::new();
    for (index, ingress) in ingresses.iter().enumerate() {
        let path = path.index(index);
        let (ip, mode) = (text(ingress, "ip"), get(ingress, "ipMode"));
        if !ip.is_empty() {
            errors.extend(address::ip(ip, &path.child("ip")));
        }
        let at = path.child("ipMode");
        match mode {
            None if !ip.is_empty() => {
                errors.required(&at, "must be specified when `ip` is set");
            }
            Some(_) if ip.is_empty() => {
                errors.forbidden(&at, "may not be specified when `ip` is not set");
            }
            Some(_) => errors.extend(supported(ingress, "ipMode", &ADDRESS_MODES, &path)),
            None => {}
        }
        errors.extend(host_of_balancer(ingress, &path));
    }
    errors
}

/// Validates the host name of a load balancer.
pub(crate) fn host_of_balancer(ingress: &Value, path: &Path) -> Vec<Error> {
    let (host, path) = (text(ingress, "hostname"), path.child("hostname"));
    if host.is_empty() {
        return Vec::new();
    }
    let mut errors = named(host, name::subdomain, &path);
    if address::parse_ip(host).is_some() {
        errors.invalid(&path, host, "must be a DNS name, not an IP address");
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(spec: impl Into<Value>, expected: &str) {
        check_errors(&validate(&json!({"spec": spec.into()}), &Path::new("spec")), expected);
    }

    #[test]
    fn policies() {
        check(json!({"type": "NodePort", "externalTrafficPolicy": "Local"}), "");
        check(
            json!({"type": "ClusterIP", "externalTrafficPolicy": "Local", "healthCheckNodePort": 1,
                "internalTrafficPolicy": "Far", "trafficDistribution": "Even"}),
            "[spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set for externally-accessible services, \
             spec.healthCheckNodePort: Invalid value: 1: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local', \
             spec.internalTrafficPolicy: Unsupported value: \"Far\": supported values: \"Cluster\", \"Local\", \
             spec.trafficDistribution: Unsupported value: \"Even\": supported values: \"PreferClose\", \"PreferSameZone\", \"PreferSameNode\"]",
        );
    }

    #[test]
    fn balancers() {
        check(
            json!({"type": "LoadBalancer", "loadBalancerSourceRanges": [" 10.0.0.0/8 "], "loadBalancerClass": "a.io/b"}),
            "",
        );
        check(
            json!({"type": "NodePort", "loadBalancerSourceRanges": ["10.0.0.1/8"], "loadBalancerClass": "a",
                "allocateLoadBalancerNodePorts": true}),
            "[spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer', \
             spec.LoadBalancerSourceRanges[0]: Invalid value: \"10.0.0.1/8\": must not have bits set beyond the prefix length, \
             spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer', \
             spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer']",
        );
        let service = |ty: &str, ingress: Value| json!({"spec": {"type": ty}, "status": {"loadBalancer": {"ingress": [ingress]}}});
        let status =
            |service: Value, expected: &str| check_errors(&update_status(&service, &Value::Null), expected);
        status(service("LoadBalancer", json!({"ip": "1.2.3.4", "ipMode": "VIP"})), "");
        status(
            service("LoadBalancer", json!({"hostname": "1.2.3.4", "ipMode": "VIP"})),
            "[status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set, \
             status.loadBalancer.ingress[0].hostname: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address]",
        );
        status(
            service("NodePort", json!({"ip": "1.2.3.4"})),
            "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
        );
    }
}
