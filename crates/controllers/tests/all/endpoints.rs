//! Endpoints: those that nobody keeps, those with too many addresses, and their mirrors.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, cluster, items, make_pod, milliseconds};
use controllers::Options;
use json_tree::{Value, json};

const ENDPOINTS: &str = "/api/v1/namespaces/default/endpoints";
const SERVICES: &str = "/api/v1/namespaces/default/services";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

fn names(cluster: &Cluster, path: &str) -> Vec<String> {
    let all = items(cluster, path);
    let names = all.iter().map(|item| item.text_at("/metadata/name").to_owned());
    names.filter(|name| name != "kubernetes").collect()
}

fn make(cluster: &Cluster, name: &str, annotations: &Value, addresses: usize) {
    let addresses: Vec<Value> = (0..addresses)
        .map(|number| json!({"ip": format!("10.1.{}.{}", number / 250, number % 250)}))
        .collect();
    let subsets = json!([{"addresses": addresses, "ports": [{"port": 80}]}]);
    let metadata = json!({"name": name, "annotations": annotations});
    cluster.send("POST", ENDPOINTS, &json!({"metadata": metadata, "subsets": subsets}), JSON);
}

#[test]
fn what_a_service_left_over_goes_when_controllers_begin() {
    let mut cluster = Cluster::with(&["namespace-controller"]);
    cluster.settle();
    make(&cluster, "gone", &json!({}), 1);
    make(&cluster, "lock", &json!({"control-plane.alpha.kubernetes.io/leader": "{}"}), 1);
    cluster.restart(&["*"], &Options::default());
    cluster.settle();
    assert_eq!(names(&cluster, ENDPOINTS), ["lock"]);
    make(&cluster, "later", &json!({}), 1);
    cluster.wait(Duration::from_secs(5));
    assert_eq!(names(&cluster, ENDPOINTS), ["later", "lock"]);
}

#[test]
fn a_thousand_addresses_are_mirrored() {
    let mut cluster = Cluster::new();
    cluster.settle();
    cluster.send(
        "POST",
        SERVICES,
        &json!({"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}),
        JSON,
    );
    make(&cluster, "s", &json!({}), 1003);
    cluster.wait(Duration::from_secs(2));
    let slices = items(&cluster, &format!("{SLICES}?labelSelector=kubernetes.io/service-name%3Ds"));
    let counts: Vec<usize> =
        slices.iter().map(|slice| slice["endpoints"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [1000]);
    let events = items(&cluster, "/api/v1/namespaces/default/events");
    let messages: Vec<&str> = events.iter().map(|event| event.text("message")).collect();
    let expected = "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 3 addresses were skipped";
    assert_eq!(messages, [expected]);
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn pods_that_run_are_in_endpoints() {
    let mut cluster = cluster(1);
    let spec = json!({"selector": {"app": "a"}, "ports": [{"port": 80}]});
    cluster.send("POST", SERVICES, &json!({"metadata": {"name": "s"}, "spec": spec}), JSON);
    make_pod(&cluster, "a", "", &json!({}));
    let path = format!("{}/a", crate::cluster::pods::PODS);
    let patch = json!({"metadata": {"labels": {"app": "a"}}});
    cluster.send("PATCH", &path, &patch, crate::cluster::pods::MERGE);
    cluster.wait(milliseconds(3000));
    let pod = cluster.get(&path);
    let endpoints = cluster.get(&format!("{ENDPOINTS}/s"));
    let address = &endpoints["subsets"][0]["addresses"][0];
    assert_eq!(address["ip"], pod["status"]["podIP"]);
    assert_eq!(address["targetRef"]["uid"], pod["metadata"]["uid"]);
    assert_eq!(cluster.manager.next_due(), None);
}
