//! Pods on nodes whose kubelets only pretend.

use std::time::Duration;

use controllers::Options;
use json_tree::{Value, json};

use super::Cluster;

pub(crate) const PODS: &str = "/api/v1/namespaces/default/pods";
pub(crate) const JSON: &str = "application/json";
pub(crate) const MERGE: &str = "application/merge-patch+json";

/// Makes a cluster with all controllers, a scheduler and nodes.
pub(crate) fn cluster(nodes: u32) -> Cluster {
    let mut cluster = Cluster::with_options(&["*"], &Options::with_nodes(nodes));
    cluster.settle();
    cluster
}

pub(crate) fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Makes a pod of one container, with a behaviour and fields of its specification.
pub(crate) fn make_pod(cluster: &Cluster, name: &str, behaviour: &str, more: &Value) {
    let mut spec = json!({"containers": [{"name": "c", "image": "nginx:1.29"}]});
    for (key, value) in more.as_object().unwrap() {
        spec.as_object_mut().unwrap().insert(key.clone(), value.clone());
    }
    let annotations = json!({"kubeglass.dev/behaviour": behaviour});
    let pod = json!({"metadata": {"name": name, "annotations": annotations}, "spec": spec});
    cluster.send("POST", PODS, &pod, JSON);
}

pub(crate) fn pod(cluster: &Cluster, name: &str) -> Value {
    cluster.get(&format!("{PODS}/{name}"))
}

pub(crate) fn items(cluster: &Cluster, path: &str) -> Vec<Value> {
    cluster.get(path)["items"].as_array().cloned().unwrap_or_default()
}

/// Tells of a pod in one line: the phase, and each container with its state and how often it was started again.
pub(crate) fn line(cluster: &Cluster, name: &str) -> String {
    let pod = pod(cluster, name);
    let mut line = pod.text_at("/status/phase").to_owned();
    for field in ["initContainerStatuses", "containerStatuses"] {
        let statuses = pod["status"].get(field).and_then(Value::as_array).into_iter().flatten();
        for status in statuses {
            let (state, about) = status["state"].as_object().unwrap().iter().next().unwrap();
            let what = match state.as_str() {
                "running" if status["ready"].as_bool() == Some(true) => "ready",
                "running" => "unready",
                _ => about.text("reason"),
            };
            line += &format!(" {}={what}/{}", status.text("name"), status["restartCount"]);
        }
    }
    line
}

/// Returns the events of the kubelets about a pod: how often, why, and with which words.
pub(crate) fn events(cluster: &Cluster, name: &str) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    let own = all.iter().filter(|event| {
        event.text_at("/involvedObject/name") == name && event.text_at("/source/component") == "kubelet"
    });
    own.map(|event| format!("{} {}: {}", event["count"], event.text("reason"), event.text("message")))
        .collect()
}
