//! Measures how long controllers take: a Deployment of 100 replicas until all are ready, without nodes and on three of them, and the
//! deletion of 10,000 objects by their owner. `cargo run --release -p kubeglass-controllers --example numbers`

#[path = "../tests/cluster/mod.rs"]
mod cluster;

use std::time::{Duration, Instant};

use cluster::Cluster;
use controllers::Options;
use json_tree::{Value, json};

const JSON: &str = "application/json";

fn main() {
    nodes(3, 100);
    let (mut cluster, begin) = (Cluster::new(), Instant::now());
    cluster.settle();
    println!("a new cluster comes to rest: {:?}", begin.elapsed());
    deployment(&mut cluster, 100);
    cascade(&mut cluster, 10_000);
}

/// Makes a Deployment on nodes, and waits until all of its pods run.
fn nodes(nodes: u32, replicas: i64) {
    let mut cluster = Cluster::with_options(&["*"], &Options::with_nodes(nodes));
    cluster.settle();
    let begin = Instant::now();
    cluster.send("POST", "/apis/apps/v1/namespaces/default/deployments", &web(replicas), JSON);
    cluster.settle();
    let scheduled = begin.elapsed();
    cluster.wait(Duration::from_secs(2));
    let elapsed = begin.elapsed();
    let status = cluster.get("/apis/apps/v1/namespaces/default/deployments/web");
    assert_eq!(status.pointer("/status/availableReplicas").and_then(Value::as_i64), Some(replicas));
    println!("{replicas} pods have one of {nodes} nodes: {scheduled:?}; and run: {elapsed:?}");
}

fn web(replicas: i64) -> Value {
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}});
    let spec =
        json!({"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template});
    json!({"metadata": {"name": "web"}, "spec": spec})
}

/// Makes a Deployment, and its pods ready, one after the other.
fn deployment(cluster: &mut Cluster, replicas: i64) {
    let begin = Instant::now();
    cluster.send("POST", "/apis/apps/v1/namespaces/default/deployments", &web(replicas), JSON);
    cluster.settle();
    let made = begin.elapsed();
    cluster.make_ready("default", "app=web");
    let status = cluster.get("/apis/apps/v1/namespaces/default/deployments/web");
    assert_eq!(status.pointer("/status/availableReplicas").and_then(Value::as_i64), Some(replicas));
    println!("{replicas} pods are made: {made:?}; and ready: {:?}", begin.elapsed());
    cluster.call("DELETE", "/apis/apps/v1/namespaces/default/deployments/web", &Value::Null, JSON);
    cluster.wait(Duration::from_secs(5));
}

/// Deletes an object that owns many.
fn cascade(cluster: &mut Cluster, dependents: usize) {
    let maps = "/api/v1/namespaces/default/configmaps";
    let owner = cluster.send("POST", maps, &json!({"metadata": {"name": "owner"}}), JSON);
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.text_at("/metadata/uid")});
    for number in 0..dependents {
        let metadata = json!({"name": format!("d{number}"), "ownerReferences": [reference.clone()]});
        cluster.send("POST", maps, &json!({"metadata": metadata}), JSON);
    }
    let begin = Instant::now();
    cluster.settle();
    println!("{dependents} objects are seen: {:?}", begin.elapsed());
    let begin = Instant::now();
    cluster.send("DELETE", &format!("{maps}/owner"), &Value::Null, JSON);
    cluster.settle();
    println!("and deleted after their owner: {:?}", begin.elapsed());
    assert_eq!(cluster.get(maps)["items"].as_array().map(Vec::len), Some(1));
}
