//! The slices of Services: how many there are, and what happens to those that others change.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::items;
use controllers::Options;
use json_tree::{Value, json};

const SERVICES: &str = "/api/v1/namespaces/default/services";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const PODS: &str = "/api/v1/namespaces/default/pods";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const OWN: &str = "kubernetes.io/service-name=web";

/// Makes a cluster with a node and a Service `web`.
/// All controllers but those for which nodes without kubelets are lost, and pods without nodes.
const CONTROLLERS: [&str; 3] = ["*", "-node-lifecycle-controller", "-pod-garbage-collector-controller"];

fn cluster() -> Cluster {
    let mut cluster =
        Cluster::with_options(&CONTROLLERS, &Options { scheduler: Some(false), ..Options::default() });
    cluster.send("POST", "/api/v1/nodes", &json!({"metadata": {"name": "node"}}), JSON);
    let spec = json!({"selector": {"app": "web"}, "ports": [{"port": 80}]});
    cluster.send("POST", SERVICES, &json!({"metadata": {"name": "web"}, "spec": spec}), JSON);
    cluster.settle();
    cluster
}

/// Makes a pod with an address on a node.
fn make_pod(cluster: &Cluster, number: usize, node: &str) {
    let name = format!("web-{number:03}");
    let spec = json!({"nodeName": node, "containers": [{"name": "c", "image": "example.com/c"}]});
    let pod = json!({"metadata": {"name": name.as_str(), "labels": {"app": "web"}}, "spec": spec});
    cluster.send("POST", PODS, &pod, JSON);
    let address = format!("10.0.{}.{}", number / 200, number % 200 + 1);
    let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2027-01-15T08:00:00Z"});
    let status =
        json!({"podIP": address.as_str(), "podIPs": [{"ip": address.as_str()}], "conditions": [ready]});
    cluster.send("PATCH", &format!("{PODS}/{name}/status"), &json!({"status": status}), MERGE);
}

/// Returns the numbers of endpoints of the slices, the largest first.
fn sizes(cluster: &Cluster) -> Vec<usize> {
    let slices = items(cluster, &format!("{SLICES}?labelSelector={OWN}"));
    let mut sizes: Vec<usize> =
        slices.iter().map(|slice| slice["endpoints"].as_array().map_or(0, Vec::len)).collect();
    sizes.sort_by(|a, b| b.cmp(a));
    sizes
}

fn only(cluster: &Cluster) -> Value {
    let slices = items(cluster, &format!("{SLICES}?labelSelector={OWN}"));
    assert_eq!(slices.len(), 1);
    slices[0].clone()
}

#[test]
fn a_slice_has_a_hundred_endpoints_at_most() {
    let mut cluster = cluster();
    assert_eq!(sizes(&cluster), [0]);
    for number in 0..250 {
        make_pod(&cluster, number, "node");
    }
    cluster.settle();
    assert_eq!(sizes(&cluster), [100, 100, 50]);
    for number in 0..30 {
        cluster.send("DELETE", &format!("{PODS}/web-{number:03}?gracePeriodSeconds=0"), &Value::Null, JSON);
    }
    cluster.settle();
    assert_eq!(sizes(&cluster), [100, 70, 50]);
    // The first slice with room for all of them takes them, and no other one is written.
    let before = cluster.writes();
    for number in 300..320 {
        make_pod(&cluster, number, "node");
    }
    let made = cluster.writes();
    cluster.settle();
    assert_eq!((sizes(&cluster), made - before), (vec![100, 90, 50], 40));
    // The Endpoints are written, too.
    assert_eq!(cluster.writes() - made, 2);
}

#[test]
fn a_slice_that_somebody_changes_or_deletes_is_mended_a_second_later() {
    let mut cluster = cluster();
    make_pod(&cluster, 1, "node");
    cluster.settle();
    let slice = only(&cluster);
    let path = format!("{SLICES}/{}", slice.text_at("/metadata/name"));
    cluster.send("PATCH", &path, &json!({"endpoints": []}), MERGE);
    cluster.settle();
    assert_eq!(sizes(&cluster), [0]);
    cluster.wait(Duration::from_secs(1));
    assert_eq!(only(&cluster)["endpoints"], slice["endpoints"]);
    cluster.send("DELETE", &path, &Value::Null, JSON);
    cluster.settle();
    assert_eq!(sizes(&cluster).len(), 0);
    cluster.wait(Duration::from_secs(1));
    assert_eq!(only(&cluster)["endpoints"], slice["endpoints"]);
    // One that belongs to somebody else from now on is waited for, as kube-controller-manager does until it begins anew.
    let other = json!({"metadata": {"labels": {"endpointslice.kubernetes.io/managed-by": "me"}}});
    let name = only(&cluster).text_at("/metadata/name").to_owned();
    cluster.send("PATCH", &format!("{SLICES}/{name}"), &other, MERGE);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(sizes(&cluster), [1]);
    cluster.restart(&["endpointslice"], &Options::default());
    cluster.settle();
    assert_eq!(sizes(&cluster), [1, 1]);
}

#[test]
fn a_pod_whose_node_is_not_there_is_told_of_and_left_out() {
    let mut cluster = cluster();
    make_pod(&cluster, 1, "nowhere");
    make_pod(&cluster, 2, "node");
    cluster.settle();
    assert_eq!(sizes(&cluster), [1]);
    let message = "Error updating Endpoint Slices for Service default/web: skipping Pod web-001 for Service default/web: \
                   Node nowhere Not Found";
    let events = items(&cluster, "/api/v1/namespaces/default/events");
    let told = events.iter().find(|event| event.text("reason") == "FailedToUpdateEndpointSlices").unwrap();
    assert_eq!(told.text("message"), message);
    let delay = cluster.manager.next_due().unwrap() - clock::Clock::now(&cluster.clock);
    assert_eq!(delay, Duration::from_secs(1));
    cluster.send("POST", "/api/v1/nodes", &json!({"metadata": {"name": "nowhere"}}), JSON);
    cluster.wait(delay);
    assert_eq!(sizes(&cluster), [2]);
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn who_begins_anew_changes_nothing() {
    let mut cluster = cluster();
    make_pod(&cluster, 1, "node");
    cluster.settle();
    let before = only(&cluster);
    cluster.restart(&["endpointslice"], &Options::default());
    cluster.wait(Duration::from_secs(2));
    assert_eq!(only(&cluster), before);
}

#[test]
fn services_that_select_nothing_have_no_slices() {
    let mut cluster = cluster();
    let ports = json!([{"port": 80}]);
    let named = json!({"metadata": {"name": "a"}, "spec": {"type": "ExternalName", "externalName": "b.c", "selector": {"app": "web"}}});
    cluster.send("POST", SERVICES, &named, JSON);
    cluster.send("POST", SERVICES, &json!({"metadata": {"name": "b"}, "spec": {"ports": ports}}), JSON);
    cluster.settle();
    let slices = items(&cluster, SLICES);
    let services: Vec<&str> =
        slices.iter().map(|slice| slice["metadata"]["labels"].text("kubernetes.io/service-name")).collect();
    assert_eq!(services, ["kubernetes", "web"]);
}
