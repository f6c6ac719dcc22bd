//! `proxy`: requests that are passed on to a pod, a service or a node. Pods are reached through the kubelet of their node; where none
//! listens, nobody does.
//!
//! <https://kubernetes.io/docs/concepts/architecture/control-plane-node-communication/#control-plane-to-node>

use bytes::Bytes;
use futures::StreamExt;
use futures::future::ready;
use futures::stream::once;
use http::header::LOCATION;
use http::{HeaderName, Method};
use json_tree::Value;

use super::connect::{find, host_and_port, kubelet, no_address, refusal};
use crate::Body;
use crate::aggregator::kept;
use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::route::Target;
use apimachinery::object::Object;
use apimachinery::status::{Status, Subject};
use golang::net::parse_ip_sloppy;
use golang::netip::is_global_unicast;
use golang::strconv::parse_int;

/// The port of what names none.
const HTTP_PORT: i64 = 80;

/// The place that a request is passed on to.
struct Place {
    /// The address, with the port.
    address: String,
    port: String,
}

/// Handles a proxy request to a pod: at the port that the path names, or the first that a container has.
pub(super) async fn pod(context: &RequestContext<'_>) -> Outcome {
    let (pod, port) = proxied(context, "pod")?;
    let address = pod.get("status").and_then(|status| status.get("podIP")).and_then(Value::as_str);
    let Some(address) = address.filter(|text| parse_ip_sloppy(text).is_some_and(is_global_unicast)) else {
        return Err(Status::bad_request("address not allowed"));
    };
    let own = pod.get("spec").and_then(|spec| spec.get("containers")?.as_array());
    let own =
        own.into_iter().flatten().find_map(|container| container.pointer("/ports/0/containerPort")?.as_i64());
    let port = if port.is_empty() { own.unwrap_or(HTTP_PORT).to_string() } else { port };
    let place = Place { address: host_and_port(address, &port), port };
    forward(context, &place, Some(Value::Object(pod))).await
}

/// Handles a proxy request to a service: at an address of its endpoints that is that of a pod.
pub(super) async fn service(context: &RequestContext<'_>) -> Outcome {
    let (name, port) = split(context, "service")?;
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
        Some((place, pod)) => forward(context, &place, Some(pod)).await,
        None => Err(none(&context.target.name)),
    }
}

/// Returns the first address of a subset of endpoints that is that of a pod, with the port of a name, and the pod.
fn endpoint(context: &RequestContext<'_>, subset: &Value, name: &str) -> Option<(Place, Value)> {
    let mut ports = subset["ports"].as_array()?.iter();
    let port = ports.find(|port| port["name"].as_str().unwrap_or_default() == name)?["port"].as_i64()?;
    let of_pod = |address: &Value| {
        let (target, ip) = (&address["targetRef"], &address["ip"]);
        let here = target["namespace"].as_str().unwrap_or_default() == context.target.namespace;
        let name = target["name"].as_str().filter(|_| here)?;
        let pod = find(context.shared, &context.target.namespace, "pods", name)?;
        let own = pod.pointer("/status/podIPs")?.as_array()?.iter().any(|own| own["ip"] == *ip);
        own.then(|| Some((ip.as_str()?.to_owned(), pod)))?
    };
    let (address, pod) = subset["addresses"].as_array()?.iter().find_map(of_pod)?;
    let port = port.to_string();
    Some((Place { address: host_and_port(&address, &port), port }, pod))
}

/// Handles a proxy request to a node, at the address of its kubelet.
pub(super) async fn node(context: &RequestContext<'_>) -> Outcome {
    let (node, port) = proxied(context, "node")?;
    let (host, own) = kubelet(&node).ok_or_else(no_address)?;
    // A name would have to be looked up, and there is nobody to ask.
    if parse_ip_sloppy(host).is_some_and(|ip| !is_global_unicast(ip)) {
        return Err(Status::bad_request("address not allowed"));
    }
    let port = if port.is_empty() { own.to_string() } else { port };
    forward(context, &Place { address: host_and_port(host, &port), port }, None).await
}

