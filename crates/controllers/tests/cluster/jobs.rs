//! Jobs, with nodes whose kubelets only pretend, or with pods whose status is written by hand.

use std::time::Duration;

use clock::Clock;
use golang::time::Time;
use json_tree::{Value, json};

use super::Cluster;
use super::pods::{JSON, MERGE, PODS, cluster, items};

pub(crate) const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

pub(crate) fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Sets fields of an object.
pub(crate) fn with(mut object: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        object[key.as_str()] = value.clone();
    }
    object
}

/// Makes a Job whose pods have a behaviour, with fields of its specification.
pub(crate) fn job(behaviour: &str, more: &Value) -> Value {
    let template = json!({
        "metadata": {"annotations": {"kubeglass.dev/behaviour": behaviour}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "worker:1.37"}]}
    });
    json!({"metadata": {"name": "job"}, "spec": with(json!({"template": template}), more)})
}

/// Makes a cluster without nodes, and a Job.
pub(crate) fn without_nodes(more: &Value) -> Cluster {
    let mut cluster = Cluster::new();
    cluster.settle();
    cluster.send("POST", JOBS, &job("", more), JSON);
    cluster.wait(seconds(2));
    cluster
}

/// Makes a cluster with nodes, and a Job, and lets time pass.
pub(crate) fn with_nodes(behaviour: &str, more: &Value, time: Duration) -> Cluster {
    let mut cluster = cluster(2);
    cluster.send("POST", JOBS, &job(behaviour, more), JSON);
    cluster.wait(time);
    cluster
}

pub(crate) fn the_job(cluster: &Cluster) -> Value {
    cluster.get(&format!("{JOBS}/job"))
}

pub(crate) fn status(cluster: &Cluster) -> Value {
    the_job(cluster)["status"].clone()
}

/// Tells of the numbers of a status: of pods that are active, ready, terminating, and that have succeeded and failed.
pub(crate) fn numbers(cluster: &Cluster) -> [i64; 5] {
    let status = status(cluster);
    ["active", "ready", "terminating", "succeeded", "failed"]
        .map(|field| status.get(field).and_then(Value::as_i64).unwrap_or_default())
}

/// Tells of the conditions.
pub(crate) fn conditions(cluster: &Cluster) -> Vec<String> {
    let status = status(cluster);
    let conditions = status.get("conditions").and_then(Value::as_array).into_iter().flatten();
    let line = |condition: &Value| {
        ["type", "status", "reason", "message"].map(|key| condition.text(key)).join(" | ")
    };
    conditions.map(line).collect()
}

/// Tells of the events about the Job, without the names of pods: how often, why, and with which words.
pub(crate) fn events(cluster: &Cluster) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    let own = all.iter().filter(|event| event.text_at("/involvedObject/kind") == "Job");
    let mut counts: Vec<(String, i64)> = Vec::new();
    for event in own {
        let message = event.text("message");
        let message = message.split_once(" pod: ").map_or(message, |(before, _)| before);
        let line = format!("{} {}: {message}", event.text("type"), event.text("reason"));
        let count = event["count"].as_i64().unwrap();
        match counts.iter_mut().find(|(known, _)| *known == line) {
            Some(known) => known.1 += count,
            None => counts.push((line, count)),
        }
    }
    counts.iter().map(|(line, count)| format!("{count}x {line}")).collect()
}

pub(crate) fn phases(cluster: &Cluster) -> Vec<String> {
    items(cluster, PODS).iter().map(|pod| pod.text_at("/status/phase").to_owned()).collect()
}

pub(crate) fn names(cluster: &Cluster) -> Vec<String> {
    items(cluster, PODS).iter().map(|pod| pod.text_at("/metadata/name").to_owned()).collect()
}

/// Returns the names of the pods with an index that have not ended.
pub(crate) fn of_index(cluster: &Cluster, index: &str) -> Vec<String> {
    let is_meant = |pod: &&Value| {
        pod.text_at("/metadata/labels/batch.kubernetes.io~1job-completion-index") == index
            && ["Pending", "Running"].contains(&pod.text_at("/status/phase"))
    };
    let pods = items(cluster, PODS);
    pods.iter().filter(is_meant).map(|pod| pod.text_at("/metadata/name").to_owned()).collect()
}

/// Has a pod end now.
pub(crate) fn end(cluster: &Cluster, name: &str, phase: &str, code: i64) {
    let now = Time::unix(cluster.clock.now().as_secs() as i64).rfc3339();
    let state =
        json!({"terminated": {"exitCode": code, "finishedAt": now.as_str(), "startedAt": now.as_str()}});
    let container = json!({
        "name": "c", "image": "worker:1.37", "imageID": "", "ready": false, "restartCount": 0, "state": state
    });
    let status = json!({"status": {"phase": phase, "containerStatuses": [container]}});
    cluster.send("PATCH", &format!("{PODS}/{name}/status"), &status, MERGE);
}

pub(crate) fn patch(cluster: &Cluster, spec: &Value) {
    cluster.send("PATCH", &format!("{JOBS}/job"), &json!({"spec": spec}), MERGE);
}

/// Asserts that nothing is left to be done, and that no pod has the finalizer.
#[track_caller]
pub(crate) fn assert_rest(cluster: &mut Cluster) {
    cluster.wait(seconds(5));
    assert_eq!(cluster.manager.next_due(), None);
    for pod in items(cluster, PODS) {
        assert_eq!(pod.pointer("/metadata/finalizers"), None, "{pod}");
    }
}

pub(crate) const MET: &str =
    "SuccessCriteriaMet | True | CompletionsReached | Reached expected number of succeeded pods";
pub(crate) const COMPLETE: &str =
    "Complete | True | CompletionsReached | Reached expected number of succeeded pods";
