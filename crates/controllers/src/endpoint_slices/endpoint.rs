//! Endpoints: what a slice says of a pod.

use std::collections::BTreeMap;

use golang::net::parse_ip_sloppy;
use json_tree::{Value, json};

use crate::error::Error;
use crate::hash;
use crate::node_affinity::ZONE;
use crate::object::{self, list};
use crate::pod;
use crate::store::{Shared, Store};

/// The endpoints with the same ports.
pub(super) struct Group {
    pub(super) ports: Vec<Value>,
    /// The endpoints, by what makes them others.
    pub(super) endpoints: BTreeMap<String, Value>,
}

/// The endpoints of a Service, by the keys of their ports.
pub(super) type Groups = BTreeMap<String, Group>;

/// Groups the pods of a Service by the ports at which they are reached. Also returns an error for each pod whose node is not there.
pub(super) fn groups(service: &Value, pods: &[Shared], family: &str, nodes: &Store) -> (Groups, Vec<Error>) {
    let (mut groups, mut errors) = (Groups::new(), Vec::new());
    let publishes_all = publishes_all(service);
    for pod in pods.iter().filter(|pod| !pod::is_terminal(pod) && has_address(pod)) {
        let ports = ports(service, pod);
        let group =
            groups.entry(ports_key(&ports)).or_insert_with(|| Group { ports, endpoints: BTreeMap::new() });
        let name = pod.text_at("/spec/nodeName");
        let node = nodes.get(name);
        if node.is_none() && !publishes_all {
            let (pod, service) = (object::name(pod), object::key(service));
            let text = format!("skipping Pod {pod} for Service {service}: Node {name} Not Found");
            errors.push(Error::Other(text));
            continue;
        }
        let endpoint = endpoint(service, pod, node.map(|node| &**node), family);
        if !list(&endpoint, "/addresses").is_empty() {
            group.endpoints.insert(key(&endpoint), endpoint);
        }
    }
    (groups, errors)
}

fn publishes_all(service: &Value) -> bool {
    service.pointer("/spec/publishNotReadyAddresses") == Some(&Value::Bool(true))
}

/// Reports whether a pod has an address.
pub(crate) fn has_address(pod: &Value) -> bool {
    !pod.text_at("/status/podIP").is_empty() || !list(pod, "/status/podIPs").is_empty()
}

/// Makes the endpoint of a pod.
fn endpoint(service: &Value, pod: &Value, node: Option<&Value>, family: &str) -> Value {
    let (serving, terminating) = (pod::is_ready(pod), object::is_being_deleted(pod));
    let addresses: Vec<Value> = list(pod, "/status/podIPs")
        .iter()
        .filter_map(|address| parse_ip_sloppy(address.text("ip")))
        .filter(|address| address.is_ipv6() == (family == "IPv6"))
        .map(|address| address.to_string().into())
        .collect();
    let mut endpoint = json!({
        "addresses": addresses,
        "conditions": {
            "ready": publishes_all(service) || serving && !terminating,
            "serving": serving,
            "terminating": terminating
        },
        "targetRef": {
            "kind": "Pod",
            "namespace": object::namespace(pod),
            "name": object::name(pod),
            "uid": object::uid(pod)
        }
    });
    let host = pod.text_at("/spec/hostname");
    let is_known = pod.text_at("/spec/subdomain") == object::name(service);
    let zone = node.map_or("", |node| object::meta(node, "labels").text(ZONE));
    let optional = [
        ("hostname", if is_known { host } else { "" }),
        ("nodeName", pod.text_at("/spec/nodeName")),
        ("zone", zone),
    ];
    for (field, text) in optional.into_iter().filter(|(_, text)| !text.is_empty()) {
        object::set(&mut endpoint, field, text.into());
    }
    endpoint
}

/// Returns what makes an endpoint another one: the pod, its hostname and its addresses.
pub(crate) fn key(endpoint: &Value) -> String {
    let target = endpoint.get("targetRef").unwrap_or(&Value::Null);
    let mut addresses: Vec<&str> = list(endpoint, "/addresses").iter().map(Value::as_text).collect();
    json_tree::sort(&mut addresses);
    let parts =
        [target.text("name"), target.text("namespace"), endpoint.text("hostname"), &addresses.join(" ")];
    parts.join("\0")
}

/// Reports whether two endpoints with the same key say the same, whatever their hints are.
pub(crate) fn says_the_same(a: &Value, b: &Value) -> bool {
    let fields = ["/nodeName", "/zone", "/conditions", "/targetRef/uid", "/targetRef/kind"];
    fields.iter().all(|field| a.pointer(field) == b.pointer(field))
}

/// Returns the ports at which a pod is reached, in the order in which kube-controller-manager has them: by the hashes of their texts in
/// Go.
fn ports(service: &Value, pod: &Value) -> Vec<Value> {
    let of = |port: &Value| {
        let mut endpoint = json!({
            "name": port.text("name"),
            "port": find_port(pod, port)?,
            "protocol": port.text("protocol")
        });
        if let Some(protocol) = port.get("appProtocol").filter(|protocol| protocol.is_string()) {
            object::set(&mut endpoint, "appProtocol", protocol.clone());
        }
        Some(endpoint)
    };
    let mut ports: Vec<(u128, Value)> = list(service, "/spec/ports")
        .iter()
        .filter_map(of)
        .map(|port| (hash::fnv_128(&go_text(&port)), port))
        .collect();
    json_tree::sort_by(&mut ports, |a, b| a.0.cmp(&b.0));
    ports.into_iter().map(|(_, port)| port).collect()
}

/// Returns a port as Go prints its struct, with types.
fn go_text(port: &Value) -> String {
    let protocol = port.get("appProtocol").map_or("<nil>", Value::as_text);
    format!(
        "(v1.EndpointPort){{Name:(*string){} Protocol:(*v1.Protocol){} Port:(*int32){} AppProtocol:(*string){protocol}}}",
        port.text("name"),
        port.text("protocol"),
        object::int(port, "/port")
    )
}

/// Returns what makes ports others: all that they say, in whichever order.
pub(crate) fn ports_key(ports: &[Value]) -> String {
    let of = |port: &Value| {
        let number = object::int(port, "/port").to_string();
        [port.text("name"), port.text("protocol"), &number, port.text("appProtocol")].join(" ")
    };
    let mut keys: Vec<String> = ports.iter().map(of).collect();
    json_tree::sort(&mut keys);
    keys.join("\n")
}

/// Returns the number of the port of a pod that a port of a Service means.
pub(crate) fn find_port(pod: &Value, port: &Value) -> Option<i64> {
    let target = port.get("targetPort")?;
    let Some(name) = target.as_str() else { return target.as_i64() };
    let mut ports = pod::containers(pod).flat_map(|container| list(container, "/ports"));
    let found = ports.find(|own| own.text("name") == name && own.text("protocol") == port.text("protocol"));
    found.map(|port| object::int(port, "/containerPort"))
}

/// Reports whether a change of a pod may change its endpoint, and whether it may change which Services it belongs to.
pub(super) fn changes(old: &Value, new: &Value) -> (bool, bool) {
    let texts = ["/spec/hostname", "/spec/subdomain"];
    let labels_changed = object::meta(old, "labels") != object::meta(new, "labels")
        || texts.iter().any(|text| old.text_at(text) != new.text_at(text));
    let pod_changed = object::is_being_deleted(old)
        || object::is_being_deleted(new)
        || pod::is_ready(old) != pod::is_ready(new)
        || list(old, "/status/podIPs") != list(new, "/status/podIPs");
    (pod_changed, labels_changed)
}
