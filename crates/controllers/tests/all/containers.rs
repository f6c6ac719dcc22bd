//! Has containers start, be started again, and be ready, on nodes whose kubelets only pretend.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{PODS, cluster, events, line, make_pod, milliseconds, pod};
use clock::Clock;
use json_tree::{Value, json};

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

fn container(name: &str, image: &str) -> Value {
    json!({"name": name, "image": image})
}

fn sidecar(name: &str) -> Value {
    json!({"name": name, "image": "nginx:1.29", "restartPolicy": "Always"})
}

/// Returns a condition of a pod in one line.
fn condition(cluster: &Cluster, name: &str, kind: &str) -> String {
    let pod = pod(cluster, name);
    let conditions = pod["status"]["conditions"].as_array().unwrap();
    let found = conditions.iter().find(|condition| condition.text("type") == kind).unwrap();
    [found.text("status"), found.text("reason"), found.text("message")].join(" ").trim_end().to_owned()
}

#[test]
fn init_containers_succeed_by_default() {
    let mut cluster = cluster(1);
    let inits = json!([container("one", "nginx:1.29"), sidecar("side"), container("two", "nginx:1.29")]);
    make_pod(&cluster, "p", "", &json!({"initContainers": inits}));
    cluster.wait(Duration::from_secs(1));
    assert_eq!(line(&cluster, "p"), "Running one=Completed/0 side=ready/0 two=Completed/0 c=ready/0");
}

#[test]
fn an_init_container_that_fails_is_started_again() {
    let mut cluster = cluster(1);
    let inits = json!([container("one", "nginx:1.29"), container("two", "nginx:1.29")]);
    make_pod(&cluster, "p", "one: exit 1 after 1s", &json!({"initContainers": inits}));
    cluster.wait(Duration::from_secs(5));
    let waits = "two=PodInitializing/0 c=PodInitializing/0";
    assert_eq!(line(&cluster, "p"), format!("Pending one=CrashLoopBackOff/1 {waits}"));
    let message = "containers with incomplete status: [one two]";
    assert_eq!(condition(&cluster, "p", "Initialized"), format!("False ContainersNotInitialized {message}"));
}

#[test]
fn a_pull_waits_for_a_sidecar_that_crashes() {
    let mut cluster = cluster(1);
    let containers = json!([container("c", "a.test/x")]);
    let spec = json!({"initContainers": [sidecar("side")], "containers": containers});
    make_pod(&cluster, "p", "side: exit 1", &spec);
    let end = cluster.clock.now() + Duration::from_secs(100);
    let mut waits = 0;
    while cluster.clock.now() < end {
        cluster.settle();
        let (now, due) = (cluster.clock.now(), cluster.manager.next_due().unwrap());
        assert!(due > now, "{due:?}");
        waits += 1;
        cluster.clock.advance(due - now);
    }
    assert!(waits < 100, "{waits}");
    let pulls = events(&cluster, "p")
        .into_iter()
        .find(|event| event.contains(" Pulling: Pulling image \"a.test/x\""));
    // With each start of the sidecar, once the time has come.
    assert_eq!(pulls.unwrap().split(' ').next(), Some("3"));
    assert!(line(&cluster, "p").starts_with("Pending side=CrashLoopBackOff/"), "{}", line(&cluster, "p"));
}

#[test]
fn who_has_begun_does_not_wait_for_a_sidecar_that_crashes() {
    let mut cluster = cluster(1);
    let spec = json!({"initContainers": [sidecar("side")]});
    make_pod(&cluster, "p", "side: exit 1; c: exit 1 after 20s", &spec);
    cluster.wait(Duration::from_secs(15));
    assert_eq!(line(&cluster, "p"), "Running side=CrashLoopBackOff/2 c=ready/0");
    assert_eq!(condition(&cluster, "p", "Initialized"), "True");
    assert_eq!(
        condition(&cluster, "p", "Ready"),
        "False ContainersNotReady containers with unready status: [side]"
    );
    cluster.wait(Duration::from_secs(7));
    assert_eq!(line(&cluster, "p"), "Running side=CrashLoopBackOff/2 c=ready/1");
    cluster.wait(Duration::from_secs(23));
    assert_eq!(line(&cluster, "p"), "Running side=CrashLoopBackOff/3 c=CrashLoopBackOff/1");
    let message = "containers with incomplete status: [side]";
    assert_eq!(condition(&cluster, "p", "Initialized"), format!("False ContainersNotInitialized {message}"));
}

