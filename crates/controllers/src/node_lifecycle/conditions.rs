//! The conditions of nodes, and the taints that follow from them.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-nodes-by-condition>.

use json_tree::Value;

use crate::node_taints::{Taint, has_taint};
use crate::object::{self, list};

/// The taints by which pods leave a node that is not ready, or that cannot be reached.
pub(super) const NOT_READY: Taint = ("node.kubernetes.io/not-ready", "NoExecute");
pub(super) const UNREACHABLE: Taint = ("node.kubernetes.io/unreachable", "NoExecute");

/// The taint of a node that is to get no new pods.
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// The conditions by type and status, and the taint of each.
const TAINTS: [(&str, &str, &str); 6] = [
    ("Ready", "False", "node.kubernetes.io/not-ready"),
    ("Ready", "Unknown", "node.kubernetes.io/unreachable"),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// The labels that follow others: the newer one, and the older one that gets its value.
pub(super) const LABELS: [(&str, &str); 2] =
    [("kubernetes.io/os", "beta.kubernetes.io/os"), ("kubernetes.io/arch", "beta.kubernetes.io/arch")];

/// Returns the condition of a node that says whether it is ready.
pub(super) fn ready(node: &Value) -> Option<&Value> {
    list(node, "/status/conditions").iter().find(|condition| condition.text("type") == "Ready")
}

/// Returns the status of that condition; empty if there is none.
pub(super) fn status_of(node: &Value) -> &str {
    ready(node).map_or("", |ready| ready.text("status"))
}

/// Reports whether a node does not count for the state of its zone.
pub(super) fn is_excluded(node: &Value) -> bool {
    object::meta(node, "labels").get("node.kubernetes.io/exclude-disruption").is_some()
}

/// Returns the taints against new pods that a node is to get, and those that it is to lose.
pub(super) fn wanted_taints(node: &Value) -> (Vec<Taint>, Vec<Taint>) {
    const EFFECT: &str = "NoSchedule";
    let conditions = list(node, "/status/conditions").iter();
    let mut wanted: Vec<&'static str> = Vec::new();
    for condition in conditions {
        let (kind, status) = (condition.text("type"), condition.text("status"));
        let taint = TAINTS.iter().find(|(own, own_status, _)| *own == kind && *own_status == status);
        wanted.extend(taint.map(|(_, _, key)| *key));
    }
    if node.pointer("/spec/unschedulable") == Some(&Value::Bool(true)) {
        wanted.push(UNSCHEDULABLE);
    }
    let mut all: Vec<&'static str> = TAINTS.iter().map(|(_, _, key)| *key).collect();
    all.push(UNSCHEDULABLE);
    let take = all.into_iter().filter(|key| !wanted.contains(key)).map(|key| (key, EFFECT));
    let take = take.filter(|taint| has_taint(node, *taint)).collect();
    let put = wanted.iter().map(|key| (*key, EFFECT)).filter(|taint| !has_taint(node, *taint)).collect();
    (put, take)
}
