//! The rows of tables of the kind Node.

use json_tree::Value;

use crate::printing::row::{Row, flag, get, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Status||||The status of the node
Roles||||The roles of the node
Age||||@created
Version||||Kubelet Version reported by the node.
Internal-IP|||1|List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).
External-IP|||1|List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).
OS-Image|||1|OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).
Kernel-Version|||1|Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).
Container-Runtime|||1|ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![
        row.name(),
        status(row).into(),
        roles(row).into(),
        row.age(),
        row.text("/status/nodeInfo/kubeletVersion").into(),
        address(row, "InternalIP").into(),
        address(row, "ExternalIP").into(),
        row.filled_or("/status/nodeInfo/osImage", "<unknown>"),
        kernel(row).into(),
        row.filled_or("/status/nodeInfo/containerRuntimeVersion", "<unknown>"),
    ]
}

/// The kernel's version, with the architecture it was built for: `6.1 (amd64)`.
fn kernel(row: &Row<'_>) -> String {
    match (row.text("/status/nodeInfo/kernelVersion"), row.text("/status/nodeInfo/architecture")) {
        ("", _) => "<unknown>".to_owned(),
        (version, "") => version.to_owned(),
        (version, architecture) => format!("{version} ({architecture})"),
    }
}

fn status(row: &Row<'_>) -> String {
    // Of conditions of the same type, the last one counts.
    let ready = row.list("/status/conditions").iter().rfind(|condition| text(condition, "/type") == "Ready");
    let ready = match ready.map(|condition| text(condition, "/status")) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    let unschedulable = flag(row.object, "/spec/unschedulable");
    format!("{ready}{}", if unschedulable { ",SchedulingDisabled" } else { "" })
}

/// Returns the roles of the node, by its labels.
fn roles(row: &Row<'_>) -> String {
    let labels = get(row.object, "/metadata/labels").and_then(Value::as_object);
    let mut roles: Vec<&str> = labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None if key == "kubernetes.io/role" => value.as_str(),
            None => None,
        })
        .filter(|role| !role.is_empty())
        .collect();
    schema::sort_once(&mut roles);
    if roles.is_empty() { "<none>".to_owned() } else { roles.join(",") }
}

/// The node's first address of a type.
fn address<'a>(row: &Row<'a>, ty: &str) -> &'a str {
    let addresses = row.list("/status/addresses");
    addresses
        .iter()
        .find(|address| text(address, "/type") == ty)
        .map_or("<none>", |address| text(address, "/address"))
}
