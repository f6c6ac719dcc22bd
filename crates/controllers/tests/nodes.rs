//! Has pods run on nodes whose kubelets only pretend.

mod cluster;

use std::time::Duration;

use clock::Clock;
use cluster::Cluster;
use controllers::{Manager, Options, Selection};
use json_tree::{Value, json};

const APPS: &str = "/apis/apps/v1/namespaces/default/deployments";
const PODS: &str = "/api/v1/namespaces/default/pods";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

/// Makes a cluster with all controllers, a scheduler and nodes.
fn cluster(nodes: u32) -> Cluster {
    let mut cluster = Cluster::with_options(&["*"], &Options::with_nodes(nodes));
    cluster.settle();
    cluster
}

fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Makes a pod of one container, with a behaviour and fields of its specification.
fn make_pod(cluster: &Cluster, name: &str, behaviour: &str, more: &Value) {
    let mut spec = json!({"containers": [{"name": "c", "image": "nginx:1.29"}]});
    for (key, value) in more.as_object().unwrap() {
        spec.as_object_mut().unwrap().insert(key.clone(), value.clone());
    }
    let annotations = json!({"kubeglass.dev/behaviour": behaviour});
    let pod = json!({"metadata": {"name": name, "annotations": annotations}, "spec": spec});
    cluster.send("POST", PODS, &pod, JSON);
}

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

fn pod(cluster: &Cluster, name: &str) -> Value {
    cluster.get(&format!("{PODS}/{name}"))
}

fn items(cluster: &Cluster, path: &str) -> Vec<Value> {
    cluster.get(path)["items"].as_array().cloned().unwrap_or_default()
}

/// Tells of a pod in one line: the phase, and each container with its state and how often it was started again.
fn line(cluster: &Cluster, name: &str) -> String {
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
fn events(cluster: &Cluster, name: &str) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    let own = all.iter().filter(|event| {
        event.text_at("/involvedObject/name") == name && event.text_at("/source/component") == "kubelet"
    });
    own.map(|event| format!("{} {}: {}", event["count"], event.text("reason"), event.text("message")))
        .collect()
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
    let writes = |cluster: &Cluster| {
        let served = cluster.server.inspect().served(0, usize::MAX);
        served.iter().filter(|request| !request.wrote.is_empty()).count()
    };
    let before = writes(&cluster);
    cluster.wait(Duration::from_secs(3600));
    assert_eq!(writes(&cluster), before);
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
fn a_pod_has_a_whole_status() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "", &json!({}));
    cluster.settle();
    let conditions = |cluster: &Cluster| {
        let pod = pod(cluster, "p");
        let conditions = pod["status"]["conditions"].as_array().unwrap().clone();
        let line = |one: &Value| {
            let line = [one.text("type"), one.text("status"), one.text("reason"), one.text("message")];
            line.join(" ").trim_end().to_owned()
        };
        conditions.iter().map(line).collect::<Vec<_>>()
    };
    let unready = "ContainersNotReady containers with unready status: [c]";
    let expected = [
        "PodReadyToStartContainers False",
        "Initialized True",
        &format!("Ready False {unready}"),
        &format!("ContainersReady False {unready}"),
        "PodScheduled True",
    ];
    assert_eq!(conditions(&cluster), expected);
    assert_eq!(line(&cluster, "p"), "Pending c=ContainerCreating/0");
    cluster.wait(milliseconds(500));
    let expected = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    assert_eq!(conditions(&cluster), expected.map(|kind| format!("{kind} True")));
    assert_eq!(line(&cluster, "p"), "Running c=ready/0");
    let pod = pod(&cluster, "p");
    let read = |pointer| pod.text_at(pointer).to_owned();
    assert_eq!((read("/status/podIP"), read("/status/hostIP")), ("10.244.1.2".into(), "172.18.0.2".into()));
    assert_eq!(read("/status/qosClass"), "BestEffort");
    assert_eq!(read("/status/containerStatuses/0/image"), "docker.io/library/nginx:1.29");
    assert!(read("/status/containerStatuses/0/containerID").starts_with("containerd://"));
    let events = events(&cluster, "p");
    let pulled = &events[1];
    assert!(
        pulled.starts_with(
            "1 Pulled: Successfully pulled image \"nginx:1.29\" in 400ms (400ms including waiting). Image size: "
        ),
        "{pulled}"
    );
    let others = [events[0].as_str(), events[2].as_str(), events[3].as_str()];
    let expected = [
        "1 Pulling: Pulling image \"nginx:1.29\"",
        "1 Created: Container created",
        "1 Started: Container started",
    ];
    assert_eq!((events.len(), others), (4, expected));
    make_pod(&cluster, "q", "", &json!({}));
    cluster.wait(milliseconds(100));
    assert_eq!(line(&cluster, "q"), "Running c=ready/0");
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
fn images_are_pulled_again_later_each_time() {
    let mut cluster = cluster(1);
    let images = |image: &str| json!({"containers": [{"name": "c", "image": image}]});
    make_pod(&cluster, "p", "", &images("a.test/x"));
    make_pod(&cluster, "q", "", &images("Wrong"));
    cluster.wait(milliseconds(400));
    assert_eq!(line(&cluster, "p"), "Pending c=ErrImagePull/0");
    assert_eq!(line(&cluster, "q"), "Pending c=InvalidImageName/0");
    cluster.wait(Duration::from_secs(5));
    assert_eq!(line(&cluster, "p"), "Pending c=ImagePullBackOff/0");
    cluster.wait(Duration::from_secs(100));
    let about = events(&cluster, "p");
    assert!(about.contains(&"4 Pulling: Pulling image \"a.test/x\"".to_owned()), "{about:?}");
    assert!(about.contains(&"4 BackOff: Back-off pulling image \"a.test/x\"".to_owned()), "{about:?}");
}

