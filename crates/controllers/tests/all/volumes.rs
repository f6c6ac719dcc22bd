//! Files that programs of containers write: to volumes that outlive them, and to what goes with them.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, cluster, events, line, pod};
use crate::exec::{SUCCESS, V5, connect};
use apiserver::Body;
use bytes::Bytes;
use futures::executor::block_on;
use http::Request;
use json_tree::{Value, json};

pub(crate) fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Returns a container that runs a script, with the volume `v` at `/v`.
pub(crate) fn container(name: &str, script: &str) -> Value {
    let mounts = json!([{"name": "v", "mountPath": "/v"}]);
    json!({"name": name, "image": "busybox", "command": ["sh", "-c", script], "volumeMounts": mounts})
}

/// Makes a pod with the volume `v`.
pub(crate) fn make(cluster: &Cluster, name: &str, volume: &Value, more: &Value) {
    let mut volume = volume.clone();
    volume["name"] = "v".into();
    let mut spec = json!({"terminationGracePeriodSeconds": 1, "volumes": [volume]});
    for (key, value) in more.as_object().unwrap() {
        spec[key.as_str()] = value.clone();
    }
    cluster.send("POST", PODS, &json!({"metadata": {"name": name}, "spec": spec}), JSON);
}

pub(crate) fn delete(cluster: &mut Cluster, name: &str) {
    cluster.send("DELETE", &[PODS, "/", name].concat(), &Value::Null, JSON);
    cluster.wait(seconds(5));
}

