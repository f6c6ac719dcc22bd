//! Has the scheduler find nodes for pods.

use std::time::Duration;

use crate::cluster::Cluster;
use controllers::Options;
use json_tree::{Value, json};

const PODS: &str = "/api/v1/namespaces/default/pods";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

/// Makes a cluster with a scheduler alone.
fn cluster() -> Cluster {
    Cluster::with_options(&[], &Options { scheduler: Some(true), ..Options::default() })
}

fn make_node(cluster: &Cluster, name: &str, cpu: &str) {
    let allocatable = json!({"cpu": cpu, "memory": "8Gi", "pods": "110"});
    let status = json!({"allocatable": allocatable.clone(), "capacity": allocatable});
    let node = json!({"metadata": {"name": name}, "status": status});
    cluster.send("POST", "/api/v1/nodes", &node, JSON);
    // Nobody else says that it is ready.
    let patch = json!({"spec": {"taints": null}});
    cluster.send("PATCH", &format!("/api/v1/nodes/{name}"), &patch, MERGE);
}

fn make_pod(cluster: &Cluster, name: &str, cpu: &str, more: &Value) {
    let container = json!({"name": "c", "image": "nginx", "resources": {"requests": {"cpu": cpu}}});
    let mut spec = json!({"containers": [container], "terminationGracePeriodSeconds": 0});
    for (key, value) in more.as_object().unwrap() {
        spec.as_object_mut().unwrap().insert(key.clone(), value.clone());
    }
    cluster.send("POST", PODS, &json!({"metadata": {"name": name}, "spec": spec}), JSON);
}

fn pod(cluster: &Cluster, name: &str) -> Value {
    cluster.get(&format!("{PODS}/{name}"))
}

/// Returns the nodes of pods, in the order of their names; empty for a pod that has none.
fn places(cluster: &Cluster) -> Vec<String> {
    let list = cluster.get(PODS);
    let items = list["items"].as_array().unwrap().iter();
    items.map(|pod| format!("{}: {}", pod.text_at("/metadata/name"), pod.text_at("/spec/nodeName"))).collect()
}

/// Returns the events about a pod: how often, why, and with which words.
fn events(cluster: &Cluster, name: &str) -> Vec<String> {
    let list = cluster.get("/apis/events.k8s.io/v1/namespaces/default/events");
    let items = list["items"].as_array().unwrap().iter();
    let about = items.filter(|event| event.text_at("/regarding/name") == name);
    let line = |event: &Value| {
        let count = event.pointer("/series/count").and_then(Value::as_i64).unwrap_or(1);
        format!("{count} {} {}: {}", event.text("type"), event.text("reason"), event.text("note"))
    };
    about.map(line).collect()
}

/// Returns the time until something is due.
fn delay(cluster: &Cluster) -> Duration {
    cluster.manager.next_due().unwrap() - clock::Clock::now(&cluster.clock)
}

#[test]
fn pods_are_spread_over_nodes_and_wait_for_room() {
    let mut cluster = cluster();
    cluster.settle();
    make_pod(&cluster, "a", "600m", &json!({}));
    cluster.settle();
    let condition = &pod(&cluster, "a")["status"]["conditions"][0];
    let text = "no nodes available to schedule pods";
    assert_eq!((condition.text("reason"), condition.text("message")), ("Unschedulable", text));
    make_node(&cluster, "node-1", "1");
    make_node(&cluster, "node-2", "1");
    for name in ["b", "c"] {
        make_pod(&cluster, name, "600m", &json!({}));
    }
    cluster.wait(Duration::from_secs(20));
    assert_eq!(places(&cluster), ["a: ", "b: node-1", "c: node-2"]);
    let full = "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: \
                0/2 nodes are available: 2 No preemption victims found for incoming pod.";
    let failed = |text: &str| format!("1 Warning FailedScheduling: {text}");
    assert_eq!(events(&cluster, "a"), [failed(text), failed(full)]);
    let bound = "1 Normal Scheduled: Successfully assigned default/b to node-1";
    assert_eq!(events(&cluster, "b"), [bound]);
    assert_eq!(pod(&cluster, "a")["status"]["conditions"][0].text("message"), full);
    assert_eq!(cluster.manager.next_due(), None);
    cluster.send("DELETE", &format!("{PODS}/c"), &Value::Null, JSON);
    cluster.settle();
    assert_eq!(places(&cluster), ["a: node-2", "b: node-1"]);
    let condition = &pod(&cluster, "a")["status"]["conditions"][0];
    assert_eq!((condition.text("type"), condition.text("status")), ("PodScheduled", "True"));
}

