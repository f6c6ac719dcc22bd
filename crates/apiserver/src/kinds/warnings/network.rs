//! Services, endpoints, policies, nodes and Ingresses: what is deprecated, and how addresses are written.

use json_tree::Value;

use super::address;
use crate::kinds::warnings::{annotation, list};
use crate::validation::address::cidr_warnings;
use field::{Path, quote};

const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

pub(crate) fn service(service: &Value, _: Option<&Value>) -> Vec<String> {
    let spec = &service["spec"];
    let mut warnings = Vec::new();
    if annotation(service, TOPOLOGY_HINTS).is_some() {
        warnings.push(format!(
            "annotation {TOPOLOGY_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"
        ));
    }
    let path = Path::new("spec");
    let headless = spec.text("clusterIP") == "None";
    let named = spec.text("type") == "ExternalName";
    if !headless {
        warnings.extend(of_each(list(spec, "clusterIPs"), &path.child("clusterIPs"), of_ip));
    }
    let external = !list(spec, "externalIPs").is_empty();
    if headless {
        for (ignored, field) in [
            (!spec.text("loadBalancerIP").is_empty(), "spec.loadBalancerIP"),
            (external, "spec.externalIPs"),
            (spec.text("sessionAffinity") == "ClientIP", "spec.SessionAffinity"),
        ] {
            if ignored {
                warnings.push(format!("{field} is ignored for headless services"));
            }
        }
    }
    warnings.extend(of_each(list(spec, "externalIPs"), &path.child("externalIPs"), of_ip));
    if external && !headless && !named {
        warnings.push(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned(),
        );
    }
    warnings.extend(address::warning(spec.text("loadBalancerIP"), &path.child("loadBalancerIP")));
    let ranges = "loadBalancerSourceRanges";
    warnings.extend(of_each(list(spec, ranges), &path.child(ranges), of_cidr));
    if external && named {
        warnings.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if !named && !spec.text("externalName").is_empty() {
        warnings.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if spec.text("trafficDistribution") == "PreferClose" {
        let warning = "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"";
        warnings.push(warning.to_owned());
    }
    warnings
}

/// A function that returns the warnings about one value at its path.
type Look = fn(&Value, &Path) -> Vec<String>;

fn of_each(items: &[Value], path: &Path, look: Look) -> Vec<String> {
    items.iter().enumerate().flat_map(|(index, item)| look(item, &path.index(index))).collect()
}

fn of_ip(address: &Value, path: &Path) -> Vec<String> {
    address::warning(address.as_str().unwrap_or_default(), path).into_iter().collect()
}

fn of_cidr(block: &Value, path: &Path) -> Vec<String> {
    cidr_warnings(block.as_str().unwrap_or_default().trim(), path)
}

pub(crate) fn endpoints(endpoints: &Value, _: Option<&Value>) -> Vec<String> {
    of_each(list(endpoints, "subsets"), &Path::new("subsets"), |subset, path| {
        let of_group = |group: &str| {
            of_each(list(subset, group), &path.named(group), |address, path| {
                address::warning(address.text("ip"), &path.child("ip")).into_iter().collect()
            })
        };
        ["addresses", "notReadyAddresses"].into_iter().flat_map(of_group).collect()
    })
}

pub(crate) fn endpoint_slice(slice: &Value, _: Option<&Value>) -> Vec<String> {
    if slice.text("addressType") == "FQDN" {
        return Vec::new();
    }
    of_each(list(slice, "endpoints"), &Path::new("endpoints"), |endpoint, path| {
        of_each(list(endpoint, "addresses"), &path.child("addresses"), of_ip)
    })
}

pub(crate) fn policy(policy: &Value, _: Option<&Value>) -> Vec<String> {
    let (spec, path) = (&policy["spec"], Path::new("spec"));
    let mut warnings = Vec::new();
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in list(spec, rules).iter().enumerate() {
            let path = path.child(rules).index(index).child(peers);
            warnings.extend(of_each(list(rule, peers), &path, |peer, path| {
                let (block, path) = (&peer["ipBlock"], path.child("ipBlock"));
                let mut warnings = cidr_warnings(block.text("cidr"), &path.child("cidr"));
                warnings.extend(of_each(list(block, "except"), &path.child("except"), of_cidr));
                warnings
            }));
        }
    }
    warnings
}

pub(crate) fn node(node: &Value, _: Option<&Value>) -> Vec<String> {
    let (spec, path) = (&node["spec"], Path::new("spec"));
    let mut warnings = Vec::new();
    if spec.get("configSource").is_some_and(|source| !source.is_null()) {
        warnings.push("spec.configSource: the feature is removed".to_owned());
    }
    if !spec.text("externalID").is_empty() {
        let warning = "spec.externalID: this field is deprecated, and is unused by Kubernetes";
        warnings.push(warning.to_owned());
    }
    warnings.extend(of_each(list(spec, "podCIDRs"), &path.child("podCIDRs"), of_cidr));
    warnings
}

pub(crate) fn ingress(ingress: &Value, old: Option<&Value>) -> Vec<String> {
    let chosen = ingress["spec"].get("ingressClassName").is_some();
    if old.is_some() || chosen || annotation(ingress, INGRESS_CLASS).is_none() {
        return Vec::new();
    }
    vec![format!(
        "annotation {} is deprecated, please use 'spec.ingressClassName' instead",
        quote(INGRESS_CLASS)
    )]
}