#[test]
fn who_crashes_is_started_again_later_each_time() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "exit 1 after 2s", &json!({}));
    let mut starts = Vec::new();
    let begin = cluster.clock.now();
    while starts.len() < 10 {
        cluster.settle();
        let now = cluster.clock.now() - begin;
        let pod = pod(&cluster, "p");
        let status = "/status/containerStatuses/0";
        let count = pod.pointer(status).and_then(|status| status["restartCount"].as_i64());
        let runs = pod.pointer("/status/containerStatuses/0/state/running").is_some();
        if runs && count == Some(starts.len() as i64) {
            starts.push(now);
        }
        let next = cluster.manager.next_due().unwrap();
        cluster.clock.advance(next - cluster.clock.now());
    }
    let pauses: Vec<_> = starts.windows(2).map(|two| (two[1] - two[0]).as_millis()).collect();
    // Each time it runs for two seconds, and it takes 100 milliseconds to start.
    let expected = [0, 10, 20, 40, 80, 160, 300, 300, 300].map(|pause: u128| pause * 1000 + 2100);
    assert_eq!(pauses, expected);
    cluster.wait(Duration::from_secs(5));
    assert_eq!(line(&cluster, "p"), "Running c=CrashLoopBackOff/9");
    let found = pod(&cluster, "p");
    let status = &found["status"]["containerStatuses"][0];
    let uid = found.text_at("/metadata/uid");
    assert_eq!(
        status.text_at("/state/waiting/message"),
        format!("back-off 5m0s restarting failed container=c pod=p_default({uid})")
    );
    assert_eq!(status.text_at("/lastState/terminated/reason"), "Error");
    let told = format!("Back-off restarting failed container c in pod p_default({uid})");
    assert!(events(&cluster, "p").iter().any(|event| event.ends_with(&told)));
}

