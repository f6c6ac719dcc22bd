//! Plays the scenes that the page offers, and looks whether each step shows what its text says.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, cluster};
use json_tree::Value;
use protocol::controllers::{Command, Switches};

const SCENES: &str = include_str!("../../../../src/model/lab/scenes.json");

/// Returns a scene of the page in a namespace of that name.
fn scene(name: &str) -> Value {
    let scenes: Value = serde_json::from_str(&SCENES.replace("{ns}", name)).unwrap();
    let found = scenes.as_array().unwrap().iter().find(|scene| scene.text("name") == name);
    found.unwrap_or_else(|| panic!("there is no scene {name}")).clone()
}

/// Plays a scene in a cluster, and compares what is there after each step with what is expected.
#[track_caller]
fn check_in(cluster: &mut Cluster, name: &str) {
    let namespace = serde_json::from_str(&format!("{{\"metadata\":{{\"name\":\"{name}\"}}}}")).unwrap();
    cluster.send("POST", "/api/v1/namespaces", &namespace, JSON);
    for step in scene(name)["steps"].as_array().unwrap() {
        play(cluster, step);
        for expectation in step["expect"].as_array().unwrap() {
            let [path, pointer, expected] = expectation.as_array().unwrap().as_slice() else { panic!() };
            let object = cluster.get(path.as_text());
            let found = object.pointer(pointer.as_text()).unwrap_or(&Value::Null);
            assert_eq!(found, expected, "{name}: {}\n{path} {pointer}\n{object}", step.text("does"));
        }
    }
}

fn play(cluster: &mut Cluster, step: &Value) {
    for request in step.get("requests").and_then(Value::as_array).into_iter().flatten() {
        let (method, path) = request.text("send").split_once(' ').unwrap();
        let media_type = request.get("type").map_or(JSON, Value::as_text);
        cluster.send(method, path, request.get("body").unwrap_or(&Value::Null), media_type);
    }
    for switch in step.get("switches").and_then(Value::as_array).into_iter().flatten() {
        let (name, switches): (String, Switches) = serde_json::from_str(&switch.to_string()).unwrap();
        cluster.manager.control().command(Command::Switch { name, switches }).unwrap();
    }
    for field in ["passes", "seconds"] {
        let seconds = step.get(field).and_then(Value::as_u64).unwrap_or_default();
        cluster.wait(Duration::from_secs(seconds));
    }
}

#[track_caller]
fn check(name: &str) {
    check_in(&mut cluster(3), name);
}

#[test]
fn rollout() {
    check("rollout");
}

#[test]
fn deletion() {
    check("deletion");
}

#[test]
fn configuration() {
    check("configuration");
}

#[test]
fn stateful_set() {
    check("stateful-set");
}

#[test]
fn job() {
    check("job");
}

#[test]
fn cron_job() {
    check("cron-job");
}

#[test]
fn namespace() {
    check("namespace");
}

#[test]
fn node() {
    check("node");
}

#[test]
fn preemption() {
    check("preemption");
}

#[test]
fn autoscaler() {
    check("autoscaler");
}
