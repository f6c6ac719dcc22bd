//! The kind Ingress.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/ingress/>.

mod printer;
mod warnings;

use json_tree::Value;

use crate::core::service::host_of_balancer;
use crate::kind::{Checks, Kind, Pass, Printer, Strategy, TRACKED, passes};
use crate::validation::checks::{go_value, named, optional_name, required_name, texts};
use crate::validation::read::{at, get, integer, list, text};
use crate::validation::values::{port_name, port_number};
use crate::validation::warnings::addresses;
use crate::validation::{address, name};
use field::{AddError, Error, Path};

/// The kind Ingress.
pub(crate) struct Ingress;

impl Kind for Ingress {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "ingresses";
    const STORAGE_PREFIX: Option<&'static str> = Some("ingress");
    const STRATEGY: Strategy = TRACKED;
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_new(only_new)
            .validate_part("status", update_status)
            .warn(warnings::warn)
            .warn_of_status(addresses::load_balancer_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const PATH_TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];

/// The annotation that chose an ingress class before there was a field.
pub const OLD_CLASS: &str = "kubernetes.io/ingress.class";

/// Validates an Ingress.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (rules, default) = (list(spec, "rules"), get(spec, "defaultBackend"));
    let mut errors = Vec::new();
    if rules.is_empty() && default.is_none() {
        let why = "either `defaultBackend` or `rules` must be specified";
        errors.invalid(&path, go_value(spec, "rules"), why);
    }
    errors.extend(default.into_iter().flat_map(|default| backend(default, &path.child("defaultBackend"))));
    for (index, rule) in rules.iter().enumerate() {
        errors.extend(ingress_rule(rule, &path.child("rules").index(index)));
    }
    for (index, tls) in list(spec, "tls").iter().enumerate() {
        let path = path.child("tls").index(index);
        for (index, host) in texts(tls, "hosts").into_iter().enumerate() {
            errors.extend(host_name(host, &path.child("hosts").index(index)));
        }
        errors.extend(optional_name(tls, "secretName", name::subdomain, &path));
    }
    if let Some(class) = get(spec, "ingressClassName").and_then(Value::as_str) {
        let path = path.child("ingressClassName");
        errors.extend(name::subdomain(class).into_iter().map(|why| Error::invalid(&path, class, why)));
    }
    errors
}

/// Validates a new Ingress: the checks that are made on creation only.
fn only_new(object: &Value) -> Vec<Error> {
    let annotated = get(at(object, "/metadata/annotations"), OLD_CLASS);
    let class = get(at(object, "/spec"), "ingressClassName");
    match (annotated, class) {
        (Some(annotated), Some(class)) if annotated != class => {
            let why = "must match `ingressClassName` when both are specified";
            let path = Path::new("annotations").child(OLD_CLASS);
            vec![Error::invalid(&path, annotated.clone(), why)]
        }
        _ => Vec::new(),
    }
}

/// Validates the status of an Ingress: the addresses of its load balancer.
fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let path = Path::new("status").child("loadBalancer").child("ingress");
    let mut errors = Vec::new();
    for (index, ingress) in list(at(object, "/status/loadBalancer"), "ingress").iter().enumerate() {
        let path = path.index(index);
        let ip = text(ingress, "ip");
        if !ip.is_empty() {
            errors.extend(address::ip(ip, &path.child("ip")));
        }
        errors.extend(host_of_balancer(ingress, &path));
    }
    errors
}

fn ingress_rule(rule: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (at, host) = (path.child("host"), text(rule, "host"));
    if !host.is_empty() {
        if address::parse_ip(host).is_some() {
            errors.invalid(&at, host, "must be a DNS name, not an IP address");
        }
        errors.extend(host_name(host, &at));
    }
    if let Some(http) = get(rule, "http") {
        let (paths, path) = (list(http, "paths"), path.child("http").child("paths"));
        if paths.is_empty() {
            errors.required(&path, "");
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
    match get(one, "pathType").and_then(Value::as_str) {
        None => return vec![Error::required(path.child("pathType"), "pathType must be specified")],
        Some("Exact" | "Prefix") => {
            if !this.starts_with('/') {
                errors.invalid(&at, this, "must be an absolute path");
            }
            let parts = ["//", "/./", "/../", "%2f", "%2F"].into_iter().filter(|part| this.contains(part));
            errors.extend(parts.map(|part| Error::invalid(&at, this, format!("must not contain '{part}'"))));
            let ends = ["/..", "/."].into_iter().filter(|end| this.ends_with(end));
            errors.extend(ends.map(|end| Error::invalid(&at, this, format!("cannot end with '{end}'"))));
        }
        Some("ImplementationSpecific") => {
            if !this.is_empty() && !this.starts_with('/') {
                errors.invalid(&at, this, "must be an absolute path");
            }
        }
        Some(other) => errors.not_supported(path.child("pathType"), other, &PATH_TYPES),
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
            return reference(resource, &path.child("resource"));
        }
        (Some(service), None) => service,
    };
    let mut errors = Vec::new();
    let (at, this) = (path.child("service").child("name"), text(service, "name"));
    if this.is_empty() {
        errors.required(&at, "");
    } else {
        errors.extend(name::label(this).into_iter().map(|why| Error::invalid(&at, this, why)));
    }
    let (port, at) = (self::at(service, "/port"), path.child("service").child("port"));
    let (named, number) = (text(port, "name"), integer(port, "number").unwrap_or_default());
    match (named, number) {
        ("", 0) => errors.required(path, "port name or number is required"),
        ("", number) => errors.extend(port_number(number, &at.child("number"))),
        (named, 0) => {
            let at = at.child("name");
            errors.extend(port_name(named).into_iter().map(|why| Error::invalid(&at, named, why)));
        }
        _ => errors.invalid(path, "", "cannot set both port name & port number"),
    }
    errors
}

/// Validates a reference to an object of any kind.
pub(super) fn reference(of: &Value, path: &Path) -> Vec<Error> {
    let group = get(of, "apiGroup").and_then(Value::as_str);
    let mut errors =
        group.map(|group| named(group, name::subdomain, &path.child("apiGroup"))).unwrap_or_default();
    for field in ["kind", "name"] {
        errors.extend(required_name(of, field, name::path_segment, path));
    }
    errors
}

#[cfg(test)]
mod tests;