#[test]
fn images_are_pulled_as_their_policies_say() {
    let mut cluster = cluster(1);
    let with = |policy: &str| json!({"containers": [{"name": "c", "image": "nginx:1.29", "imagePullPolicy": policy}]});
    make_pod(&cluster, "never", "", &with("Never"));
    cluster.wait(Duration::from_secs(1));
    assert_eq!(line(&cluster, "never"), "Pending c=ErrImageNeverPull/0");
    assert_eq!(cluster.manager.next_due(), None);
    make_pod(&cluster, "first", "", &with("IfNotPresent"));
    cluster.wait(milliseconds(100));
    // Its image is on the way.
    make_pod(&cluster, "second", "", &with("IfNotPresent"));
    cluster.wait(milliseconds(300));
    make_pod(&cluster, "third", "", &with("IfNotPresent"));
    make_pod(&cluster, "always", "", &with("Always"));
    cluster.wait(milliseconds(200));
    for name in ["never", "first", "second", "third", "always"] {
        assert_eq!(line(&cluster, name), "Running c=ready/0", "{name}");
    }
    let pulled = |name: &str| {
        let event = events(&cluster, name).into_iter().find(|event| event.starts_with("1 Pulled: ")).unwrap();
        event.split(". Image size").next().unwrap()[10..].to_owned()
    };
    let success = "Successfully pulled image \"nginx:1.29\" in";
    let present = "Container image \"nginx:1.29\" already present on machine and can be accessed by the pod";
    assert_eq!(pulled("first"), format!("{success} 400ms (400ms including waiting)"));
    assert_eq!(pulled("second"), format!("{success} 50ms (350ms including waiting)"));
    assert_eq!(pulled("always"), format!("{success} 50ms (50ms including waiting)"));
    assert_eq!([pulled("third"), pulled("never")], [present; 2]);
}

#[test]
fn a_pod_in_the_network_of_its_node_has_its_address() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "", &json!({"hostNetwork": true}));
    make_pod(&cluster, "q", "", &json!({}));
    cluster.wait(Duration::from_secs(1));
    let addresses = ["p", "q"].map(|name| pod(&cluster, name).text_at("/status/podIP").to_owned());
    assert_eq!(addresses, ["172.18.0.2", "10.244.1.2"]);
}

#[test]
fn a_pod_is_ready_when_its_gates_are() {
    let mut cluster = cluster(1);
    make_pod(&cluster, "p", "", &json!({"readinessGates": [{"conditionType": "example.com/ok"}]}));
    cluster.wait(Duration::from_secs(1));
    let set = |cluster: &mut Cluster, status: &str| {
        let condition = json!({"type": "example.com/ok", "status": status});
        let patch = json!({"status": {"conditions": [condition]}});
        let media_type = "application/strategic-merge-patch+json";
        cluster.send("PATCH", &format!("{PODS}/p/status"), &patch, media_type);
        cluster.settle();
    };
    let unready = |why: &str| format!("False ReadinessGatesNotReady {why}");
    let gate = "pod readiness gate \"example.com/ok\"";
    let absent = format!("corresponding condition of {gate} does not exist.");
    assert_eq!(condition(&cluster, "p", "Ready"), unready(&absent));
    assert_eq!(condition(&cluster, "p", "ContainersReady"), "True");
    set(&mut cluster, "False");
    let wrong = format!("the status of {gate} is not \"True\", but False");
    assert_eq!(condition(&cluster, "p", "Ready"), unready(&wrong));
    set(&mut cluster, "True");
    assert_eq!(condition(&cluster, "p", "Ready"), "True");
}

#[test]
fn a_probe_says_where_it_found_nobody() {
    let mut cluster = cluster(1);
    let probe = json!({"tcpSocket": {"port": "web"}, "failureThreshold": 2});
    let ports = json!([{"name": "web", "containerPort": 8080}]);
    let probed = json!({"name": "c", "image": "nginx:1.29", "ports": ports, "readinessProbe": probe});
    make_pod(&cluster, "p", "never ready", &json!({"containers": [probed]}));
    cluster.wait(Duration::from_secs(60));
    let error = "dial tcp 10.244.1.2:8080: connect: connection refused";
    assert!(
        events(&cluster, "p").contains(&format!("2 Unhealthy: Readiness probe failed: {error}")),
        "{:?}",
        events(&cluster, "p")
    );
}
