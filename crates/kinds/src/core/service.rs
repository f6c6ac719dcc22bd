//! The kind Service.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/>.

pub(crate) mod printer;
mod strategy;
mod traffic;
mod warnings;

use std::collections::HashSet;

use json_tree::{Value, json};

use crate::kind::{Action, Checks, Kind, Pass, Printer, Strategy, Subresource};
use crate::validation::checks::{go_value, named, texts};
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, integer, list, map, same, text};
use crate::validation::values::{one_of, port_number, port_number_or_name};
use crate::validation::warnings::addresses;
use crate::validation::{address, metadata, name};
use apimachinery::selector::field::{SelectableFields, Source};
use field::{AddError, Error, Path};
pub use strategy::{PREFIX, held_addresses, ip_address, is_in_a_range};
pub(crate) use traffic::{host_of_balancer, update_status};

/// The kind Service.
pub(crate) struct Service;

impl Kind for Service {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "services";
    const STORAGE_PREFIX: Option<&'static str> = Some("services/specs");
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields::of(
        true,
        &[("spec.clusterIP", Source::At("/spec/clusterIP", "")), ("spec.type", Source::At("/spec/type", ""))],
    ));
    const STRATEGY: Strategy = strategy::STRATEGY;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("proxy", Subresource::Action(Action::ProxyService))];
    const NAME: NameRule = NameRule::Label;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Update, Pass::Spec];

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", update_status)
            .warn(warnings::warn)
            .warn_of_status(addresses::load_balancer_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const AFFINITIES: [&str; 2] = ["ClientIP", "None"];
pub(super) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
const MAX_AFFINITY: i64 = 86400;
const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY: &str = "service.kubernetes.io/topology-mode";

fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (kind, ports) = (text(spec, "type"), list(spec, "ports"));
    let headless = text(spec, "clusterIP") == "None";
    let mut errors: Vec<Error> = topology(at(object, "/metadata/annotations")).into_iter().collect();
    if ports.is_empty() && !headless && kind != "ExternalName" {
        errors.required(path.child("ports"), "");
    }
    errors.extend(of_type(spec, headless, &path));
    let mut names = HashSet::new();
    for (index, one) in ports.iter().enumerate() {
        errors.extend(port(one, ports.len() > 1, &mut names, &path.child("ports").index(index)));
    }
    if let Some(selector) = map(spec, "selector") {
        errors.extend(metadata::labels(selector, &path.child("selector")));
    }
    errors.extend(affinity(spec, &path));
    for (index, address) in cluster_ips(spec, &Value::Null).into_iter().enumerate() {
        if address != "None" && kind != "ExternalName" {
            errors.extend(address::ip(address, &path.child("clusterIPs").index(index)));
        }
    }
    for (index, address) in texts(spec, "externalIPs").into_iter().enumerate() {
        let path = path.child("externalIPs").index(index);
        match address::ip(address, &path) {
            Some(error) => errors.push(error),
            None => errors.extend(address::special(address, &path)),
        }
    }
    errors.extend(one_of(spec, "type", &TYPES, &path));
    errors.extend(node_ports(kind, ports, &path.child("ports")));
    errors.extend(duplicate_ports(ports, &path.child("ports")));
    errors.extend(traffic::validate(object, &path));
    errors
}

/// Validates the update of a service: the checks in addition to those of the new object.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = addresses_changed(spec, was, &path);
    let class = "loadBalancerClass";
    let balanced = |spec| text(spec, "type") == "LoadBalancer";
    if balanced(spec) && balanced(was) && !same(get(spec, class), get(was, class)) {
        errors.invalid(path.child(class), go_value(spec, class), "may not change once set");
    }
    errors.extend(traffic::balancer_class(spec, &path));
    if traffic::needs_health_check(spec)
        && traffic::needs_health_check(was)
        && integer(spec, "healthCheckNodePort") != integer(was, "healthCheckNodePort")
    {
        errors.forbidden(path.child("healthCheckNodePort"), "field is immutable");
    }
    errors
}

/// A service that keeps its kind of addresses keeps the first ones.
fn addresses_changed(spec: &Value, was: &Value, path: &Path) -> Vec<Error> {
    const CHANGED: &str = "may not change once set";
    let named = |spec: &Value| text(spec, "type") == "ExternalName";
    let mut errors = Vec::new();
    if named(spec) || named(was) {
        return errors;
    }
    let (new, before) = (cluster_ips(spec, was), cluster_ips(was, &Value::Null));
    let (headless, was_headless) = (new == ["None"], before == ["None"]);
    let at = path.child("clusterIPs");
    if !(headless && was_headless) {
        for index in released(&new, &before) {
            errors.invalid(at.index(index), new.clone(), CHANGED);
        }
    }
    let (families, old_families) = (texts(spec, "ipFamilies"), texts(was, "ipFamilies"));
    if headless == was_headless && !headless {
        let at = path.child("ipFamilies").index(0);
        let value = if families.len() == old_families.len() { &families } else { &new };
        let changed = released(&families, &old_families).len();
        errors.extend((0..changed).map(|_| Error::invalid(&at, value.clone(), CHANGED)));
    }
    errors
}

/// Which of the values that both lists have are others than before; of lists of different lengths, only the first counts.
fn released(new: &[&str], old: &[&str]) -> Vec<usize> {
    let compared = if new.len() == old.len() { new.len() } else { 1 };
    let pairs = std::iter::zip(new, old).take(compared).enumerate();
    pairs.filter(|(_, (new, old))| new != old).map(|(index, _)| index).collect()
}

