//! Service.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/>.

use std::collections::HashSet;
use std::net::IpAddr;

use serde_json::{Value, json};

use super::{
    read::{at, get, integer, list, map, text},
    values::{one_of, port_number, port_number_or_name},
};
use crate::field::{Error, Path};
use crate::validation::{metadata, name};

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const AFFINITIES: [&str; 2] = ["ClientIP", "None"];
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
const NO_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

pub(super) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (kind, ports) = (text(spec, "type"), list(spec, "ports"));
    let headless = text(spec, "clusterIP") == "None";
    let mut errors = Vec::new();
    if ports.is_empty() && !headless && kind != "ExternalName" {
        errors.push(Error::required(&path.child("ports"), ""));
    }
    errors.extend(of_type(spec, headless, &path));
    let mut names = HashSet::new();
    for (index, one) in ports.iter().enumerate() {
        errors.extend(port(one, ports.len() > 1, &mut names, &path.child("ports").index(index)));
    }
    if let Some(selector) = map(spec, "selector") {
        errors.extend(metadata::labels(selector, &path.child("selector")));
    }
    errors.extend(one_of(spec, "sessionAffinity", &AFFINITIES, &path));
    for (index, address) in cluster_ips(spec, &Value::Null).into_iter().enumerate() {
        let is_address = address.is_empty() || address == "None" || address.parse::<IpAddr>().is_ok();
        if !is_address && kind != "ExternalName" {
            errors.push(Error::invalid(&path.child("clusterIPs").index(index), address, NO_ADDRESS));
        }
    }
    errors.extend(one_of(spec, "type", &TYPES, &path));
    errors.extend(node_ports(kind, ports, &path.child("ports")));
    errors.extend(duplicate_ports(ports, &path.child("ports")));
    errors
}

pub(super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was) = (at(object, "/spec"), at(old, "/spec"));
    let keeps = |spec: &Value| text(spec, "type") != "ExternalName";
    let (new, before) = (cluster_ips(spec, was), text(was, "clusterIP"));
    let first = new.first().copied().unwrap_or_default();
    if !keeps(spec) || !keeps(was) || before.is_empty() || first.is_empty() || first == before {
        return Vec::new();
    }
    vec![Error::invalid(&Path::new("spec").child("clusterIPs").index(0), new, "may not change once set")]
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
            errors.push(Error::invalid(&path.child("clusterIPs").index(0), "None", why));
        }
        "ExternalName" => {
            if !cluster_ips(spec, &Value::Null).is_empty() {
                let why = "may not be set for ExternalName services";
                errors.push(Error::forbidden(&path.child("clusterIPs"), why));
            }
            let (at, host) = (path.child("externalName"), text(spec, "externalName"));
            let host = host.strip_suffix('.').unwrap_or(host);
            if host.is_empty() {
                errors.push(Error::required(&at, ""));
            } else {
                errors.extend(name::subdomain(host).into_iter().map(|why| Error::invalid(&at, host, why)));
            }
        }
        _ => {}
    }
    errors
}

fn port<'a>(port: &'a Value, named: bool, names: &mut HashSet<&'a str>, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (at, this) = (path.child("name"), text(port, "name"));
    if !this.is_empty() {
        errors.extend(name::label(this).into_iter().map(|why| Error::invalid(&at, this, why)));
        if !names.insert(this) {
            errors.push(Error::duplicate(&at, this));
        }
    } else if named {
        errors.push(Error::required(&at, ""));
    }
    let number = integer(port, "port").unwrap_or_default();
    errors.extend(port_number(number, &path.child("port")));
    errors.extend(one_of(port, "protocol", &PROTOCOLS, path));
    // Without a target, the port is its own.
    let own = Value::from(number);
    let target = get(port, "targetPort").filter(|target| **target != 0 && **target != "").unwrap_or(&own);
    errors.extend(port_number_or_name(target, &path.child("targetPort")));
    errors
}

fn node_ports(kind: &str, ports: &[Value], path: &Path) -> Vec<Error> {
    if !matches!(kind, "" | "ClusterIP") {
        return Vec::new();
    }
    let given =
        ports.iter().enumerate().filter(|(_, port)| integer(port, "nodePort").is_some_and(|port| port != 0));
    let why = "may not be used when `type` is 'ClusterIP'";
    given.map(|(index, _)| Error::forbidden(&path.index(index).child("nodePort"), why)).collect()
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
            errors.push(Error::duplicate(&path.index(index), value));
        }
    }
    errors
}

#[cfg(test)]
mod tests;
