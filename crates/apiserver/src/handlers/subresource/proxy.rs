//! `proxy`: what is passed on to a pod, a service or a node. None of them is there, so what can be said of them is why they are not
//! reached.
//!
//! <https://kubernetes.io/docs/concepts/architecture/control-plane-node-communication/#control-plane-to-node>

use json_tree::Value;

use super::connect::{find, host_and_port, kubelet, no_address, review};
use crate::answer::Outcome;
use crate::context::RequestContext;
use crate::route::Target;
use apimachinery::object::Object;
use apimachinery::status::{Status, Subject};
use golang::net::parse_ip_sloppy;
use golang::netip::is_global_unicast;
use golang::strconv::parse_int;

/// The port of what names none.
const HTTP_PORT: i64 = 80;

/// Handles a proxy request to a pod: at the port that the path names, or the first that a container has.
pub(super) async fn pod(context: &RequestContext<'_>) -> Outcome {
    let (pod, port) = proxied(context, "pod").await?;
    let address = pod.get("status").and_then(|status| status.get("podIP")).and_then(Value::as_str);
    let Some(address) = address.filter(|text| parse_ip_sloppy(text).is_some_and(is_global_unicast)) else {
        return Err(Status::bad_request("address not allowed"));
    };
    let own = pod.get("spec").and_then(|spec| spec.get("containers")?.as_array());
    let own =
        own.into_iter().flatten().find_map(|container| container.pointer("/ports/0/containerPort")?.as_i64());
    let port = if port.is_empty() { own.unwrap_or(HTTP_PORT).to_string() } else { port };
    Err(unreachable(&host_and_port(address, &port)))
}

/// Handles a proxy request to a service: at an address of its endpoints that is that of a pod.
pub(super) async fn service(context: &RequestContext<'_>) -> Outcome {
    let (name, port) = split(context, "service").await?;
    let mut port = port.to_owned();
    let target = Target { name: name.to_owned(), ..context.target.clone() };
    // A number stands for the name of the port.
    if let Ok(number) = parse_int(&port) {
        let service = RequestContext { target: &target, ..*context }.read_parent()?.tree();
        let ports = service.get("spec").and_then(|spec| spec.get("ports")?.as_array());
        let Some(found) = ports.into_iter().flatten().find(|port| port["port"].as_i64() == Some(number))
        else {
            let why = format!("no service port {number} found for service {}", field::quote(name));
            return Err(Status::service_unavailable(why));
        };
        port = found["name"].as_str().unwrap_or_default().to_owned();
    }
    let none = |name| {
        Status::service_unavailable(["no endpoints available for service ", &field::quote(name)].concat())
    };
    let missing = || Status::not_found(Subject { group: "", resource: "services", name });
    let endpoints = find(context.shared, &context.target.namespace, "endpoints", name).ok_or_else(missing)?;
    let subsets = endpoints.get("subsets").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if subsets.is_empty() {
        return Err(none(name));
    }
    match subsets.iter().find_map(|subset| endpoint(context, subset, &port)) {
        Some(address) => Err(unreachable(&address)),
        None => Err(none(&context.target.name)),
    }
}

/// Returns the first address of a subset of endpoints that is that of a pod, with the port of a name.
fn endpoint(context: &RequestContext<'_>, subset: &Value, name: &str) -> Option<String> {
    let mut ports = subset["ports"].as_array()?.iter();
    let port = ports.find(|port| port["name"].as_str().unwrap_or_default() == name)?["port"].as_i64()?;
    let of_pod = |address: &&Value| {
        let (target, ip) = (&address["targetRef"], &address["ip"]);
        let here = target["namespace"].as_str().unwrap_or_default() == context.target.namespace;
        let pod = target["name"]
            .as_str()
            .filter(|_| here)
            .and_then(|name| find(context.shared, &context.target.namespace, "pods", name));
        let ips = pod.as_ref().and_then(|pod| pod.get("status")?.get("podIPs")?.as_array());
        ips.into_iter().flatten().any(|own| own["ip"] == *ip)
    };
    let address = subset["addresses"].as_array()?.iter().find(of_pod)?;
    Some(host_and_port(address["ip"].as_str()?, &port.to_string()))
}

/// Handles a proxy request to a node, at the address of its kubelet.
pub(super) async fn node(context: &RequestContext<'_>) -> Outcome {
    let (node, port) = proxied(context, "node").await?;
    let (host, own) = kubelet(&node).ok_or_else(no_address)?;
    // A name would have to be looked up, and there is nobody to ask.
    if parse_ip_sloppy(host).is_some_and(|ip| !is_global_unicast(ip)) {
        return Err(Status::bad_request("address not allowed"));
    }
    let port = if port.is_empty() { own.to_string() } else { port };
    Err(unreachable(&host_and_port(host, &port)))
}

/// Returns the object that a request is to be passed on to, and the port, which may be empty.
async fn proxied(context: &RequestContext<'_>, what: &str) -> Result<(Object, String), Box<Status>> {
    let (name, port) = split(context, what).await?;
    let target = Target { name: name.to_owned(), ..context.target.clone() };
    let object = RequestContext { target: &target, ..*context }.read_parent()?.tree();
    Ok((object, port.to_owned()))
}

/// Returns the name of what a request is to be passed on to, and the port, which may be empty. The name may stand between a scheme
/// and a port.
///
/// <https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls>
async fn split<'a>(context: &'a RequestContext<'_>, what: &str) -> Result<(&'a str, &'a str), Box<Status>> {
    review(context).await?;
    let sent = context.target.name.as_str();
    match sent.split(':').collect::<Vec<_>>()[..] {
        [name] if !name.is_empty() => Ok((name, "")),
        [name, port] | ["" | "http" | "https", name, port] if !name.is_empty() => Ok((name, port)),
        _ => Err(Status::bad_request(format!("invalid {what} request {}", field::quote(sent)))),
    }
}

fn unreachable(address: &str) -> Box<Status> {
    let why = format!("error trying to reach service: dial tcp {address}: connect: connection refused");
    Status::service_unavailable(why)
}
