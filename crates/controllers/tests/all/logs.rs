//! Reads the logs of containers, through the API server, from the kubelets of their nodes.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, cluster, line, make_pod, milliseconds};
use apiserver::Body;
use bytes::Bytes;
use futures::executor::block_on;
use futures::{FutureExt, Stream, StreamExt};
use http::Request;
use json_tree::json;
use protocol::controllers::{Command, Switches};

/// Reads a log: the status, the media type, and the body.
fn get(cluster: &Cluster, pod: &str) -> (u16, String, Body) {
    let request = Request::get(format!("{PODS}/{pod}")).body(Bytes::new()).unwrap();
    let (head, body) = block_on(cluster.server.call(request)).into_parts();
    let media_type = head.headers.get("Content-Type").map(|value| value.to_str().unwrap().to_owned());
    (head.status.as_u16(), media_type.unwrap_or_default(), body)
}

/// Checks what a log has, or why there is none.
#[track_caller]
fn check(cluster: &Cluster, pod: &str, expected: (u16, &str)) {
    let (code, media_type, body) = get(cluster, pod);
    let Body::Bytes(bytes) = body else { panic!("{pod}: no bytes") };
    let text = if code == 200 {
        assert_eq!(media_type, "text/plain");
        String::from_utf8(bytes.to_vec()).unwrap()
    } else {
        let status: json_tree::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        status.text("message").to_owned()
    };
    assert_eq!((code, text.as_str()), expected, "{pod}");
}

/// Follows a log.
fn follow(cluster: &Cluster, pod: &str) -> std::pin::Pin<Box<dyn Stream<Item = Bytes> + Send>> {
    let (code, _, Body::Stream(stream)) = get(cluster, pod) else { panic!("{pod}: no stream") };
    assert_eq!(code, 200);
    stream
}

/// Takes what a stream has ready, and reports whether it has ended.
fn take(stream: &mut (impl Stream<Item = Bytes> + Unpin)) -> (String, bool) {
    let mut text = String::new();
    loop {
        match stream.next().now_or_never() {
            None => return (text, false),
            Some(None) => return (text, true),
            Some(Some(bytes)) => text += std::str::from_utf8(&bytes).unwrap(),
        }
    }
}

#[test]
fn a_container_writes_what_its_behaviour_says() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "log begins; log goes on after 1s every 1s", &json!({}));
    check(&cluster, "p/log", (204, ""));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(line(&cluster, "p"), "Running c=ready/0");
    let all = "begins\n".to_owned() + &"goes on\n".repeat(10);
    check(&cluster, "p/log", (200, &all));
    check(&cluster, "p/log?container=c&tailLines=1", (200, "goes on\n"));
    check(&cluster, "p/log?sinceSeconds=2", (200, "goes on\ngoes on\ngoes on\n"));
    check(&cluster, "p/log?container=d", (400, "container d is not valid for pod p"));
    let none = "previous terminated container \"c\" in pod \"p\" not found";
    check(&cluster, "p/log?previous=true", (400, none));
    // Whoever looks at the past reads it, too, and nobody is told of that.
    let request = Request::get(format!("{PODS}/p/log?tailLines=1")).body(Bytes::new()).unwrap();
    let inspect = cluster.server.inspect();
    let response = block_on(inspect.read_at(&request, inspect.revision()));
    assert_eq!(response.body().bytes().map(|bytes| &bytes[..]), Some(&b"goes on\n"[..]));
}

#[test]
fn containers_that_have_ended_have_logs() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "crash", "log out of luck after 1s; exit 1 after 2s", &json!({}));
    make_pod(&cluster, "away", "log never", &json!({"containers": [{"name": "c", "image": "a.invalid/b"}]}));
    cluster.wait(Duration::from_secs(4));
    check(&cluster, "crash/log", (200, "out of luck\n"));
    check(
        &cluster,
        "away/log",
        (400, "container \"c\" in pod \"away\" is waiting to start: trying and failing to pull image"),
    );
    cluster.wait(Duration::from_secs(12));
    assert_eq!(line(&cluster, "crash"), "Running c=ready/2");
    check(
        &cluster,
        "crash/log?previous=1&timestamps=1&tailLines=1&limitBytes=20",
        (200, "2027-01-15T08:00:03."),
    );
}

