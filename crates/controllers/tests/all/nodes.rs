//! Has pods run on nodes whose kubelets only pretend.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, PODS, cluster, events, items, line, make_pod, milliseconds, pod};
use controllers::{Latencies, Options};
use json_tree::{Value, json};

const APPS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn deployment(replicas: i64, image: &str) -> Value {
    let template = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": image}]}
    });
    let spec = json!({
        "replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template
    });
    json!({"metadata": {"name": "web"}, "spec": spec})
}

#[test]
fn nodes_are_ready_and_at_rest() {
    let mut cluster = cluster(2);
    assert_eq!(cluster.manager.next_due(), None);
    let node = cluster.get("/api/v1/nodes/node-2");
    assert_eq!(node.pointer("/spec/taints"), None);
    let read = |pointer| node.text_at(pointer).to_owned();
    assert_eq!(read("/metadata/labels/topology.kubernetes.io~1zone"), "zone-b");
    assert_eq!(read("/spec/podCIDR"), "10.244.2.0/24");
    assert_eq!(read("/status/allocatable/memory"), "8Gi");
    assert_eq!(read("/status/nodeInfo/kubeletVersion"), "v1.36.2");
    assert_eq!(read("/status/conditions/3/reason"), "KubeletReady");
    let before = cluster.writes();
    cluster.wait(Duration::from_secs(3600));
    assert_eq!(cluster.writes(), before);
    let requests = cluster.server.inspect().served(0, usize::MAX);
    let made = requests.iter().find(|request| request.method == "POST" && request.uri.ends_with("/nodes"));
    let made = made.unwrap();
    assert_eq!(made.access.as_ref().unwrap().user, "system:node:node-1");
    assert_eq!(made.user_agent, "kubelet/v1.36.2 (linux/amd64) kubernetes/kubeglass");
}

