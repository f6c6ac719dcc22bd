//! Nodes of which nothing is heard, and the pods on them.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, cluster, items, make_pod, pod};
use controllers::Options;
use json_tree::{Value, json};
use protocol::controllers::{Command, Switches};

const CUT_OFF: Switches = Switches { paused: false, cut_off: true, pause: Duration::ZERO };

fn switch(cluster: &mut Cluster, node: &str, switches: Switches) {
    let name = format!("kubelet {node}");
    cluster.manager.control().command(Command::Switch { name, switches }).unwrap();
    cluster.settle();
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Returns the status of the condition `Ready` of an object, and its reason.
fn ready(object: &Value) -> (String, String) {
    let conditions = object["status"]["conditions"].as_array().unwrap();
    let ready = conditions.iter().find(|condition| condition.text("type") == "Ready").unwrap();
    (ready.text("status").to_owned(), ready.text("reason").to_owned())
}

fn node(cluster: &Cluster, name: &str) -> Value {
    cluster.get(&format!("/api/v1/nodes/{name}"))
}

/// Returns the taints of a node as `key:effect`, without what all keys begin with.
fn taints(cluster: &Cluster, name: &str) -> Vec<String> {
    let node = node(cluster, name);
    let taints = node.pointer("/spec/taints").and_then(Value::as_array).cloned().unwrap_or_default();
    let line = |taint: &Value| format!("{}:{}", taint.text("key"), taint.text("effect"));
    taints.iter().map(|taint| line(taint).replace("node.kubernetes.io/", "")).collect()
}

fn told(cluster: &Cluster, reason: &str) -> Vec<String> {
    let events = items(cluster, "/api/v1/namespaces/default/events");
    let own = events.iter().filter(|event| event.text("reason") == reason);
    own.map(|event| format!("{}: {}", event.text_at("/involvedObject/name"), event.text("message"))).collect()
}

/// Makes three nodes, and a pod on the second.
fn with_pod() -> Cluster {
    let mut cluster = cluster(3);
    make_pod(&cluster, "web", "", &json!({"nodeName": "node-2"}));
    cluster.wait(seconds(2));
    assert_eq!(ready(&pod(&cluster, "web")).0, "True");
    cluster
}

#[test]
fn a_kubelet_that_is_at_work_needs_no_lease() {
    let mut cluster = with_pod();
    assert_eq!(taints(&cluster, "node-2"), [""; 0]);
    assert_eq!(told(&cluster, "RegisteredNode").len(), 3);
    assert_eq!(cluster.manager.next_due(), None);
    let before = cluster.writes();
    cluster.wait(seconds(3600));
    assert_eq!(cluster.writes(), before);
    assert_eq!(ready(&node(&cluster, "node-2")), ("True".to_owned(), "KubeletReady".to_owned()));
}

#[test]
fn a_node_whose_kubelet_is_cut_off_is_lost_and_comes_back() {
    let mut cluster = with_pod();
    switch(&mut cluster, "node-2", CUT_OFF);
    cluster.wait(seconds(49));
    assert_eq!(ready(&node(&cluster, "node-2")).0, "True");
    cluster.wait(seconds(2));
    assert_eq!(ready(&node(&cluster, "node-2")), ("Unknown".to_owned(), "NodeStatusUnknown".to_owned()));
    assert_eq!(taints(&cluster, "node-2"), ["unreachable:NoSchedule", "unreachable:NoExecute"]);
    assert_eq!(ready(&pod(&cluster, "web")).0, "False");
    assert_eq!(
        told(&cluster, "NodeNotReady"),
        ["node-2: Node node-2 status is now: NodeNotReady", "web: Node is not ready"]
    );
    switch(&mut cluster, "node-2", Switches::default());
    assert_eq!(ready(&node(&cluster, "node-2")), ("True".to_owned(), "KubeletReady".to_owned()));
    assert_eq!(taints(&cluster, "node-2"), [""; 0]);
    assert_eq!(ready(&pod(&cluster, "web")).0, "True");
    assert_eq!(told(&cluster, "TaintManagerEviction"), ["web: Cancelling deletion of Pod default/web"]);
    cluster.wait(seconds(1));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn pods_leave_a_lost_node_after_five_minutes() {
    let mut cluster = with_pod();
    switch(&mut cluster, "node-2", Switches { paused: true, ..Switches::default() });
    cluster.wait(seconds(345));
    assert!(pod(&cluster, "web").pointer("/metadata/deletionTimestamp").is_none());
    cluster.wait(seconds(10));
    let gone = pod(&cluster, "web");
    assert!(gone.pointer("/metadata/deletionTimestamp").is_some());
    let reasons: Vec<_> =
        gone["status"]["conditions"].as_array().unwrap().iter().map(|one| one.text("reason")).collect();
    assert!(reasons.contains(&"DeletionByTaintManager"), "{reasons:?}");
    // Nobody is there who could end it, until the kubelet is.
    cluster.wait(seconds(600));
    assert_eq!(items(&cluster, PODS).len(), 1);
    switch(&mut cluster, "node-2", Switches::default());
    cluster.wait(seconds(60));
    assert_eq!(items(&cluster, PODS).len(), 0);
}

#[test]
fn where_all_kubelets_are_silent_no_pod_leaves() {
    let mut cluster = with_pod();
    for name in ["node-1", "node-2", "node-3"] {
        switch(&mut cluster, name, CUT_OFF);
    }
    cluster.wait(seconds(3600));
    for name in ["node-1", "node-2", "node-3"] {
        assert_eq!(ready(&node(&cluster, name)).0, "Unknown");
        assert_eq!(taints(&cluster, name), ["unreachable:NoSchedule"]);
    }
    assert!(pod(&cluster, "web").pointer("/metadata/deletionTimestamp").is_none());
}

#[test]
fn new_kubelets_take_their_nodes_back() {
    let mut cluster = with_pod();
    switch(&mut cluster, "node-2", CUT_OFF);
    cluster.wait(seconds(60));
    cluster.restart(&["*"], &Options::with_nodes(3));
    cluster.wait(seconds(5));
    assert_eq!(ready(&node(&cluster, "node-2")).0, "True");
    assert_eq!(taints(&cluster, "node-2"), [""; 0]);
    assert_eq!(ready(&pod(&cluster, "web")).0, "True");
}

#[test]
fn nodes_and_pods_that_make_no_sense_do_no_harm() {
    let mut cluster = Cluster::new();
    let node = json!({
        "metadata": {"name": "odd"},
        "spec": {"taints": [{"key": "a", "effect": "NoExecute"}]},
        "status": {"conditions": [{"type": "Ready", "status": "Perhaps"}, {"type": "Ready", "status": "True"}]}
    });
    cluster.call("POST", "/api/v1/nodes", &node, JSON);
    let lease = json!({"metadata": {"name": "odd"}, "spec": {"renewTime": "9999-12-31T23:59:59.000000Z"}});
    cluster.call("POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", &lease, JSON);
    for (name, seconds) in [("a", i64::MIN), ("b", i64::MAX), ("c", 0)] {
        let tolerations =
            json!([{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}]);
        make_pod(&cluster, name, "", &json!({"nodeName": "odd", "tolerations": tolerations}));
    }
    cluster.wait(seconds(4000));
    let goes = |name: &str| pod(&cluster, name).pointer("/metadata/deletionTimestamp").is_some();
    assert_eq!(["a", "b", "c"].map(goes), [true, false, true]);
}
