//! Event and EndpointSlice.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/> and
//! <https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/>.

use std::collections::HashSet;
use std::net::IpAddr;

use serde_json::Value;

use super::{
    read::{at, get, list, same, text},
    values::one_of,
};
use crate::field::{Error, Path};
use crate::validation::{metadata::immutable, name};

/// What is wrong with an event of the core group.
pub(super) fn create_core(object: &Value) -> Vec<Error> {
    let namespace = text(at(object, "/metadata"), "namespace");
    let regarding =
        get(object, "involvedObject").or_else(|| get(object, "regarding")).unwrap_or(&Value::Null);
    let about = text(regarding, "namespace");
    // What lives in no namespace has its events in the namespace default.
    let agrees = if about.is_empty() { matches!(namespace, "" | "default") } else { about == namespace };
    if agrees {
        return Vec::new();
    }
    let path = Path::new("involvedObject").child("namespace");
    vec![Error::invalid(&path, about, "does not match event.namespace")]
}

/// What is wrong with an event of the group events.k8s.io.
pub(super) fn create(object: &Value) -> Vec<Error> {
    let mut errors = create_core(object);
    if get(object, "eventTime").is_none() {
        errors.push(Error::required(&Path::new("eventTime"), ""));
    }
    let kind = text(object, "type");
    if !matches!(kind, "Normal" | "Warning") {
        errors.push(Error::invalid(&Path::new("type"), "", format!("has invalid value: {kind}")));
    }
    errors
}

/// What is wrong with an endpoint slice.
pub(super) fn create_slice(object: &Value) -> Vec<Error> {
    let kind = text(object, "addressType");
    let mut errors = Vec::new();
    if kind.is_empty() {
        errors.push(Error::required(&Path::new("addressType"), ""));
    }
    errors.extend(one_of(object, "addressType", &["FQDN", "IPv4", "IPv6"], &Path::default()));
    let mut names = HashSet::new();
    for (index, port) in list(object, "ports").iter().enumerate() {
        let path = Path::new("ports").index(index);
        let (at, this) = (path.child("name"), text(port, "name"));
        if !this.is_empty() {
            errors.extend(name::label(this).into_iter().map(|why| Error::invalid(&at, this, why)));
        }
        if !names.insert(this) {
            errors.push(Error::duplicate(&at, this));
        }
        errors.extend(one_of(port, "protocol", &["SCTP", "TCP", "UDP"], &path));
    }
    for (index, endpoint) in list(object, "endpoints").iter().enumerate() {
        let path = Path::new("endpoints").index(index).child("addresses");
        let addresses = list(endpoint, "addresses");
        if addresses.is_empty() {
            errors.push(Error::required(&path, "must contain at least 1 address"));
        }
        for address in addresses.iter().filter_map(Value::as_str) {
            let parsed = address.parse::<IpAddr>();
            let right = match kind {
                "IPv4" => parsed.is_ok_and(|address| address.is_ipv4()),
                "IPv6" => parsed.is_ok_and(|address| address.is_ipv6()),
                _ => true,
            };
            if !right {
                errors.push(Error::invalid(&path, address, format!("must be an {kind} address")));
            }
        }
    }
    errors
}

/// What is wrong with a change of an endpoint slice. Endpoints that stay as they were are not looked at again.
pub(super) fn update_slice(object: &Value, old: &Value) -> Vec<Error> {
    let kept = ["endpoints", "ports"].iter().all(|field| same(get(object, field), get(old, field)));
    let mut errors = if kept { Vec::new() } else { create_slice(object) };
    let kind = text(object, "addressType");
    if kind != text(old, "addressType") {
        errors.push(immutable(&Path::new("addressType"), kind.into()));
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn events() {
        let event =
            |about: &str| json!({"metadata": {"namespace": "a"}, "involvedObject": {"namespace": about}});
        check(&create_core(&event("a")), "");
        check(
            &create_core(&event("default")),
            "involvedObject.namespace: Invalid value: \"default\": does not match event.namespace",
        );
        check(
            &create(&event("")),
            "[involvedObject.namespace: Invalid value: \"\": does not match event.namespace, \
             eventTime: Required value, type: Invalid value: \"\": has invalid value: ]",
        );
    }

    #[test]
    fn endpoint_slices() {
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
        let old = json!({"addressType": "IPv4", "endpoints": [{"addresses": ["1.2.3.4"]}]});
        check(&update_slice(&slice, &old), "addressType: Invalid value: \"IPv6\": field is immutable");
    }
}
