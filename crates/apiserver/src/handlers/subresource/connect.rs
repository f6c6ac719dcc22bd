//! Requests that are passed on to a kubelet, or to whoever else listens at an address: whether they may be, and which address it is.
//!
//! <https://kubernetes.io/docs/concepts/architecture/control-plane-node-communication/#control-plane-to-node>

use golang::url::query_escape;
use json_tree::Value;

use crate::answer::Outcome;
use crate::context::{RequestContext, Shared};
use crate::dynamic_admission::policy::{Attributes, Operation, Payload};
use crate::resource;
use crate::stored;
use apimachinery::object::Object;
use apimachinery::query::Query;
use apimachinery::status::{Status, Subject};

/// The port that kubelets listen on.
const KUBELET_PORT: i64 = 10250;

/// A function that reads an option from the query.
type Read = fn(&Query, &str) -> Option<Value>;

/// The options of a connection: the kinds of options, the option, and how it is read.
///
/// <https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/>
const OPTIONS: [(&[&str], &str, Read); 7] = [
    (STREAMS, "stdin", boolean),
    (STREAMS, "stdout", boolean),
    (STREAMS, "stderr", boolean),
    (STREAMS, "tty", boolean),
    (STREAMS, "container", text),
    (&["PodExecOptions"], "command", |query, key| {
        let parts: Vec<Value> = query.all(key).map(Value::from).collect();
        (!parts.is_empty()).then_some(Value::Array(parts))
    }),
    (&["PodPortForwardOptions"], "ports", |query, key| {
        let all = query.all(key).flat_map(|ports| ports.split(','));
        let ports: Vec<Value> = all.filter_map(|port| port.parse::<i64>().ok()).map(Value::from).collect();
        (!ports.is_empty()).then_some(Value::Array(ports))
    }),
];

const STREAMS: &[&str] = &["PodAttachOptions", "PodExecOptions"];

fn text(query: &Query, key: &str) -> Option<Value> {
    query.get(key).filter(|text| !text.is_empty()).map(Value::from)
}

fn boolean(query: &Query, key: &str) -> Option<Value> {
    query.boolean(key).filter(|set| *set).map(Value::from)
}

/// Makes a connection if the policies let it be made. Their warnings come with whatever comes of it.
pub(super) async fn reviewed(
    context: &RequestContext<'_>,
    connect: impl Future<Output = Outcome>,
) -> Outcome {
    let warnings = review(context).await?;
    match connect.await {
        Ok(answer) => Ok(answer.warn(warnings)),
        Err(status) => Err(status.warned(warnings)),
    }
}

/// Asks the policies whether the connection may be made, and returns their warnings.
async fn review(context: &RequestContext<'_>) -> Result<Vec<String>, Box<Status>> {
    let kind = &context.target.kind().kind;
    let options = OPTIONS.iter().filter(|(kinds, ..)| kinds.contains(&kind.as_str()));
    let mut options: Object =
        options.filter_map(|(_, key, read)| Some(((*key).to_owned(), read(context.query, key)?))).collect();
    // What follows is the path that is asked for there.
    let own = [&context.target.name, "/proxy/"].concat();
    let path = context.uri.split('?').next().and_then(|path| path.split_once(&own));
    if let (Some((_, path)), "proxy") = (path, context.target.subresource.as_str())
        && !path.is_empty()
    {
        options.insert("path".to_owned(), path.into());
    }
    let attributes = Attributes {
        operation: Operation::Connect,
        name: &context.target.name,
        object: Some(Payload::Question(&options)),
        old: None,
        dry_run: false,
    };
    let mut warnings = Vec::new();
    let reviewed = context.admit_validating(&attributes, &mut warnings).await;
    match reviewed {
        Ok(()) => Ok(warnings),
        Err(status) => Err(status.warned(warnings)),
    }
}

pub(super) fn host_and_port(host: &str, port: &str) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// The container that is meant: the only one, if none is asked for.
pub(super) fn container(pod: &Object, name: &str, asked: &str) -> Result<String, Box<Status>> {
    let names = |list: &str| {
        let containers = pod.get("spec").and_then(|spec| spec.get(list)).and_then(Value::as_array);
        let containers = containers.into_iter().flatten();
        containers.filter_map(|container| container.get("name")?.as_str()).collect::<Vec<_>>()
    };
    let own = names("containers");
    let all = [names("initContainers"), own.clone(), names("ephemeralContainers")].concat();
    match (asked, own.as_slice()) {
        ("", [only]) => Ok((*only).to_owned()),
        ("", []) => Err(Status::bad_request(format!("a container name must be specified for pod {name}"))),
        ("", _) => Err(Status::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            all.join(" ")
        ))),
        _ if all.contains(&asked) => Ok(asked.to_owned()),
        _ => Err(Status::bad_request(format!("container {asked} is not valid for pod {name}"))),
    }
}

