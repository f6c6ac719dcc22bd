//! The addresses of pods, as Endpoints have them.

use golang::net::{parse_ip, parse_ip_sloppy};
use json_tree::{Value, json};

use crate::endpoint_slices::{find_port, has_address};
use crate::object::{self, list};
use crate::pod;
use crate::store::Shared;

/// Returns a subset for each pod of a Service and each of its ports.
pub(super) fn subsets(service: &Value, pods: &[Shared]) -> Vec<Value> {
    let publishes_all = service.pointer("/spec/publishNotReadyAddresses") == Some(&Value::Bool(true));
    let mut subsets = Vec::new();
    for pod in pods {
        let is_leaving = object::is_being_deleted(pod) && !publishes_all;
        if pod::is_terminal(pod) || !has_address(pod) || is_leaving {
            continue;
        }
        let Some(address) = address(service, pod) else { continue };
        let field = if publishes_all || pod::is_ready(pod) { "addresses" } else { "notReadyAddresses" };
        let ports = list(service, "/spec/ports");
        if ports.is_empty() && service.text_at("/spec/clusterIP") == "None" {
            subsets.push(json!({field: [address.clone()]}));
        }
        for port in ports.iter().filter_map(|port| endpoint_port(pod, port)) {
            subsets.push(json!({field: [address.clone()], "ports": [port]}));
        }
    }
    subsets
}

/// Returns the address of a pod of the first family that a Service has.
fn address(service: &Value, pod: &Value) -> Option<Value> {
    let is_v6 = |text: &str| parse_ip(text).is_some_and(|address| address.is_ipv6());
    let cluster = service.text_at("/spec/clusterIP");
    let wants_v6 = match list(service, "/spec/ipFamilies").first() {
        Some(family) => family == "IPv6",
        None if !matches!(cluster, "" | "None") => is_v6(cluster),
        None => is_v6(pod.text_at("/status/podIP")),
    };
    let mut addresses =
        list(pod, "/status/podIPs").iter().filter_map(|address| parse_ip_sloppy(address.text("ip")));
    let ip = addresses.find(|address| address.is_ipv6() == wants_v6)?;
    let mut address = json!({"ip": ip.to_string()});
    let host = pod.text_at("/spec/hostname");
    if !host.is_empty() && pod.text_at("/spec/subdomain") == object::name(service) {
        object::set(&mut address, "hostname", host.into());
    }
    object::set(&mut address, "nodeName", pod.text_at("/spec/nodeName").into());
    let target = json!({
        "kind": "Pod",
        "namespace": object::namespace(pod),
        "name": object::name(pod),
        "uid": object::uid(pod)
    });
    object::set(&mut address, "targetRef", target);
    Some(address)
}

/// Returns the port of a pod that a port of a Service means.
fn endpoint_port(pod: &Value, port: &Value) -> Option<Value> {
    let number = find_port(pod, port)?;
    let mut found = json!({});
    if !port.text("name").is_empty() {
        object::set(&mut found, "name", port.text("name").into());
    }
    object::set(&mut found, "port", number.into());
    object::set(&mut found, "protocol", port.text("protocol").into());
    if let Some(protocol) = port.get("appProtocol").filter(|protocol| protocol.is_string()) {
        object::set(&mut found, "appProtocol", protocol.clone());
    }
    Some(found)
}