#[test]
fn a_command_that_is_known_runs() {
    let mut cluster = cluster(1);
    let map = json!({"metadata": {"name": "c"}, "data": {"greeting": "hello\n"}});
    cluster.send("POST", "/api/v1/namespaces/default/configmaps", &map, JSON);
    let container = |command: &[&str]| json!({"name": "c", "image": "busybox", "command": command});
    let mut reads = container(&["sh", "-c", "cat /c/greeting; sleep 5; echo $NAME; exit 3"]);
    reads["env"] = json!([{"name": "NAME", "value": "bye"}]);
    reads["volumeMounts"] = json!([{"name": "c", "mountPath": "/c"}]);
    let volumes = json!([{"name": "c", "configMap": {"name": "c"}}]);
    let spec = json!({"restartPolicy": "Never", "containers": [reads], "volumes": volumes});
    make_pod(&cluster, "reads", "", &spec);
    make_pod(&cluster, "told", "log told", &json!({"containers": [container(&["echo", "not told"])]}));
    make_pod(&cluster, "other", "", &json!({"containers": [container(&["wget", "example.com"])]}));
    cluster.wait(Duration::from_secs(4));
    assert_eq!(line(&cluster, "reads"), "Running c=ready/0");
    check(&cluster, "reads/log", (200, "hello\n"));
    cluster.wait(Duration::from_secs(4));
    assert_eq!(line(&cluster, "reads"), "Failed c=Error/0");
    check(&cluster, "reads/log", (200, "hello\nbye\n"));
    assert_eq!(line(&cluster, "told"), "Running c=ready/0");
    check(&cluster, "told/log", (200, "told\n"));
    assert_eq!(line(&cluster, "other"), "Running c=ready/0");
}

#[test]
fn a_log_is_followed_until_the_container_ends() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "log a after 1s every 2s; exit 0 after 6s", &json!({"restartPolicy": "Never"}));
    cluster.wait(milliseconds(2500));
    let mut stream = follow(&cluster, "p/log?follow=true");
    assert_eq!(take(&mut stream), ("a\n".to_owned(), false));
    assert_eq!(take(&mut stream), (String::new(), false));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(take(&mut stream), ("a\n".to_owned(), false));
    let mut limited = follow(&cluster, "p/log?follow=true&limitBytes=3");
    assert_eq!(take(&mut limited), ("a\na".to_owned(), true));
    let mut newest = follow(&cluster, "p/log?follow=true&tailLines=0");
    assert_eq!(take(&mut newest), (String::new(), false));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(take(&mut stream), ("a\n".to_owned(), true));
    assert_eq!(take(&mut newest), ("a\n".to_owned(), true));
    // Whoever follows one that has ended gets all of it.
    assert_eq!(take(&mut follow(&cluster, "p/log?follow=true")), ("a\na\na\n".to_owned(), true));
}

#[test]
fn a_log_ends_with_its_pod_and_with_its_kubelet() {
    let mut cluster = cluster(1);
    for name in ["p", "q"] {
        make_pod(&cluster, name, "log a every 1s", &json!({}));
    }
    cluster.wait(Duration::from_secs(3));
    let (mut p, mut q) = (follow(&cluster, "p/log?follow=1"), follow(&cluster, "q/log?follow=1"));
    take(&mut p);
    take(&mut q);
    cluster.send("DELETE", &format!("{PODS}/p?gracePeriodSeconds=0"), &json!(null), "application/json");
    assert_eq!(take(&mut p), (String::new(), true));
    let switches = Switches { cut_off: true, ..Switches::default() };
    let command = Command::Switch { name: "kubelet node-1".to_owned(), switches };
    cluster.manager.control().command(command).unwrap();
    cluster.wait(Duration::from_secs(2));
    assert!(take(&mut q).1);
    let away = "Get \"https://node-1:10250/containerLogs/default/q/c?follow=true\": dial tcp node-1:10250: connect: connection refused";
    check(&cluster, "q/log?follow=1", (500, away));
    // Nobody listens where nothing runs any more.
    cluster.restart(&[], &controllers::Options::default());
    check(&cluster, "q/log", (500, &away.replace("?follow=true", "")));
}