#[test]
fn who_fails_often_waits_longer() {
    let mut cluster = cluster();
    make_node(&cluster, "node-1", "1");
    make_pod(&cluster, "a", "2", &json!({}));
    cluster.settle();
    let mut delays = Vec::new();
    for number in 0..6 {
        let label = json!({"metadata": {"labels": {"number": format!("{number}")}}});
        cluster.send("PATCH", "/api/v1/nodes/node-1", &label, MERGE);
        cluster.settle();
        let delay = delay(&cluster);
        delays.push(delay.as_secs());
        cluster.wait(delay);
    }
    assert_eq!(delays, [1, 2, 4, 8, 10, 10]);
    let events = events(&cluster, "a");
    let last = events.last().unwrap();
    assert!(events.len() == 2 && last.starts_with("6 Warning FailedScheduling"), "{events:?}");
}

#[test]
fn more_important_pods_come_first() {
    let mut cluster = cluster();
    make_class(&cluster, "high", 100);
    for (name, more) in [("a", json!({})), ("b", json!({"priorityClassName": "high"})), ("c", json!({}))] {
        make_pod(&cluster, name, "1", &more);
    }
    make_node(&cluster, "node-1", "2");
    cluster.settle();
    assert_eq!(places(&cluster), ["a: node-1", "b: node-1", "c: "]);
}

fn make_class(cluster: &Cluster, name: &str, value: i64) {
    let class = json!({"metadata": {"name": name}, "value": value});
    cluster.send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", &class, JSON);
}

#[test]
fn less_important_pods_are_deleted_and_told_why() {
    let mut cluster = cluster();
    make_class(&cluster, "high", 100);
    make_node(&cluster, "node-1", "1");
    // It takes its time.
    let finalizer = json!({"metadata": {"finalizers": ["example.com/wait"]}});
    make_pod(&cluster, "low", "1", &json!({}));
    cluster.send("PATCH", &format!("{PODS}/low"), &finalizer, MERGE);
    cluster.settle();
    make_pod(&cluster, "high", "1", &json!({"priorityClassName": "high"}));
    cluster.wait(Duration::from_secs(1));
    make_pod(&cluster, "other", "1", &json!({}));
    cluster.wait(Duration::from_secs(30));
    let (low, high) = (pod(&cluster, "low"), pod(&cluster, "high"));
    let conditions = low["status"]["conditions"].as_array().unwrap();
    let target = conditions.iter().find(|condition| condition.text("type") == "DisruptionTarget").unwrap();
    assert_eq!(target.text("reason"), "PreemptionByScheduler");
    assert_eq!(target.text("message"), "default-scheduler: preempting to accommodate a higher priority pod");
    assert_eq!(high.text_at("/status/nominatedNodeName"), "node-1");
    let text =
        format!("1 Normal Preempted: Preempted by pod {} on node node-1", high.text_at("/metadata/uid"));
    assert!(events(&cluster, "low").contains(&text), "{:?}", events(&cluster, "low"));
    cluster.send("PATCH", &format!("{PODS}/low"), &json!({"metadata": {"finalizers": null}}), MERGE);
    cluster.wait(Duration::from_secs(30));
    assert_eq!(places(&cluster), ["high: node-1", "other: "]);
    assert_eq!(pod(&cluster, "high").pointer("/status/nominatedNodeName"), None);
    let inspect = cluster.server.inspect();
    let requests = inspect.served(0, usize::MAX);
    let binding = requests.iter().find(|request| request.uri.ends_with("/pods/high/binding")).unwrap();
    assert_eq!(binding.access.as_ref().unwrap().user, "system:kube-scheduler");
    assert_eq!(binding.user_agent, "kube-scheduler/v1.36.2 (linux/amd64) kubernetes/kubeglass/scheduler");
}

#[test]
fn others_find_nodes_for_their_pods() {
    let mut cluster = cluster();
    make_node(&cluster, "node-1", "2");
    make_pod(&cluster, "a", "1", &json!({"schedulerName": "other"}));
    make_pod(&cluster, "b", "1", &json!({"schedulingGates": [{"name": "example.com/gate"}]}));
    cluster.wait(Duration::from_secs(30));
    assert_eq!(places(&cluster), ["a: ", "b: "]);
    assert_eq!(cluster.manager.next_due(), None);
    cluster.send("PATCH", &format!("{PODS}/b"), &json!({"spec": {"schedulingGates": null}}), MERGE);
    cluster.settle();
    assert_eq!(places(&cluster), ["a: ", "b: node-1"]);
}