fn topology(annotations: &Value) -> Option<Error> {
    let (hints, mode) = (get(annotations, HINTS)?, get(annotations, TOPOLOGY)?);
    let why = format!("must match annotations[{HINTS}] when both are specified");
    let path = Path::new("metadata").child("annotations").key(TOPOLOGY);
    (hints != mode).then(|| Error::invalid(&path, mode.clone(), why))
}

fn affinity(spec: &Value, path: &Path) -> Vec<Error> {
    const WHEN: &str = "when session affinity type is ClientIP";
    let mut errors: Vec<Error> = one_of(spec, "sessionAffinity", &AFFINITIES, path).into_iter().collect();
    let (config, path) = (get(spec, "sessionAffinityConfig"), path.child("sessionAffinityConfig"));
    match (text(spec, "sessionAffinity"), config) {
        ("None", Some(_)) => {
            errors.forbidden(&path, "must not be set when session affinity is None");
        }
        ("ClientIP", None) => errors.required(&path, WHEN),
        ("ClientIP", Some(config)) => {
            let path = path.child("clientIP");
            let at = path.child("timeoutSeconds");
            match get(config, "clientIP") {
                None => errors.required(&path, WHEN),
                Some(client) => match integer(client, "timeoutSeconds") {
                    None => errors.required(&at, WHEN),
                    Some(seconds) if !(1..=MAX_AFFINITY).contains(&seconds) => {
                        let why = format!("must be greater than 0 and less than {MAX_AFFINITY}");
                        errors.invalid(&at, seconds, why);
                    }
                    Some(_) => {}
                },
            }
        }
        _ => {}
    }
    errors
}

/// The addresses of a service. A client that changes the first alone, in `clusterIP`, means the list, too.
fn cluster_ips<'a>(spec: &'a Value, was: &Value) -> Vec<&'a str> {
    let listed = list(spec, "clusterIPs");
    let first = text(spec, "clusterIP");
    let stale = get(spec, "clusterIPs") == get(was, "clusterIPs") && first != text(was, "clusterIP");
    if listed.is_empty() || stale {
        return if first.is_empty() { Vec::new() } else { vec![first] };
    }
    listed.iter().filter_map(Value::as_str).collect()
}

fn of_type(spec: &Value, headless: bool, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    match text(spec, "type") {
        kind @ ("LoadBalancer" | "NodePort") if headless => {
            let why = format!("may not be set to 'None' for {kind} services");
            errors.invalid(path.child("clusterIPs").index(0), "None", why);
        }
        "ExternalName" => {
            if !cluster_ips(spec, &Value::Null).is_empty() {
                let why = "may not be set for ExternalName services";
                errors.forbidden(path.child("clusterIPs"), why);
            }
            for field in ["ipFamilies", "ipFamilyPolicy"] {
                if !same(get(spec, field), None) {
                    let why = "may not be set for ExternalName services";
                    errors.forbidden(path.child(field), why);
                }
            }
            let (at, host) = (path.child("externalName"), text(spec, "externalName"));
            let host = host.strip_suffix('.').unwrap_or(host);
            if host.is_empty() {
                errors.required(&at, "");
            } else {
                errors.extend(name::subdomain(host).into_iter().map(|why| Error::invalid(&at, host, why)));
            }
        }
        _ => {}
    }
    errors
}

fn port<'a>(port: &'a Value, must_be_named: bool, names: &mut HashSet<&'a str>, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (at, this) = (path.child("name"), text(port, "name"));
    if !this.is_empty() {
        errors.extend(name::label(this).into_iter().map(|why| Error::invalid(&at, this, why)));
        if !names.insert(this) {
            errors.duplicate(&at, this);
        }
    } else if must_be_named {
        errors.required(&at, "");
    }
    let number = integer(port, "port").unwrap_or_default();
    errors.extend(port_number(number, &path.child("port")));
    errors.extend(one_of(port, "protocol", &PROTOCOLS, path));
    // Without a target, the port is its own.
    let own = Value::from(number);
    let target = get(port, "targetPort").filter(|target| **target != 0 && **target != "").unwrap_or(&own);
    errors.extend(port_number_or_name(target, &path.child("targetPort")));
    if let Some(protocol) = get(port, "appProtocol").and_then(Value::as_str) {
        errors.extend(named(protocol, name::qualified_name, &path.child("appProtocol")));
    }
    errors
}

fn node_ports(kind: &str, ports: &[Value], path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    let number = |port: &Value| integer(port, "nodePort").filter(|number| *number != 0);
    let given = || {
        let numbered = ports.iter().enumerate();
        numbered.filter_map(|(index, port)| {
            Some((path.index(index).child("nodePort"), text(port, "protocol"), number(port)?))
        })
    };
    if matches!(kind, "" | "ClusterIP") {
        let why = "may not be used when `type` is 'ClusterIP'";
        errors.extend(given().map(|(at, ..)| Error::forbidden(&at, why)));
    }
    for (at, protocol, number) in given() {
        if !seen.insert((protocol, number)) {
            errors.duplicate(&at, number);
        }
    }
    errors
}

fn duplicate_ports(ports: &[Value], path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for (index, port) in ports.iter().enumerate() {
        let protocol = Some(text(port, "protocol")).filter(|protocol| !protocol.is_empty()).unwrap_or("TCP");
        let number = integer(port, "port").unwrap_or_default();
        if !seen.insert((protocol, number)) {
            let value = json!({"Name": "", "Protocol": protocol, "AppProtocol": null, "Port": number,
                "TargetPort": 0, "NodePort": 0});
            errors.duplicate(path.index(index), value);
        }
    }
    errors
}

#[cfg(test)]
mod tests;
