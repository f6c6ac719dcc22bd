//! Pods that refer to ConfigMaps and Secrets: without them their volumes are not mounted, and their containers not created.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, cluster, events, line, make_pod, milliseconds, pod};
use controllers::Options;
use json_tree::{Value, json};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Returns the specification of a container with a variable from a Secret.
fn with_password() -> Value {
    let key = json!({"name": "db", "key": "password"});
    let env = json!([{"name": "PASSWORD", "valueFrom": {"secretKeyRef": key}}]);
    json!({"containers": [{"name": "c", "image": "nginx:1.29", "env": env}]})
}

fn make_secret(cluster: &Cluster, key: &str) {
    let mut data = json!({});
    data.as_object_mut().unwrap().insert(key.into(), "c2VjcmV0".into());
    cluster.send("POST", SECRETS, &json!({"metadata": {"name": "db"}, "data": data}), JSON);
}

#[test]
fn a_container_waits_for_its_environment() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "app", "", &with_password());
    cluster.wait(milliseconds(500));
    assert_eq!(line(&cluster, "app"), "Pending c=CreateContainerConfigError/0");
    let app = pod(&cluster, "app");
    assert_eq!(app.text_at("/status/containerStatuses/0/state/waiting/message"), "secret \"db\" not found");
    assert_eq!(app.text_at("/status/conditions/0/type"), "PodReadyToStartContainers");
    assert_eq!(app.text_at("/status/conditions/0/status"), "True");
    let failed = |cluster: &Cluster| {
        let all = events(cluster, "app");
        all.into_iter().filter(|event| event.contains("Failed")).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(failed(&cluster), "1 Failed: Error: secret \"db\" not found");
    // It is there, but it lacks the key.
    make_secret(&cluster, "user");
    cluster.wait(seconds(12));
    let no_key = "couldn't find key password in Secret default/db";
    assert_eq!(
        failed(&cluster),
        format!("1 Failed: Error: secret \"db\" not found; 1 Failed: Error: {no_key}")
    );
    cluster.send("DELETE", &[SECRETS, "/db"].concat(), &Value::Null, JSON);
    make_secret(&cluster, "password");
    cluster.wait(seconds(13));
    assert_eq!(line(&cluster, "app"), "Running c=ready/0");
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_container_that_is_started_again_needs_its_environment_again() {
    let mut cluster = cluster(1);
    make_secret(&cluster, "password");
    make_pod(&cluster, "app", "exit 1 after 5s", &with_password());
    cluster.wait(seconds(2));
    assert_eq!(line(&cluster, "app"), "Running c=ready/0");
    cluster.send("DELETE", &[SECRETS, "/db"].concat(), &Value::Null, JSON);
    cluster.wait(seconds(5));
    assert_eq!(line(&cluster, "app"), "Running c=CreateContainerConfigError/0");
    let app = pod(&cluster, "app");
    let ended = app.pointer("/status/containerStatuses/0/lastState/terminated/exitCode");
    assert_eq!(ended.and_then(Value::as_i64), Some(1));
    make_secret(&cluster, "password");
    cluster.wait(seconds(12));
    assert_eq!(line(&cluster, "app"), "Running c=ready/1");
}

#[test]
fn a_volume_is_mounted_again_until_its_config_map_is_there() {
    let mut cluster = cluster(1);
    let mounts = json!([{"name": "config", "mountPath": "/etc/app"}]);
    let spec = json!({
        "volumes": [{"name": "config", "configMap": {"name": "settings"}}],
        "containers": [{
            "name": "c", "image": "busybox:1.37", "volumeMounts": mounts, "command": ["sh", "-c", "cat /etc/app/greeting; exit 3"]
        }],
        "restartPolicy": "Never"
    });
    cluster.send("POST", PODS, &json!({"metadata": {"name": "app"}, "spec": spec}), JSON);
    cluster.wait(seconds(5));
    assert_eq!(line(&cluster, "app"), "Pending c=ContainerCreating/0");
    let app = pod(&cluster, "app");
    assert_eq!(app.text_at("/status/conditions/0/status"), "False");
    // At once, and after 0.5, 1.5, and 3.5 seconds.
    let message = "MountVolume.SetUp failed for volume \"config\" : configmap \"settings\" not found";
    assert_eq!(events(&cluster, "app"), [format!("4 FailedMount: {message}")]);
    let settings = json!({"metadata": {"name": "settings"}, "data": {"greeting": "hello\n"}});
    cluster.send("POST", CONFIG_MAPS, &settings, JSON);
    // What the command does is known only now.
    cluster.wait(seconds(5));
    assert_eq!(line(&cluster, "app"), "Failed c=Error/0");
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn who_takes_over_goes_on_to_wait() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "app", "", &with_password());
    cluster.wait(seconds(1));
    cluster.restart(&["*"], &Options::with_nodes(1));
    cluster.wait(seconds(1));
    assert_eq!(line(&cluster, "app"), "Pending c=CreateContainerConfigError/0");
    make_secret(&cluster, "password");
    cluster.wait(seconds(13));
    assert_eq!(line(&cluster, "app"), "Running c=ready/0");
}

#[test]
fn a_container_waits_for_its_turn_as_well() {
    let mut cluster = cluster(1);
    let env = json!([{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]);
    let spec = json!({
        "initContainers": [{"name": "side", "image": "nginx:1.29", "restartPolicy": "Always"}],
        "containers": [{"name": "c", "image": "nginx:1.29", "env": env}]
    });
    // While the sidecar is started again, later each time, nothing after it is tried.
    make_pod(&cluster, "app", "side: exit 1 after 2s", &spec);
    cluster.wait(seconds(120));
    assert_eq!(line(&cluster, "app").split(' ').nth(2), Some("c=CreateContainerConfigError/0"));
    make_secret(&cluster, "password");
    cluster.wait(seconds(300));
    assert_eq!(line(&cluster, "app").split(' ').nth(2), Some("c=ready/0"));
}

#[test]
fn what_is_optional_is_not_waited_for() {
    let mut cluster = cluster(1);
    let source = json!({"configMapRef": {"name": "nowhere", "optional": true}});
    let volume = json!({"name": "v", "secret": {"secretName": "nowhere", "optional": true}});
    let container = json!({
        "name": "c", "image": "nginx:1.29", "envFrom": [source], "volumeMounts": [{"name": "v", "mountPath": "/v"}]
    });
    make_pod(&cluster, "app", "", &json!({"containers": [container], "volumes": [volume]}));
    cluster.wait(seconds(1));
    assert_eq!(line(&cluster, "app"), "Running c=ready/0");
}