#[test]
fn who_has_run_for_long_is_started_again_at_once() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "exit 1 after 11m", &json!({}));
    cluster.wait(Duration::from_secs(3 * 660 + 10));
    assert_eq!(line(&cluster, "p"), "Running c=ready/3");
}

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
fn containers_begin_in_order() {
    let mut cluster = cluster(1);
    let container = |name: &str| json!({"name": name, "image": "nginx:1.29"});
    let mut sidecar = container("side");
    sidecar.as_object_mut().unwrap().insert("restartPolicy".to_owned(), "Always".into());
    let inits = json!([container("one"), sidecar, container("two")]);
    let behaviour = "one: exit 0 after 1s; two: exit 0 after 1s; c: exit 0 after 5s";
    make_pod(&cluster, "p", behaviour, &json!({"initContainers": inits, "restartPolicy": "Never"}));
    cluster.wait(milliseconds(600));
    let waits = "two=PodInitializing/0 c=PodInitializing/0";
    assert_eq!(line(&cluster, "p"), format!("Pending one=unready/0 side=PodInitializing/0 {waits}"));
    let initialized = pod(&cluster, "p")["status"]["conditions"][1].clone();
    assert_eq!(initialized.text("message"), "containers with incomplete status: [one side two]");
    cluster.wait(milliseconds(1500));
    assert_eq!(line(&cluster, "p"), "Pending one=Completed/0 side=ready/0 two=unready/0 c=PodInitializing/0");
    cluster.wait(milliseconds(1500));
    assert_eq!(line(&cluster, "p"), "Running one=Completed/0 side=ready/0 two=Completed/0 c=ready/0");
    // The sidecar ends last.
    cluster.wait(Duration::from_secs(10));
    let expected = "Succeeded one=Completed/0 side=Completed/0 two=Completed/0 c=Completed/0";
    assert_eq!(line(&cluster, "p"), expected);
}

#[test]
fn a_pod_is_ready_as_its_behaviour_says() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "a", "ready after 3s", &json!({}));
    make_pod(&cluster, "b", "never ready", &json!({}));
    let probe = json!({"httpGet": {"port": 80}, "initialDelaySeconds": 3, "periodSeconds": 2});
    let probed = json!({"containers": [{"name": "c", "image": "nginx:1.29", "readinessProbe": probe}]});
    make_pod(&cluster, "c", "", &probed);
    make_pod(&cluster, "d", "c: never ready", &probed);
    make_pod(&cluster, "e", "c: never read", &json!({}));
    cluster.wait(milliseconds(2000));
    let lines = |cluster: &Cluster| ["a", "b", "c", "d", "e"].map(|name| line(cluster, name));
    let [ready, unready] = ["Running c=ready/0", "Running c=unready/0"];
    assert_eq!(lines(&cluster), [unready, unready, unready, unready, ready]);
    cluster.wait(milliseconds(2000));
    assert_eq!(lines(&cluster), [ready, unready, unready, unready, ready]);
    cluster.wait(milliseconds(60_000));
    assert_eq!(lines(&cluster), [ready, unready, ready, unready, ready]);
    let told = "3 Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503".to_owned();
    assert!(events(&cluster, "d").contains(&told), "{:?}", events(&cluster, "d"));
    let wrong = events(&cluster, "e");
    assert!(wrong[0].starts_with("1 InvalidBehaviour: The annotation kubeglass.dev/behaviour is ignored: "));
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
    cluster.wait(Duration::from_secs(5));
    let before = ["a", "b", "c"].map(|name| line(&cluster, name));
    assert_eq!(before, ["Running c=ready/0", "Running c=CrashLoopBackOff/1", "Succeeded c=Completed/0"]);
    let revision = cluster.server.inspect().revision();
    let clock = std::sync::Arc::new(cluster.clock.clone());
    let selection = Selection::parse(["*"]).unwrap();
    cluster.manager = Manager::new(&cluster.server, clock, &selection, &Options::with_nodes(2));
    cluster.settle();
    assert_eq!(["a", "b", "c"].map(|name| line(&cluster, name)), before);
    assert_eq!(cluster.server.inspect().revision(), revision);
    make_pod(&cluster, "d", "", &json!({}));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(line(&cluster, "b"), "Running c=CrashLoopBackOff/2");
    let mut addresses: Vec<_> =
        ["a", "b", "d"].map(|name| pod(&cluster, name).text_at("/status/podIP").to_owned()).to_vec();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), 3, "{addresses:?}");
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
fn a_pod_whose_containers_never_began_ends_at_once() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "", &json!({"containers": [{"name": "c", "image": "a.invalid/x"}]}));
    make_pod(&cluster, "q", "exit 1", &json!({}));
    cluster.wait(Duration::from_secs(30));
    assert_eq!(line(&cluster, "q"), "Running c=CrashLoopBackOff/2");
    let finalizers = json!({"metadata": {"finalizers": ["example.com/wait"]}});
    for name in ["p", "q"] {
        cluster.send("PATCH", &format!("{PODS}/{name}"), &finalizers, MERGE);
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
}
