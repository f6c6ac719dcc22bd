//! NetworkPolicy, Ingress and IngressClass.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/network-policies/> and
//! <https://kubernetes.io/docs/concepts/services-networking/ingress/>.

mod block;

use std::net::IpAddr;

use serde_json::Value;

use super::{
    label_selector,
    read::{at, get, integer, list, text},
    values::{port_name, port_number},
};
use crate::field::{Error, Path};
use crate::validation::{metadata::immutable, name};

const PATH_TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];

pub(super) fn create_policy(object: &Value) -> Vec<Error> {
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
        errors.push(Error::invalid(&path, types.to_vec(), "may not specify more than two policyTypes"));
        return errors;
    }
    for (index, one) in types.iter().enumerate() {
        if one != "Ingress" && one != "Egress" {
            errors.push(Error::not_supported(&path.index(index), one.clone(), &["Ingress", "Egress"]));
        }
    }
    errors
}

pub(super) fn update_policy(object: &Value, _old: &Value) -> Vec<Error> {
    create_policy(object)
}

fn policy_port(port: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let protocol = text(port, "protocol");
    if !matches!(protocol, "" | "TCP" | "UDP" | "SCTP") {
        errors.push(Error::not_supported(&path.child("protocol"), protocol, &["TCP", "UDP", "SCTP"]));
    }
    let (at, end) = (path.child("endPort"), integer(port, "endPort"));
    match (get(port, "port"), end) {
        (Some(Value::String(this)), _) => {
            if let Some(end) = end {
                let why = "may not be specified when `port` is non-numeric";
                errors.push(Error::invalid(&at, end, why));
            } else {
                let path = path.child("port");
                errors
                    .extend(port_name(this).into_iter().map(|why| Error::invalid(&path, this.as_str(), why)));
            }
        }
        (Some(number), _) => {
            let number = number.as_i64().unwrap_or_default();
            errors.extend(port_number(number, &path.child("port")));
            if let Some(end) = end {
                if end < number {
                    errors.push(Error::invalid(&at, number, "must be greater than or equal to `port`"));
                }
                errors.extend(port_number(end, &at));
            }
        }
        (None, Some(end)) => {
            errors.push(Error::invalid(&at, end, "may not be specified when `port` is not specified"));
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
        (None, 0) => errors.push(Error::required(path, "must specify a peer")),
        (None, _) => {}
        (Some(ip_block), selectors) => {
            errors.extend(block::validate(ip_block, &path.child("ipBlock")));
            if selectors > 0 {
                errors.push(Error::forbidden(path, "may not specify both ipBlock and another peer"));
            }
        }
    }
    errors
}

pub(super) fn create_ingress(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (rules, default) = (list(spec, "rules"), get(spec, "defaultBackend"));
    let mut errors = Vec::new();
    if rules.is_empty() && default.is_none() {
        let why = "either `defaultBackend` or `rules` must be specified";
        errors.push(Error::invalid(&path, Value::Null, why));
    }
    errors.extend(default.into_iter().flat_map(|default| backend(default, &path.child("defaultBackend"))));
    for (index, rule) in rules.iter().enumerate() {
        errors.extend(ingress_rule(rule, &path.child("rules").index(index)));
    }
    for (index, tls) in list(spec, "tls").iter().enumerate() {
        let path = path.child("tls").index(index).child("hosts");
        for (index, host) in list(tls, "hosts").iter().enumerate() {
            errors.extend(host_name(host.as_str().unwrap_or_default(), &path.index(index)));
        }
    }
    if let Some(class) = get(spec, "ingressClassName").and_then(Value::as_str) {
        let path = path.child("ingressClassName");
        errors.extend(name::subdomain(class).into_iter().map(|why| Error::invalid(&path, class, why)));
    }
    errors
}

pub(super) fn update_ingress(object: &Value, _old: &Value) -> Vec<Error> {
    create_ingress(object)
}

fn ingress_rule(rule: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (at, host) = (path.child("host"), text(rule, "host"));
    if !host.is_empty() {
        if host.parse::<IpAddr>().is_ok() {
            errors.push(Error::invalid(&at, host, "must be a DNS name, not an IP address"));
        }
        errors.extend(host_name(host, &at));
    }
    if let Some(http) = get(rule, "http") {
        let (paths, path) = (list(http, "paths"), path.child("http").child("paths"));
        if paths.is_empty() {
            errors.push(Error::required(&path, ""));
        }
        for (index, one) in paths.iter().enumerate() {
            errors.extend(http_path(one, &path.index(index)));
        }
    }
    errors
}

/// A host, whose first label may be `*`.
fn host_name(host: &str, path: &Path) -> Vec<Error> {
    let complaints = if host.contains('*') { name::wildcard_subdomain(host) } else { name::subdomain(host) };
    complaints.into_iter().map(|why| Error::invalid(path, host, why)).collect()
}

fn http_path(one: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (at, this) = (path.child("path"), text(one, "path"));
    match text(one, "pathType") {
        "" => return vec![Error::required(&path.child("pathType"), "pathType must be specified")],
        "Exact" | "Prefix" => {
            if !this.starts_with('/') {
                errors.push(Error::invalid(&at, this, "must be an absolute path"));
            }
            let parts = ["//", "/./", "/../", "%2f", "%2F"].into_iter().filter(|part| this.contains(part));
            errors.extend(parts.map(|part| Error::invalid(&at, this, format!("must not contain '{part}'"))));
            let ends = ["/..", "/."].into_iter().filter(|end| this.ends_with(end));
            errors.extend(ends.map(|end| Error::invalid(&at, this, format!("cannot end with '{end}'"))));
        }
        "ImplementationSpecific" => {
            if !this.is_empty() && !this.starts_with('/') {
                errors.push(Error::invalid(&at, this, "must be an absolute path"));
            }
        }
        other => errors.push(Error::not_supported(&path.child("pathType"), other, &PATH_TYPES)),
    }
    errors.extend(backend(self::at(one, "/backend"), &path.child("backend")));
    errors
}

fn backend(backend: &Value, path: &Path) -> Vec<Error> {
    let service = match (get(backend, "service"), get(backend, "resource")) {
        (Some(_), Some(_)) => {
            return vec![Error::invalid(path, "", "cannot set both resource and service backends")];
        }
        (None, None) => return vec![Error::invalid(path, "", "resource or service backend is required")],
        (None, Some(resource)) => {
            let path = path.child("resource");
            let missing = ["kind", "name"].into_iter().filter(|field| text(resource, field).is_empty());
            return missing.map(|field| Error::required(&path.child(field), "")).collect();
        }
        (Some(service), None) => service,
    };
    let mut errors = Vec::new();
    let (at, this) = (path.child("service").child("name"), text(service, "name"));
    if this.is_empty() {
        errors.push(Error::required(&at, ""));
    } else {
        errors.extend(name::label(this).into_iter().map(|why| Error::invalid(&at, this, why)));
    }
    let (port, at) = (self::at(service, "/port"), path.child("service").child("port"));
    let (named, number) = (text(port, "name"), integer(port, "number").unwrap_or_default());
    match (named, number) {
        ("", 0) => errors.push(Error::required(path, "port name or number is required")),
        ("", number) => errors.extend(port_number(number, &at.child("number"))),
        (named, 0) => {
            let at = at.child("name");
            errors.extend(port_name(named).into_iter().map(|why| Error::invalid(&at, named, why)));
        }
        _ => errors.push(Error::invalid(path, "", "cannot set both port name & port number")),
    }
    errors
}

pub(super) fn create_ingress_class(object: &Value) -> Vec<Error> {
    let (controller, path) = (text(at(object, "/spec"), "controller"), Path::new("spec").child("controller"));
    match controller.split_once('/') {
        _ if controller.is_empty() => vec![Error::required(&path, "")],
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => {
            name::subdomain(host).into_iter().map(|why| Error::invalid(&path, host, why)).collect()
        }
        _ => {
            let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            vec![Error::invalid(&path, controller, why)]
        }
    }
}

pub(super) fn update_ingress_class(object: &Value, old: &Value) -> Vec<Error> {
    let controller = at(object, "/spec/controller");
    if controller == at(old, "/spec/controller") {
        return Vec::new();
    }
    vec![immutable(&Path::new("spec").child("controller"), controller.clone())]
}

#[cfg(test)]
mod tests;
