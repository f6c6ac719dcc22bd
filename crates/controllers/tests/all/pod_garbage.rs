//! Pods that nobody else deletes.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, items, make_pod, pod};
use json_tree::{Value, json};

#[test]
fn pods_of_a_node_that_is_gone_are_deleted_after_a_while() {
    let mut cluster = Cluster::new();
    make_pod(&cluster, "a", "", &json!({"nodeName": "nowhere"}));
    make_pod(&cluster, "b", "", &json!({"nodeName": "later"}));
    cluster.wait(Duration::from_secs(30));
    assert_eq!(items(&cluster, PODS).len(), 2);
    cluster.send("POST", "/api/v1/nodes", &json!({"metadata": {"name": "later"}}), JSON);
    cluster.wait(Duration::from_secs(60));
    let names: Vec<_> =
        items(&cluster, PODS).iter().map(|pod| pod.text_at("/metadata/name").to_owned()).collect();
    assert_eq!(names, ["b"]);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_pod_that_never_had_a_node_goes_at_once() {
    let mut cluster = Cluster::new();
    cluster.settle();
    let finalizers = json!({"metadata": {"finalizers": ["example.com/keep"]}});
    make_pod(&cluster, "a", "", &json!({}));
    cluster.send("PATCH", &format!("{PODS}/a"), &finalizers, "application/merge-patch+json");
    cluster.send("DELETE", &format!("{PODS}/a"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(1));
    assert_eq!(pod(&cluster, "a").text_at("/status/phase"), "Failed");
    cluster.wait(Duration::from_secs(60));
    let requests = cluster.requests_of("pod-garbage-collector").0;
    cluster.wait(Duration::from_secs(600));
    assert_eq!(cluster.requests_of("pod-garbage-collector").0, requests);
}