pub(super) fn node_name(pod: &Object) -> &str {
    pod.get("spec").and_then(|spec| spec.get("nodeName")).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the host and port of a node's kubelet, as far as the node tells.
pub(super) fn kubelet(node: &Object) -> Option<(&str, i64)> {
    let status = node.get("status")?;
    let addresses = status.get("addresses")?.as_array()?;
    let by = |ty: &str| addresses.iter().find(|address| address["type"] == ty)?["address"].as_str();
    let address =
        ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"].into_iter().find_map(by)?;
    let port = status.pointer("/daemonEndpoints/kubeletEndpoint/Port").and_then(Value::as_i64);
    Some((address, port.filter(|port| *port > 0).unwrap_or(KUBELET_PORT)))
}

/// Returns the address of a node's kubelet, as far as the node tells.
fn address(node: &Object) -> Option<String> {
    kubelet(node).map(|(host, port)| host_and_port(host, &port.to_string()))
}

/// Returns the address of the kubelet of a node.
///
/// # Errors
/// The node is not there, or has no address.
pub(super) fn kubelet_address(context: &RequestContext<'_>, node: &str) -> Result<String, Box<Status>> {
    let nodes = resource::find("", "nodes").ok_or_else(Status::path_not_found)?;
    // The error names the resource that the request is for.
    let missing =
        || Status::not_found(Subject { group: "", resource: &context.target.resource.name, name: node });
    let stored = context.shared.find(&stored::object_key(nodes, "", node)).ok_or_else(missing)?;
    address(&stored.tree()).ok_or_else(no_address)
}

/// Returns the object of a core resource in a namespace, as a kubelet reads it.
pub(super) fn find(shared: &Shared, namespace: &str, resource: &str, name: &str) -> Option<Value> {
    let key = stored::object_key(resource::find("", resource)?, namespace, name);
    Some(Value::Object(shared.find(&key)?.tree()))
}

/// Returns the query of a request to a kubelet, with its question mark; empty without parameters.
pub(super) fn query<'a>(parameters: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut query = String::new();
    for (key, value) in parameters {
        query.extend([if query.is_empty() { "?" } else { "&" }, key, "=", &query_escape(&value)]);
    }
    query
}

/// Returns the error of a request to an address at which nobody listens.
pub(super) fn refused(address: &str, path: &str) -> Box<Status> {
    Status::unclassified(format!("Get \"https://{address}/{path}\": {}", refusal(address)))
}

/// Returns the reason why there is no connection to an address at which nobody listens.
pub(super) fn refusal(address: &str) -> String {
    format!("dial tcp {address}: connect: connection refused")
}

pub(super) fn no_address() -> Box<Status> {
    Status::unclassified("no preferred addresses found; known addresses: []")
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(pod: &Value, asked: &str, expected: Result<&str, &str>) {
        let pod = pod.as_object().expect("an object");
        let found = container(pod, "p", asked).map_err(|status| status.message);
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn containers() {
        let one = json!({"spec": {"containers": [{"name": "c"}], "initContainers": [{"name": "i"}]}});
        check(&one, "", Ok("c"));
        check(&one, "i", Ok("i"));
        check(&one, "x", Err("container x is not valid for pod p"));
        let two = json!({"spec": {"containers": [{"name": "c"}, {"name": "d"}], "initContainers": [{"name": "i"}]}});
        check(&two, "", Err("a container name must be specified for pod p, choose one of: [i c d]"));
        check(&json!({}), "", Err("a container name must be specified for pod p"));
    }

    #[test]
    fn addresses_of_kubelets() {
        let check = |node: Value, expected: Option<&str>| {
            assert_eq!(address(node.as_object().expect("an object")).as_deref(), expected);
        };
        check(json!({}), None);
        let addresses = json!([{"type": "ExternalIP", "address": "1.2.3.4"}, {"type": "InternalIP", "address": "fd00::1"}]);
        check(json!({"status": {"addresses": addresses}}), Some("[fd00::1]:10250"));
        check(
            json!({"status": {
                "addresses": [{"type": "Hostname", "address": "n"}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 7}},
            }}),
            Some("n:7"),
        );
    }
}