#[test]
fn a_pod_that_becomes_smaller_makes_room() {
    let mut cluster = cluster();
    make_node(&cluster, "node-1", "1");
    for name in ["a", "b"] {
        make_pod(&cluster, name, "600m", &json!({}));
    }
    cluster.settle();
    assert_eq!(places(&cluster), ["a: node-1", "b: "]);
    let container = json!({"name": "c", "resources": {"requests": {"cpu": "400m"}}});
    let patch = json!({"spec": {"containers": [container]}});
    cluster.send("PATCH", &format!("{PODS}/a/resize"), &patch, "application/strategic-merge-patch+json");
    cluster.wait(Duration::from_secs(2));
    assert_eq!(places(&cluster), ["a: node-1", "b: node-1"]);
}

#[test]
fn who_was_on_a_node_that_is_gone_repels_nobody() {
    let mut cluster = cluster();
    for name in ["node-1", "node-2"] {
        make_node(&cluster, name, "1");
        let zone = json!({"metadata": {"labels": {"zone": "x"}}});
        cluster.send("PATCH", &format!("/api/v1/nodes/{name}"), &zone, MERGE);
    }
    let term = json!({"labelSelector": {}, "topologyKey": "zone"});
    let affinity = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
    make_pod(&cluster, "a", "1", &json!({"affinity": affinity}));
    cluster.settle();
    make_pod(&cluster, "b", "1", &json!({}));
    cluster.settle();
    assert_eq!(places(&cluster), ["a: node-1", "b: "]);
    cluster.send("DELETE", "/api/v1/nodes/node-1", &Value::Null, JSON);
    cluster.wait(Duration::from_secs(2));
    assert_eq!(places(&cluster), ["a: node-1", "b: node-2"]);
}

#[test]
fn a_change_of_a_pod_itself_waits_for_the_back_off() {
    let mut cluster = cluster();
    make_node(&cluster, "node-1", "1");
    make_pod(&cluster, "a", "2", &json!({}));
    cluster.settle();
    let label = json!({"metadata": {"labels": {"number": "1"}}});
    cluster.send("PATCH", &format!("{PODS}/a"), &label, MERGE);
    cluster.settle();
    assert_eq!(events(&cluster, "a").len(), 1);
    assert_eq!(delay(&cluster), Duration::from_secs(1));
    cluster.wait(Duration::from_secs(1));
    assert_eq!(events(&cluster, "a").len(), 2);
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_pod_that_cannot_be_bound_waits_for_the_back_off() {
    let mut cluster = cluster();
    make_node(&cluster, "node-1", "1");
    cluster.settle();
    let role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:kube-scheduler";
    let whole = cluster.get(role);
    let mut rules = whole["rules"].clone();
    let lets_bind = |rule: &Value| {
        let mut resources = rule["resources"].as_array().into_iter().flatten();
        resources.any(|resource| matches!(resource.as_str(), Some("bindings" | "pods/binding")))
    };
    rules.as_array_mut().unwrap().retain(|rule| !lets_bind(rule));
    cluster.send("PATCH", role, &json!({"rules": rules}), MERGE);
    make_pod(&cluster, "a", "1", &json!({}));
    let mut delays = Vec::new();
    for _ in 0..3 {
        cluster.settle();
        let delay = delay(&cluster);
        delays.push(delay.as_secs());
        cluster.wait(delay);
    }
    assert_eq!(delays, [1, 2, 4]);
    let condition = &pod(&cluster, "a")["status"]["conditions"][0];
    assert_eq!(condition.text("reason"), "SchedulerError");
    assert!(condition.text("message").starts_with("running Bind plugin \"DefaultBinder\": "), "{condition}");
    cluster.send("PATCH", role, &json!({"rules": whole["rules"].clone()}), MERGE);
    cluster.wait(Duration::from_secs(10));
    assert_eq!(places(&cluster), ["a: node-1"]);
}

#[test]
fn nobody_is_left_room_who_is_gone() {
    let mut cluster = cluster();
    make_class(&cluster, "high", 100);
    make_node(&cluster, "node-1", "1");
    let finalizer = json!({"metadata": {"finalizers": ["example.com/wait"]}});
    make_pod(&cluster, "low", "600m", &json!({}));
    cluster.send("PATCH", &format!("{PODS}/low"), &finalizer, MERGE);
    cluster.settle();
    make_pod(&cluster, "high", "1", &json!({"priorityClassName": "high"}));
    cluster.settle();
    make_pod(&cluster, "other", "400m", &json!({}));
    cluster.wait(Duration::from_secs(30));
    assert_eq!(places(&cluster), ["high: ", "low: node-1", "other: "]);
    cluster.send("DELETE", &format!("{PODS}/high"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(30));
    assert_eq!(places(&cluster), ["low: node-1", "other: node-1"]);
}
