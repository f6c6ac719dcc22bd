//! Has pods end on nodes whose kubelets only pretend: by themselves, too late, or because they are deleted.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, PODS, cluster, events, items, line, make_pod, milliseconds, pod};
use json_tree::{Value, json};

#[test]
fn pods_that_are_not_started_again_succeed_or_fail() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "a", "exit 0 after 1s", &json!({"restartPolicy": "Never"}));
    make_pod(&cluster, "b", "exit 3 after 1s", &json!({"restartPolicy": "Never"}));
    make_pod(&cluster, "c", "exit 0 after 1s", &json!({"restartPolicy": "OnFailure"}));
    make_pod(&cluster, "d", "", &json!({"activeDeadlineSeconds": 5}));
    cluster.wait(Duration::from_secs(3));
    assert_eq!(line(&cluster, "a"), "Succeeded c=Completed/0");
    assert_eq!(line(&cluster, "b"), "Failed c=Error/0");
    assert_eq!(line(&cluster, "c"), "Succeeded c=Completed/0");
    let ready = &pod(&cluster, "a")["status"]["conditions"][2];
    assert_eq!((ready.text("type"), ready.text("reason")), ("Ready", "PodCompleted"));
    cluster.wait(Duration::from_secs(10));
    let late = pod(&cluster, "d");
    let why = (late.text_at("/status/phase"), late.text_at("/status/reason"));
    assert_eq!(why, ("Failed", "DeadlineExceeded"));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn pods_end_gracefully() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "a", "", &json!({}));
    make_pod(&cluster, "b", "ignore TERM", &json!({"terminationGracePeriodSeconds": 20}));
    make_pod(&cluster, "c", "ignore TERM", &json!({}));
    cluster.wait(Duration::from_secs(2));
    let exists = |cluster: &Cluster, name: &str| {
        cluster.call("GET", &format!("{PODS}/{name}"), &Value::Null, JSON).0 == 200
    };
    for name in ["a", "b", "c"] {
        cluster.send("DELETE", &format!("{PODS}/{name}"), &Value::Null, JSON);
    }
    cluster.settle();
    assert_eq!(events(&cluster, "a").last().unwrap(), "1 Killing: Stopping container c");
    assert!(exists(&cluster, "a"));
    cluster.wait(milliseconds(200));
    assert!(!exists(&cluster, "a") && exists(&cluster, "b"));
    cluster.wait(Duration::from_secs(10));
    // A deletion with a shorter time.
    cluster.send("DELETE", &format!("{PODS}/c"), &json!({"gracePeriodSeconds": 1}), JSON);
    cluster.wait(Duration::from_secs(2));
    assert!(!exists(&cluster, "c") && exists(&cluster, "b"));
    cluster.wait(Duration::from_secs(8));
    assert!(!exists(&cluster, "b"));
    assert_eq!(cluster.manager.next_due(), None);
    let requests = cluster.server.inspect().served(0, usize::MAX);
    let last = requests
        .iter()
        .rev()
        .find(|request| request.method == "DELETE" && request.uri.ends_with("/pods/b"))
        .unwrap();
    assert_eq!(last.access.as_ref().unwrap().user, "system:node:node-1");
}

#[test]
fn a_pod_whose_containers_never_began_ends_at_once() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "", &json!({"containers": [{"name": "c", "image": "a.invalid/x"}]}));
    make_pod(&cluster, "q", "exit 1", &json!({}));
    cluster.wait(Duration::from_secs(30));
    assert_eq!(line(&cluster, "q"), "Running c=CrashLoopBackOff/2");
    for name in ["p", "q"] {
        keep(&cluster, name);
        cluster.send("DELETE", &format!("{PODS}/{name}"), &Value::Null, JSON);
    }
    cluster.settle();
    assert_eq!(line(&cluster, "p"), "Failed c=ContainerStatusUnknown/0");
    assert_eq!(line(&cluster, "q"), "Failed c=Error/2");
    cluster.wait(Duration::from_secs(30));
    assert_eq!(cluster.manager.next_due(), None);
    for name in ["p", "q"] {
        let released = json!({"metadata": {"finalizers": null}});
        cluster.send("PATCH", &format!("{PODS}/{name}"), &released, MERGE);
    }
    cluster.settle();
    assert_eq!(items(&cluster, PODS).len(), 0);
}

/// Has objects not be gone before somebody says so.
fn keep(cluster: &Cluster, name: &str) {
    let finalizers = json!({"metadata": {"finalizers": ["example.com/wait"]}});
    cluster.send("PATCH", &format!("{PODS}/{name}"), &finalizers, MERGE);
}