#[test]
fn a_deployment_runs() {
    let mut cluster = cluster(3);
    cluster.send("POST", APPS, &deployment(3, "nginx:1.29"), JSON);
    cluster.settle();
    let phases = |cluster: &Cluster| {
        let pods = items(cluster, PODS);
        pods.iter().map(|pod| pod.text_at("/status/phase").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(phases(&cluster), ["Pending"; 3]);
    cluster.wait(milliseconds(500));
    assert_eq!(phases(&cluster), ["Running"; 3]);
    let status = cluster.get(&format!("{APPS}/web"))["status"].clone();
    assert_eq!(status["availableReplicas"].as_i64(), Some(3));
    let mut nodes: Vec<_> =
        items(&cluster, PODS).iter().map(|pod| pod.text_at("/spec/nodeName").to_owned()).collect();
    nodes.sort();
    assert_eq!(nodes, ["node-1", "node-2", "node-3"]);
    // Until then the Deployment had time to make progress.
    cluster.wait(Duration::from_secs(610));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_bad_image_stops_a_rollout_half_way() {
    let mut cluster = cluster(3);
    cluster.send("POST", APPS, &deployment(4, "nginx:1.29"), JSON);
    cluster.wait(Duration::from_secs(2));
    let image = json!([{"name": "web", "image": "registry.example/web:v2"}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": image}}}});
    cluster.send("PATCH", &format!("{APPS}/web"), &patch, MERGE);
    cluster.wait(Duration::from_secs(5));
    let status = cluster.get(&format!("{APPS}/web"))["status"].clone();
    let read = |field: &str| status[field].as_i64();
    assert_eq!((read("availableReplicas"), read("updatedReplicas")), (Some(3), Some(2)));
    let waiting = "/status/containerStatuses/0/state/waiting";
    let stuck: Vec<_> =
        items(&cluster, PODS).into_iter().filter(|pod| pod.pointer(waiting).is_some()).collect();
    let state = stuck[0].pointer(waiting).unwrap();
    assert_eq!((stuck.len(), state.text("reason")), (2, "ImagePullBackOff"));
    let error =
        "Back-off pulling image \"registry.example/web:v2\": ErrImagePull: failed to pull and unpack image";
    assert!(state.text("message").starts_with(error), "{state}");
    let image = json!([{"name": "web", "image": "nginx:1.30"}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": image}}}});
    cluster.send("PATCH", &format!("{APPS}/web"), &patch, MERGE);
    cluster.wait(Duration::from_secs(10));
    let status = cluster.get(&format!("{APPS}/web"))["status"].clone();
    assert_eq!((status["availableReplicas"].as_i64(), status["replicas"].as_i64()), (Some(4), Some(4)));
}

#[test]
fn a_pod_that_does_not_fit_runs_once_another_is_deleted() {
    let mut cluster = cluster(1);
    let large = json!({"containers": [
        {"name": "c", "image": "nginx:1.29", "resources": {"requests": {"cpu": "3"}}}
    ]});
    make_pod(&cluster, "a", "", &large);
    make_pod(&cluster, "b", "", &large);
    cluster.wait(Duration::from_secs(5));
    assert_eq!(
        (line(&cluster, "a").as_str(), line(&cluster, "b").as_str()),
        ("Running c=ready/0", "Pending")
    );
    cluster.send("DELETE", &format!("{PODS}/a"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(1));
    assert_eq!(line(&cluster, "b"), "Running c=ready/0");
}

#[test]
fn a_more_important_pod_takes_the_place_of_another() {
    let mut cluster = cluster(1);
    let class = json!({"metadata": {"name": "high"}, "value": 1000});
    cluster.send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", &class, JSON);
    let large = |class: &str| {
        let resources = json!({"requests": {"cpu": "3"}});
        let container = json!({"name": "c", "image": "nginx:1.29", "resources": resources});
        json!({"containers": [container], "priorityClassName": class})
    };
    make_pod(&cluster, "low", "", &large(""));
    cluster.wait(Duration::from_secs(2));
    make_pod(&cluster, "high", "", &large("high"));
    cluster.wait(Duration::from_secs(3));
    assert_eq!(line(&cluster, "high"), "Running c=ready/0");
    assert_eq!(cluster.call("GET", &format!("{PODS}/low"), &Value::Null, JSON).0, 404);
}

#[test]
fn pods_go_on_where_others_take_over() {
    let mut cluster = cluster(2);
    make_pod(&cluster, "a", "", &json!({}));
    make_pod(&cluster, "b", "exit 1 after 1s", &json!({}));
    make_pod(&cluster, "c", "exit 0 after 1s", &json!({"restartPolicy": "Never"}));
    let image = |image: &str, policy: &str| json!({"containers": [{"name": "c", "image": image, "imagePullPolicy": policy}]});
    make_pod(&cluster, "e", "", &image("a.test/x", "Always"));
    make_pod(&cluster, "f", "", &image("Wrong", "Always"));
    make_pod(&cluster, "g", "", &image("other", "Never"));
    let probe = json!({"httpGet": {"port": 80}, "periodSeconds": 1});
    let probed = json!({"containers": [{"name": "c", "image": "nginx:1.29", "readinessProbe": probe}]});
    make_pod(&cluster, "h", "never ready", &probed);
    cluster.wait(Duration::from_secs(5));
    let names = ["a", "b", "c", "e", "f", "g", "h"];
    let before = names.map(|name| line(&cluster, name));
    let expected = [
        "Running c=ready/0",
        "Running c=CrashLoopBackOff/1",
        "Succeeded c=Completed/0",
        "Pending c=ImagePullBackOff/0",
        "Pending c=InvalidImageName/0",
        "Pending c=ErrImageNeverPull/0",
        "Running c=unready/0",
    ];
    assert_eq!(before, expected);
    let revision = cluster.server.inspect().revision();
    cluster.restart(&["*", "-node-lifecycle-controller"], &Options::with_nodes(2));
    cluster.settle();
    assert_eq!(names.map(|name| line(&cluster, name)), before);
    assert_eq!(cluster.server.inspect().revision(), revision);
    make_pod(&cluster, "d", "", &json!({}));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(line(&cluster, "b"), "Running c=CrashLoopBackOff/2");
    let failures = events(&cluster, "h").into_iter().filter(|event| event.contains("Unhealthy"));
    assert_eq!(
        failures.collect::<Vec<_>>(),
        ["3 Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503"]
    );
    let mut addresses: Vec<_> =
        ["a", "b", "d"].map(|name| pod(&cluster, name).text_at("/status/podIP").to_owned()).to_vec();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), 3, "{addresses:?}");
}

#[test]
fn who_takes_over_knows_all_addresses_first() {
    let latencies = Latencies { pull: Duration::ZERO, start: Duration::ZERO, ..Latencies::default() };
    let options = Options { latencies, ..Options::with_nodes(1) };
    let mut cluster = Cluster::with_options(&["*"], &options);
    cluster.settle();
    make_pod(&cluster, "b", "", &json!({}));
    make_pod(&cluster, "c", "", &json!({}));
    cluster.settle();
    cluster.restart(&["*"], &options);
    make_pod(&cluster, "a", "", &json!({"nodeName": "node-1"}));
    cluster.settle();
    let addresses = ["a", "b", "c"].map(|name| pod(&cluster, name).text_at("/status/podIP").to_owned());
    assert_eq!(addresses, ["10.244.1.4", "10.244.1.2", "10.244.1.3"]);
}

#[test]
fn the_same_requests_at_the_same_times_make_the_same_cluster() {
    let play = || {
        let mut cluster = cluster(3);
        cluster.send("POST", APPS, &deployment(5, "nginx"), JSON);
        make_pod(&cluster, "p", "exit 1 after 3s", &json!({}));
        cluster.wait(Duration::from_secs(60));
        cluster.send("PATCH", &format!("{APPS}/web"), &json!({"spec": {"replicas": 2}}), MERGE);
        cluster.wait(Duration::from_secs(60));
        let paths = ["/api/v1/nodes", "/api/v1/pods", "/api/v1/events", "/apis/apps/v1/replicasets"];
        paths.map(|path| cluster.get(path).to_string())
    };
    assert_eq!(play(), play());
}

#[test]
fn pods_end_with_their_owners_and_namespaces() {
    let mut cluster = cluster(2);
    cluster.send("POST", APPS, &deployment(3, "nginx:1.29"), JSON);
    cluster.send("POST", "/api/v1/namespaces", &json!({"metadata": {"name": "n"}}), JSON);
    cluster.settle();
    let elsewhere = "/apis/apps/v1/namespaces/n/deployments";
    cluster.send("POST", elsewhere, &deployment(3, "nginx:1.29"), JSON);
    cluster.wait(Duration::from_secs(2));
    assert_eq!(items(&cluster, "/api/v1/pods").len(), 6);
    cluster.send("DELETE", &format!("{APPS}/web"), &Value::Null, JSON);
    cluster.send("DELETE", "/api/v1/namespaces/n", &Value::Null, JSON);
    cluster.wait(Duration::from_secs(10));
    assert_eq!(items(&cluster, "/api/v1/pods").len(), 0);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(cluster.call("GET", "/api/v1/namespaces/n", &Value::Null, JSON).0, 404);
    // Nobody forgets that they have gone: others get their addresses.
    make_pod(&cluster, "p", "", &json!({}));
    cluster.wait(Duration::from_secs(1));
    assert_eq!(pod(&cluster, "p").text_at("/status/podIP"), "10.244.1.2");
}

#[test]
fn the_end_of_time_is_no_end_of_nodes() {
    let mut cluster = cluster(1);
    for (name, behaviour) in [("a", ""), ("b", "exit 1 after 1s"), ("c", "exit 1")] {
        make_pod(&cluster, name, behaviour, &json!({"terminationGracePeriodSeconds": 10_000_000_000_i64}));
    }
    make_pod(&cluster, "d", "", &json!({"containers": [{"name": "c", "image": "a.test/x"}]}));
    cluster.wait(Duration::from_secs(60));
    cluster.clock.advance(Duration::MAX);
    cluster.settle();
    assert_eq!(cluster.manager.next_due(), None);
    cluster.send("DELETE", &format!("{PODS}/a"), &Value::Null, JSON);
    cluster.settle();
    // It never ends: there is no later.
    assert_eq!(cluster.manager.next_due(), None);
    assert_eq!(line(&cluster, "a"), "Running c=ready/0");
    assert_eq!(pod(&cluster, "a")["metadata"]["deletionGracePeriodSeconds"], 10_000_000_000_i64);
}

#[test]
fn a_node_has_no_room_for_more_pods_than_it_says() {
    let mut cluster =
        Cluster::with_options(&[], &Options { scheduler: Some(false), ..Options::with_nodes(1) });
    cluster.settle();
    for number in 0..111 {
        make_pod(&cluster, &format!("p{number:03}"), "", &json!({"nodeName": "node-1"}));
    }
    cluster.wait(Duration::from_secs(2));
    assert_eq!(line(&cluster, "p109"), "Running c=ready/0");
    let refused = pod(&cluster, "p110");
    assert_eq!(refused.text_at("/status/reason"), "OutOfpods");
    let why =
        "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110";
    assert_eq!(refused.text_at("/status/message"), why);
    let mut fields: Vec<_> = refused["status"].as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["message", "observedGeneration", "phase", "qosClass", "reason", "startTime"]);
    cluster.send("DELETE", &format!("{PODS}/p110"), &Value::Null, JSON);
    cluster.settle();
    assert_eq!(items(&cluster, PODS).len(), 110);
}