/// Returns the log of a container.
pub(crate) fn log(cluster: &Cluster, query: &str) -> String {
    let request = Request::get([PODS, query].concat()).body(Bytes::new()).unwrap();
    match block_on(cluster.server.call(request)).into_body() {
        Body::Bytes(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        body => panic!("{body:?}"),
    }
}

/// Returns what a script writes that somebody runs in the container `c` of a pod.
pub(crate) fn run(cluster: &Cluster, pod: &str, script: &str) -> String {
    let script: String = script.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let query =
        ["/exec?container=c&stdout=true&stderr=true&command=sh&command=-c&command=", &script].concat();
    let (text, _) = connect(cluster, &[pod, &query].concat(), V5).expect("a connection").take();
    text.replace("1:|", "").replace(SUCCESS, "")
}

#[test]
fn a_container_finds_what_those_before_it_have_written() {
    let mut cluster = cluster(1);
    let inits = [container("init", "echo \"from $HOSTNAME\" > /v/index.html; echo lost > /tmp/lost")];
    let mains = [container("c", "cat /v/index.html; sleep 3600")];
    make(&cluster, "web", &json!({"emptyDir": {}}), &json!({"initContainers": inits, "containers": mains}));
    cluster.wait(seconds(5));
    assert_eq!(line(&cluster, "web"), "Running init=Completed/0 c=ready/0");
    assert_eq!(run(&cluster, "web", "cat /v/index.html; ls /tmp"), "1:from web\n|");
    assert_eq!(log(&cluster, "/web/log?container=c"), "from web\n");
    // Another pod of the name has a directory of its own.
    delete(&mut cluster, "web");
    make(&cluster, "web", &json!({"emptyDir": {}}), &json!({"containers": [container("c", "sleep 3600")]}));
    cluster.wait(seconds(5));
    assert_eq!(run(&cluster, "web", "ls /v"), "");
}

#[test]
fn a_container_that_is_started_again_finds_what_it_has_left() {
    let mut cluster = cluster(1);
    let script = "if [ -r /v/seen ]; then cat /v/seen; exit 0; fi; echo once > /v/seen; touch /own; exit 1";
    let more = json!({"restartPolicy": "OnFailure", "containers": [container("c", script)]});
    make(&cluster, "job", &json!({"emptyDir": {}}), &more);
    cluster.wait(seconds(30));
    assert_eq!(line(&cluster, "job"), "Succeeded c=Completed/1");
    assert_eq!(log(&cluster, "/job/log"), "once\n");
    assert_eq!(log(&cluster, "/job/log?previous=true"), "");
}

#[test]
fn a_file_that_marks_the_first_try_is_found_at_the_second() {
    let mut cluster = cluster(1);
    let script = "\n\tif [[ -r /v/foo ]]\n\tthen\n\t\texit 0\n\telse\n\t\ttouch /v/foo\n\t\texit 1\n\tfi\n";
    let mut main = container("c", script);
    main["command"] = json!(["/bin/sh", "-c"]);
    main["args"] = json!([script]);
    make(
        &cluster,
        "p",
        &json!({"emptyDir": {}}),
        &json!({"restartPolicy": "OnFailure", "containers": [main]}),
    );
    cluster.wait(seconds(30));
    assert_eq!(line(&cluster, "p"), "Succeeded c=Completed/1");
}

#[test]
fn sessions_see_what_programs_and_others_write() {
    let mut cluster = cluster(1);
    let writes = "i=0; while true; do i=$((i + 1)); echo $i >> /v/log; sleep 10; done";
    let mains = [
        container("c", "touch /tmp/healthy; sleep 30; rm /tmp/healthy; sleep 3600"),
        container("side", writes),
    ];
    make(&cluster, "p", &json!({"emptyDir": {}}), &json!({"containers": mains}));
    cluster.wait(seconds(15));
    assert_eq!(run(&cluster, "p", "cat /v/log; ls /tmp"), "1:1\n2\n|1:healthy\n|");
    assert_eq!(run(&cluster, "p", "echo mine > /v/mine; echo x > /x; rm /v/log"), "");
    cluster.wait(seconds(20));
    // What the program writes to a file is the whole file.
    assert_eq!(run(&cluster, "p", "cat /v/mine /x; ls /tmp; tail -n 1 /v/log"), "1:mine\nx\n|1:4\n|");
}

#[test]
fn claims_and_directories_of_nodes_outlive_pods() {
    let mut cluster = cluster(1);
    let class = json!({"metadata": {"name": "fast"}, "provisioner": "pretended.kubeglass.dev"});
    cluster.send("POST", "/apis/storage.k8s.io/v1/storageclasses", &class, JSON);
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    let make_claim = |cluster: &Cluster| {
        let spec = json!({"storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        cluster.send("POST", claims, &json!({"metadata": {"name": "data"}, "spec": spec}), JSON);
    };
    make_claim(&cluster);
    let claim = json!({"persistentVolumeClaim": {"claimName": "data"}});
    let host = json!({"hostPath": {"path": "/var/lib/x"}});
    let writer = json!({"containers": [container("c", "while true; do date >> /v/dates; sleep 60; done")]});
    let reader = json!({"containers": [container("c", "sleep 3600")]});
    for volume in [&claim, &host] {
        make(&cluster, "writer", volume, &writer);
        cluster.wait(seconds(100));
        delete(&mut cluster, "writer");
        make(&cluster, "reader", volume, &reader);
        cluster.wait(seconds(5));
        assert_eq!(run(&cluster, "reader", "wc -l /v/dates"), "1:2 /v/dates\n|", "{volume}");
        delete(&mut cluster, "reader");
    }
    // Another claim of the name has another volume.
    cluster.send("DELETE", &[claims, "/data"].concat(), &Value::Null, JSON);
    cluster.wait(seconds(5));
    make_claim(&cluster);
    make(&cluster, "reader", &claim, &reader);
    cluster.wait(seconds(5));
    assert_eq!(run(&cluster, "reader", "ls /v"), "");
}

#[test]
fn nobody_writes_to_what_is_made_of_objects() {
    let mut cluster = cluster(1);
    let map = json!({"metadata": {"name": "conf"}, "data": {"color": "blue"}});
    cluster.send("POST", "/api/v1/namespaces/default/configmaps", &map, JSON);
    let mains = json!({"containers": [container("c", "sleep 3600")]});
    make(&cluster, "p", &json!({"configMap": {"name": "conf"}}), &mains);
    cluster.wait(seconds(5));
    let text = run(&cluster, "p", "rm /v/color; echo red > /v/color; cat /v/color");
    assert_eq!(
        text,
        "2:rm: can't remove '/v/color': Read-only file system\n|2:sh: can't create /v/color: Read-only file system\n|1:blue|"
    );
}

#[test]
fn a_container_is_started_again_when_its_liveness_probe_fails() {
    let mut cluster = cluster(1);
    let mut main = container("c", "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600");
    main["livenessProbe"] = json!({
        "exec": {"command": ["cat", "/tmp/healthy"]}, "initialDelaySeconds": 5, "periodSeconds": 5
    });
    make(&cluster, "live", &json!({"emptyDir": {}}), &json!({"containers": [main]}));
    cluster.wait(seconds(35));
    assert_eq!(line(&cluster, "live"), "Running c=ready/0");
    cluster.wait(seconds(15));
    assert_eq!(line(&cluster, "live"), "Running c=ready/1");
    let told: Vec<String> = events(&cluster, "live")
        .into_iter()
        .filter(|event| event.contains("Unhealthy") || event.contains("Killing"))
        .collect();
    assert_eq!(
        told,
        [
            "3 Unhealthy: Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory\n",
            "1 Killing: Container c failed liveness probe, will be restarted"
        ]
    );
    let status = &pod(&cluster, "live")["status"]["containerStatuses"][0];
    assert_eq!(status["lastState"]["terminated"]["exitCode"], 137);
    // It fails again after 40 s, and is started again later this time.
    cluster.wait(seconds(37));
    assert_eq!(line(&cluster, "live"), "Running c=CrashLoopBackOff/1");
    cluster.wait(seconds(10));
    assert_eq!(line(&cluster, "live"), "Running c=ready/2");
}

#[test]
fn a_pod_is_ready_as_long_as_its_probe_finds_what_it_looks_for() {
    let mut cluster = cluster(1);
    let mut main = container("c", "sleep 12; touch /v/ready; sleep 20; rm /v/ready; sleep 600");
    main["readinessProbe"] =
        json!({"exec": {"command": ["test", "-f", "/v/ready"]}, "periodSeconds": 5, "failureThreshold": 2});
    make(&cluster, "p", &json!({"emptyDir": {}}), &json!({"containers": [main]}));
    for (wait, expected) in [(10, "unready"), (7, "ready"), (20, "ready"), (5, "unready"), (600, "Completed")]
    {
        cluster.wait(seconds(wait));
        let restarts = u8::from(wait == 600);
        let expected = match expected {
            "Completed" => format!("Running c=unready/{restarts}"),
            state => format!("Running c={state}/0"),
        };
        assert_eq!(line(&cluster, "p"), expected, "{wait}");
    }
}

#[test]
fn a_container_knows_its_addresses_and_its_part_of_a_volume() {
    let mut cluster = cluster(1);
    let mut main = container("c", "env | grep _IP; tail -n 1 /etc/hosts; test -d /v/p; echo $?");
    let field = |path: &str| json!({"fieldRef": {"fieldPath": path}});
    main["env"] = json!([
        {"name": "POD_IP", "valueFrom": field("status.podIP")}, {"name": "NODE_IP", "valueFrom": field("status.hostIP")},
        {"name": "NAME", "valueFrom": field("metadata.name")}
    ]);
    main["volumeMounts"] = json!([{"name": "v", "mountPath": "/v"}, {"name": "v", "mountPath": "/part", "subPathExpr": "$(NAME)"}]);
    make(&cluster, "p", &json!({"emptyDir": {}}), &json!({"restartPolicy": "Never", "containers": [main]}));
    cluster.wait(seconds(5));
    assert_eq!(log(&cluster, "/p/log"), "POD_IP=10.244.1.2\nNODE_IP=172.18.0.2\n10.244.1.2\tp\n0\n");
}

#[test]
fn a_container_has_the_variables_of_the_services_that_there_were() {
    let mut cluster = cluster(1);
    let services = "/api/v1/namespaces/default/services";
    let service = |name: &str| json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 6379}]}});
    cluster.send("POST", services, &service("redis"), JSON);
    cluster.settle();
    let mains =
        [container("c", "printenv REDIS_SERVICE_PORT; sleep 600"), json!({"name": "web", "image": "nginx"})];
    make(&cluster, "p", &json!({"emptyDir": {}}), &json!({"containers": mains}));
    cluster.wait(seconds(5));
    cluster.send("POST", services, &service("later"), JSON);
    cluster.settle();
    assert_eq!(log(&cluster, "/p/log?container=c"), "6379\n");
    assert_eq!(
        run(&cluster, "p", "printenv REDIS_SERVICE_PORT; env | grep LATER | wc -l"),
        "1:6379\n|1:0\n|"
    );
}
