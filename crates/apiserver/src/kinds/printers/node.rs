//! Nodes.
//!
//! <https://kubernetes.io/docs/concepts/architecture/nodes/>

use json_tree::Value;

use crate::printing::row::{Row, flag, get, text};

pub(crate) fn cells(row: &Row<'_>) -> Vec<Value> {
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