#[test]
fn a_pod_has_not_failed_while_it_runs() {
    let mut cluster = cluster(1);
    let spec = json!({"activeDeadlineSeconds": 5, "terminationGracePeriodSeconds": 10});
    make_pod(&cluster, "p", "ignore TERM", &spec);
    cluster.wait(milliseconds(5100));
    assert_eq!(line(&cluster, "p"), "Running c=ready/0");
    let status = pod(&cluster, "p")["status"].clone();
    assert_eq!((status.text("reason"), status.text("message")), ("", ""));
    let ready = &status["conditions"][2];
    assert_eq!((ready.text("status"), ready.text("reason")), ("False", "PodFailed"));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(line(&cluster, "p"), "Failed c=Error/0");
    let status = pod(&cluster, "p")["status"].clone();
    assert_eq!(status.text("reason"), "DeadlineExceeded");
    assert_eq!(status.text("message"), "Pod was active on the node longer than the specified deadline");
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn who_never_began_is_lost_if_the_pod_was_initialized() {
    let mut cluster = cluster(1);
    let container = |name: &str| json!({"name": name, "image": "nginx:1.29"});
    let inits = json!([container("one"), container("two")]);
    make_pod(&cluster, "deleted", "one: exit 0 after 1m", &json!({"initContainers": inits}));
    let never = json!({"initContainers": inits, "restartPolicy": "Never"});
    make_pod(&cluster, "failed", "two: exit 1 after 1s", &never);
    let images = json!([{"name": "c", "image": "a.test/x"}]);
    make_pod(&cluster, "late", "", &json!({"activeDeadlineSeconds": 5, "containers": images}));
    let spec = json!({"activeDeadlineSeconds": 5, "initContainers": images, "containers": [container("d")]});
    make_pod(&cluster, "first", "", &spec);
    cluster.wait(Duration::from_secs(3));
    keep(&cluster, "deleted");
    cluster.send("DELETE", &format!("{PODS}/deleted"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(5));
    let waits = "two=PodInitializing/0 c=PodInitializing/0";
    assert_eq!(line(&cluster, "deleted"), format!("Failed one=Completed/0 {waits}"));
    assert_eq!(line(&cluster, "failed"), "Failed one=Completed/0 two=Error/0 c=PodInitializing/0");
    assert_eq!(line(&cluster, "late"), "Failed c=ContainerStatusUnknown/0");
    let code = "/status/containerStatuses/0/state/terminated/exitCode";
    assert_eq!(pod(&cluster, "late").pointer(code).and_then(Value::as_i64), Some(137));
    assert_eq!(line(&cluster, "first"), "Failed c=ContainerStatusUnknown/0 d=PodInitializing/0");
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn who_has_a_hook_is_told_to_stop_after_it() {
    let mut cluster = cluster(1);
    let spec = |hook: i64, grace: i64| {
        let mut container = json!({"name": "c", "image": "nginx:1.29"});
        if hook > 0 {
            let lifecycle = json!({"preStop": {"sleep": {"seconds": hook}}});
            container.as_object_mut().unwrap().insert("lifecycle".to_owned(), lifecycle);
        }
        json!({"terminationGracePeriodSeconds": grace, "containers": [container]})
    };
    // Each with the time at which it is gone after its deletion.
    let pods = [
        ("a", "", spec(1, 30), 1200),
        ("b", "ignore TERM", spec(5, 5), 7000),
        ("c", "ignore TERM", spec(1, 2), 3000),
        ("d", "ignore TERM", spec(3, 10), 10_000),
        ("e", "ignore TERM", spec(0, 1), 2000),
    ];
    for (name, behaviour, spec, _) in &pods {
        make_pod(&cluster, name, behaviour, spec);
    }
    cluster.wait(Duration::from_secs(2));
    for (name, ..) in &pods {
        cluster.send("DELETE", &format!("{PODS}/{name}"), &Value::Null, JSON);
    }
    let mut times = Vec::new();
    for time in (0..=10_000).step_by(100) {
        cluster.settle();
        let left = items(&cluster, PODS);
        for (name, ..) in &pods {
            let is_there = left.iter().any(|pod| pod.text_at("/metadata/name") == *name);
            if !is_there && !times.iter().any(|(known, _)| known == name) {
                times.push((*name, time));
            }
        }
        cluster.wait(milliseconds(100));
    }
    times.sort_unstable();
    assert_eq!(times, pods.each_ref().map(|pod| (pod.0, pod.3)));
}
