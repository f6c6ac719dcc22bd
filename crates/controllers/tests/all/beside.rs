//! Changes beside programs of containers: by sessions, by hooks, and probes that look at them.

use json_tree::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::pods::{cluster, events, line};
use crate::volumes::{container, delete, log, make, run, seconds};

/// Makes a pod `p` of a container `c`.
fn make_pod(cluster: &Cluster, container: &Value) {
    make(cluster, "p", &json!({"emptyDir": {}}), &json!({"containers": [container]}));
}

/// Lets time pass, and checks what is seen of the pod then.
#[track_caller]
fn check(cluster: &mut Cluster, wait: u64, expected: &str) {
    cluster.wait(seconds(wait));
    assert_eq!(line(cluster, "p"), expected);
}

#[test]
fn probes_find_what_sessions_write() {
    let mut cluster = cluster(1);
    let mut main = container("c", "touch /tmp/ready; sleep 100000");
    main["readinessProbe"] =
        json!({"exec": {"command": ["cat", "/tmp/ready"]}, "periodSeconds": 5, "failureThreshold": 2});
    make_pod(&cluster, &main);
    // Long after it has begun, too.
    for wait in [5, 5000] {
        check(&mut cluster, wait, "Running c=ready/0");
        assert_eq!(run(&cluster, "p", "rm /tmp/ready; ls /tmp"), "");
        check(&mut cluster, 4, "Running c=ready/0");
        check(&mut cluster, 7, "Running c=unready/0");
        assert_eq!(run(&cluster, "p", "ls /tmp; touch /tmp/ready"), "");
        check(&mut cluster, 5, "Running c=ready/0");
    }
    assert_eq!(run(&cluster, "p", "ls /tmp"), "1:ready\n|");
}

#[test]
fn programs_find_what_sessions_write() {
    let mut cluster = cluster(1);
    let mut main = container("c", "until test -f /v/go; do sleep 1; done; cat /v/go; rm /v/go; exit 3");
    main["volumeMounts"] = json!([{"name": "v", "mountPath": "/v"}]);
    let other = container("d", "sleep 100000");
    let more = json!({"restartPolicy": "Never", "containers": [main, other]});
    make(&cluster, "p", &json!({"emptyDir": {}}), &more);
    check(&mut cluster, 300, "Running c=ready/0 d=ready/0");
    assert_eq!(run(&cluster, "p", "echo now > /v/go"), "");
    check(&mut cluster, 2, "Running c=Error/0 d=ready/0");
    assert_eq!(log(&cluster, "/p/log?container=c"), "now\n");
}

#[test]
fn a_server_without_its_file_is_not_ready() {
    let mut cluster = cluster(1);
    let probe =
        json!({"httpGet": {"path": "/index.html", "port": 80}, "periodSeconds": 1, "failureThreshold": 1});
    make_pod(&cluster, &json!({"name": "c", "image": "httpd", "readinessProbe": probe}));
    check(&mut cluster, 400, "Running c=ready/0");
    let moved = "'/usr/local/apache2/htdocs/index.html' -> '/tmp/index.html'";
    assert_eq!(
        run(&cluster, "p", "mv -v /usr/local/apache2/htdocs/index.html /tmp/"),
        ["1:", moved, "\n|"].concat()
    );
    check(&mut cluster, 2, "Running c=unready/0");
    assert!(
        events(&cluster, "p").contains(
            &"1 Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404".to_owned()
        )
    );
    run(&cluster, "p", "mv -v /tmp/index.html /usr/local/apache2/htdocs/");
    check(&mut cluster, 2, "Running c=ready/0");
}

#[test]
fn hooks_are_run() {
    let mut cluster = cluster(1);
    let mut main = container("c", "sleep 100000");
    let directory = json!({"hostPath": {"path": "/var/x"}});
    let script = |text: &str| json!({"exec": {"command": ["sh", "-c", text]}});
    main["lifecycle"] = json!({
        "postStart": script("echo started > /v/log"), "preStop": script("sleep 5; echo stopped >> /v/log")
    });
    make(
        &cluster,
        "p",
        &directory,
        &json!({"terminationGracePeriodSeconds": 30, "containers": [main.clone()]}),
    );
    check(&mut cluster, 5, "Running c=ready/0");
    assert_eq!(run(&cluster, "p", "cat /v/log"), "1:started\n|");
    cluster.send("DELETE", "/api/v1/namespaces/default/pods/p", &Value::Null, "application/json");
    check(&mut cluster, 4, "Running c=ready/0");
    cluster.wait(seconds(4));
    main["lifecycle"] = json!({"postStart": script("cat /v/log; exit 1")});
    main["command"] = json!(["sh", "-c", "cat /v/log; sleep 100000"]);
    make(&cluster, "p", &directory, &json!({"terminationGracePeriodSeconds": 10, "containers": [main]}));
    check(&mut cluster, 4, "Running c=ready/0");
    assert_eq!(log(&cluster, "/p/log"), "started\nstopped\n");
    check(&mut cluster, 10, "Running c=ready/1");
    let told = events(&cluster, "p");
    for expected in ["FailedPostStartHook: PostStartHook failed", "Killing: FailedPostStartHook"] {
        assert!(told.iter().any(|event| event.ends_with(expected)), "{told:?}");
    }
    delete(&mut cluster, "p");
}