/// Returns the object that a request is to be passed on to, and the port, which may be empty.
fn proxied(context: &RequestContext<'_>, what: &str) -> Result<(Object, String), Box<Status>> {
    let (name, port) = split(context, what)?;
    let target = Target { name: name.to_owned(), ..context.target.clone() };
    let object = RequestContext { target: &target, ..*context }.read_parent()?.tree();
    Ok((object, port.to_owned()))
}

/// Returns the name of what a request is to be passed on to, and the port, which may be empty. The name may stand between a scheme
/// and a port.
///
/// <https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls>
fn split<'a>(context: &'a RequestContext<'_>, what: &str) -> Result<(&'a str, &'a str), Box<Status>> {
    let sent = context.target.name.as_str();
    match sent.split(':').collect::<Vec<_>>()[..] {
        [name] if !name.is_empty() => Ok((name, "")),
        [name, port] | ["" | "http" | "https", name, port] if !name.is_empty() => Ok((name, port)),
        _ => Err(Status::bad_request(format!("invalid {what} request {}", field::quote(sent)))),
    }
}

/// Passes a request on to a place, which may be in a pod, and returns the response to it.
async fn forward(context: &RequestContext<'_>, place: &Place, pod: Option<Value>) -> Outcome {
    let (path, query) = match context.uri.split_once('?') {
        Some((path, query)) => (path, ["?", query].concat()),
        None => (context.uri, String::new()),
    };
    // The place of what is asked for there: `/api/v1/namespaces/default/pods/p/proxy`, `/api/v1/nodes/n/proxy`.
    let parts = if context.target.namespace.is_empty() { 5 } else { 7 };
    let end = path.match_indices('/').nth(parts).map_or(path.len(), |(at, _)| at);
    let (base, rest) = path.split_at(end);
    let method = context.method;
    if rest.is_empty() && [Method::GET, Method::HEAD].contains(method) {
        return Ok(Answer::empty(301).with(LOCATION, [path, "/", &query].concat()));
    }
    let unreachable =
        |why: &str| Status::service_unavailable(["error trying to reach service: ", why].concat());
    let peer = pod.as_ref().and_then(|pod| {
        let kubelet = context.shared.kubelets.at(pod.text_at("/spec/nodeName"))?;
        kubelet.dial(pod, place.port.parse().ok()?).ok()
    });
    let peer = peer.filter(|_| context.at.is_none()).ok_or_else(|| unreachable(&refusal(&place.address)))?;
    if context.target.name.starts_with("https:") {
        return Err(unreachable("http: server gave HTTP response to HTTPS client"));
    }
    let target = if rest.is_empty() { "/" } else { rest };
    let mut sent = format!("{method} {target}{query} HTTP/1.1\r\nHost: {}\r\n", place.address).into_bytes();
    for (name, value) in &kept(context.headers) {
        sent.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    let length = context.body.len();
    sent.extend(format!("x-forwarded-uri: {base}{target}\r\ncontent-length: {length}\r\n\r\n").into_bytes());
    sent.extend(context.body);
    let received = peer(Box::pin(once(ready(Bytes::from(sent))))).collect::<Vec<Bytes>>().await.concat();
    response(&received, base).ok_or_else(|| unreachable("EOF"))
}

/// Returns the response that a server has sent; it leads below the path of the proxy where it led somewhere on that server. `None` if it
/// is none.
fn response(received: &[u8], base: &str) -> Option<Answer> {
    let end = received.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let mut lines = std::str::from_utf8(&received[..end]).ok()?.split("\r\n");
    let code = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let mut answer = Answer::proxied(code, Body::Bytes(Bytes::copy_from_slice(&received[end + 4..])));
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        answer = match value.strip_prefix('/').filter(|_| name == LOCATION) {
            Some(path) => answer.with(name, [base, "/", path].concat()),
            None => answer.with(name, value),
        };
    }
    Some(answer)
}
