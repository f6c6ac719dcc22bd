//! Has DaemonSets keep a pod on each node that fits.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, PODS, cluster, items, milliseconds};
use apiserver::inspect::Fault;
use controllers::Options;
use json_tree::{Value, json};

const SETS: &str = "/apis/apps/v1/namespaces/default/daemonsets";
const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";
const HASH: &str = "/metadata/labels/controller-revision-hash";

/// Makes a DaemonSet with fields of its specification.
fn make(cluster: &Cluster, more: &Value) {
    let template = json!({
        "metadata": {"labels": {"app": "agent"}},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}
    });
    let mut spec = json!({"selector": {"matchLabels": {"app": "agent"}}, "template": template});
    for (key, value) in more.as_object().unwrap() {
        spec.as_object_mut().unwrap().insert(key.clone(), value.clone());
    }
    cluster.send("POST", SETS, &json!({"metadata": {"name": "agent"}, "spec": spec}), JSON);
}

fn patch(cluster: &Cluster, spec: &Value) {
    cluster.send("PATCH", &format!("{SETS}/agent"), &json!({"spec": spec}), MERGE);
}

fn set_image(cluster: &Cluster, image: &str) {
    patch(cluster, &json!({"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}));
}

fn patch_node(cluster: &Cluster, name: &str, patch: &Value) {
    cluster.send("PATCH", &format!("/api/v1/nodes/{name}"), patch, MERGE);
}

/// Returns the nodes of the pods, in order.
fn places(cluster: &Cluster) -> Vec<String> {
    let pods = items(cluster, PODS);
    let mut places: Vec<_> = pods.iter().map(|pod| pod.text_at("/spec/nodeName").to_owned()).collect();
    places.sort();
    places
}

/// Returns the images of the pods, in order.
fn images(cluster: &Cluster) -> Vec<String> {
    let pods = items(cluster, PODS);
    let mut images: Vec<_> =
        pods.iter().map(|pod| pod.text_at("/spec/containers/0/image").to_owned()).collect();
    images.sort();
    images
}

fn status(cluster: &Cluster) -> Value {
    cluster.get(&format!("{SETS}/agent"))["status"].clone()
}

fn count(cluster: &Cluster, field: &str) -> i64 {
    status(cluster).get(field).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns the events about the DaemonSet, by their reasons.
fn events(cluster: &Cluster, reason: &str) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    let own = all.iter().filter(|event| {
        event.text_at("/involvedObject/kind") == "DaemonSet" && event.text("reason") == reason
    });
    own.map(|event| event.text("message").to_owned()).collect()
}

/// Returns the numbers of the revisions with their images, in order.
fn revisions(cluster: &Cluster) -> Vec<(i64, String)> {
    let all = items(cluster, REVISIONS);
    let image = |revision: &Value| revision.text_at("/data/spec/template/spec/containers/0/image").to_owned();
    let mut all: Vec<_> = all.iter().map(|one| (one["revision"].as_i64().unwrap(), image(one))).collect();
    all.sort();
    all
}

/// Makes a node on which nothing runs.
fn make_node(cluster: &Cluster, name: &str) {
    cluster.send("POST", "/api/v1/nodes", &json!({"metadata": {"name": name}}), JSON);
    // A new node has a taint until its kubelet is ready.
    patch_node(cluster, name, &json!({"spec": {"taints": null}}));
}

fn fail(cluster: &Cluster, pod: &str) {
    let failed = json!({"status": {"phase": "Failed"}});
    cluster.send("PATCH", &format!("{PODS}/{pod}/status"), &failed, MERGE);
}

fn names(cluster: &Cluster) -> Vec<String> {
    items(cluster, PODS).iter().map(|pod| pod.text_at("/metadata/name").to_owned()).collect()
}

#[test]
fn a_pod_runs_on_each_node() {
    let mut cluster = cluster(3);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(places(&cluster), ["node-1", "node-2", "node-3"]);
    let expected = json!({
        "currentNumberScheduled": 3, "desiredNumberScheduled": 3, "numberAvailable": 3, "numberMisscheduled": 0,
        "numberReady": 3, "observedGeneration": 1, "updatedNumberScheduled": 3
    });
    assert_eq!(status(&cluster), expected);
    let pod = &items(&cluster, PODS)[0];
    let revision = &items(&cluster, REVISIONS)[0];
    let hash = pod.text_at(HASH);
    assert_eq!(revision.text_at(HASH), hash);
    assert_eq!(revision.text_at("/metadata/name"), format!("agent-{hash}"));
    assert_eq!(revision.text_at("/metadata/annotations/deprecated.daemonset.template.generation"), "1");
    assert_eq!(revision.text_at("/data/spec/template/$patch"), "replace");
    assert_eq!(pod.text_at("/metadata/labels/pod-template-generation"), "1");
    assert_eq!(pod.text_at("/metadata/generateName"), "agent-");
    assert_eq!(pod.text_at("/metadata/ownerReferences/0/kind"), "DaemonSet");
    let field = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0";
    assert_eq!(pod.pointer(field).unwrap()["values"][0], pod.text_at("/spec/nodeName"));
    let keys = pod.pointer("/spec/tolerations").unwrap().as_array().unwrap().iter();
    let keys: Vec<_> = keys.map(|one| [one.text("key"), one.text("effect")].join(":")).collect();
    let expected = [
        "not-ready:NoExecute",
        "unreachable:NoExecute",
        "disk-pressure:NoSchedule",
        "memory-pressure:NoSchedule",
        "pid-pressure:NoSchedule",
        "unschedulable:NoSchedule",
    ];
    assert_eq!(keys, expected.map(|key| format!("node.kubernetes.io/{key}")));
    assert_eq!(events(&cluster, "SuccessfulCreate").len(), 3);
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn no_request_of_the_controller_is_refused() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(2));
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(60));
    let (all, refused) = cluster.requests_of(":daemon-set-controller");
    assert!(all > 10);
    assert_eq!(refused, []);
}

#[test]
fn pods_follow_the_labels_of_nodes() {
    let mut cluster = cluster(3);
    let template = json!({
        "metadata": {"labels": {"app": "agent"}},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}], "nodeSelector": {"disk": "fast"}}
    });
    make(&cluster, &json!({"template": template}));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(places(&cluster), [""; 0]);
    patch_node(&cluster, "node-2", &json!({"metadata": {"labels": {"disk": "fast"}}}));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(places(&cluster), ["node-2"]);
    patch_node(&cluster, "node-2", &json!({"metadata": {"labels": {"disk": "slow"}}}));
    cluster.wait(Duration::from_secs(60));
    assert_eq!(places(&cluster), [""; 0]);
    assert_eq!(events(&cluster, "SuccessfulDelete").len(), 1);
    assert_eq!((count(&cluster, "desiredNumberScheduled"), count(&cluster, "numberMisscheduled")), (0, 0));
}

#[test]
fn a_pod_stays_beside_a_taint_unless_it_is_to_be_executed() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(2));
    let taint = |effect: &str| json!({"spec": {"taints": [{"key": "k", "effect": effect}]}});
    patch_node(&cluster, "node-1", &taint("NoSchedule"));
    set_image(&cluster, "nginx:1");
    patch(&cluster, &json!({"minReadySeconds": 1}));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(places(&cluster), ["node-1", "node-2"]);
    assert_eq!((count(&cluster, "desiredNumberScheduled"), count(&cluster, "numberMisscheduled")), (1, 1));
    patch_node(&cluster, "node-1", &taint("NoExecute"));
    cluster.wait(Duration::from_secs(60));
    assert_eq!(places(&cluster), ["node-2"]);
    patch_node(&cluster, "node-1", &json!({"spec": {"taints": null}}));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(places(&cluster), ["node-1", "node-2"]);
    assert_eq!((count(&cluster, "desiredNumberScheduled"), count(&cluster, "numberMisscheduled")), (2, 0));
}

#[test]
fn failed_pods_are_replaced_later_each_time() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make_node(&cluster, "a");
    make(&cluster, &json!({}));
    cluster.settle();
    let first = names(&cluster);
    fail(&cluster, &first[0]);
    cluster.settle();
    let second = names(&cluster);
    assert!(second.len() == 1 && second != first);
    let message = format!("Found failed daemon pod default/{} on node a, will try to kill it", first[0]);
    assert_eq!(events(&cluster, "FailedDaemonPod"), [message]);
    fail(&cluster, &second[0]);
    cluster.wait(milliseconds(999));
    assert_eq!(names(&cluster), second);
    cluster.wait(milliseconds(1));
    let third = names(&cluster);
    assert!(third.len() == 1 && third != second);
    fail(&cluster, &third[0]);
    cluster.wait(milliseconds(1999));
    assert_eq!(names(&cluster), third);
    cluster.wait(milliseconds(1));
    assert_ne!(names(&cluster), third);
}

#[test]
fn a_rolling_update_leaves_no_more_than_one_node_without_a_pod() {
    let mut cluster = cluster(3);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(2));
    set_image(&cluster, "nginx:2");
    let mut least = i64::MAX;
    for _ in 0..200 {
        cluster.wait(milliseconds(50));
        least = least.min(count(&cluster, "numberAvailable"));
    }
    assert_eq!(least, 2);
    assert_eq!(images(&cluster), ["nginx:2"; 3]);
    assert_eq!((count(&cluster, "updatedNumberScheduled"), count(&cluster, "numberAvailable")), (3, 3));
    assert_eq!(revisions(&cluster), [(1, "nginx:1".to_owned()), (2, "nginx:2".to_owned())]);
    let generation = items(&cluster, PODS)[0].text_at("/metadata/labels/pod-template-generation").to_owned();
    assert_eq!(generation, "2");
}

#[test]
fn an_update_that_does_not_get_ready_stops_at_the_limit() {
    let mut cluster = cluster(4);
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "50%"}});
    make(&cluster, &json!({"updateStrategy": rolling}));
    cluster.wait(Duration::from_secs(2));
    set_image(&cluster, "registry.example/x");
    cluster.wait(Duration::from_secs(60));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:1", "registry.example/x", "registry.example/x"]);
    assert_eq!((count(&cluster, "numberAvailable"), count(&cluster, "numberUnavailable")), (2, 2));
}

#[test]
fn a_surge_starts_new_pods_before_old_ones_end() {
    let mut cluster = cluster(2);
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}});
    make(&cluster, &json!({"updateStrategy": rolling}));
    cluster.wait(Duration::from_secs(2));
    set_image(&cluster, "registry.example/x");
    cluster.wait(Duration::from_secs(30));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:1", "registry.example/x"]);
    assert_eq!(count(&cluster, "numberAvailable"), 2);
    set_image(&cluster, "nginx:2");
    let mut least = i64::MAX;
    for _ in 0..400 {
        cluster.wait(milliseconds(50));
        least = least.min(count(&cluster, "numberAvailable"));
    }
    assert_eq!((least, images(&cluster)), (2, vec!["nginx:2".to_owned(); 2]));
}

#[test]
fn a_surge_keeps_a_misplaced_pod_until_there_are_enough_others() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make_node(&cluster, "a");
    make_node(&cluster, "b");
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}});
    make(&cluster, &json!({"updateStrategy": rolling}));
    cluster.settle();
    let field = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0";
    let on = |cluster: &Cluster| {
        let pods = items(cluster, PODS);
        let place =
            |pod: &Value| format!("{} {}", pod.text_at(field), pod.text_at("/spec/containers/0/image"));
        let mut places: Vec<_> = pods.iter().map(place).collect();
        places.sort();
        places
    };
    let make_ready = |cluster: &Cluster, node: &str| {
        let pods = items(cluster, PODS);
        let own = pods.iter().find(|pod| pod.text_at(field) == node).unwrap();
        let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2027-01-15T08:00:00Z"});
        let status = json!({"status": {"phase": "Running", "conditions": [ready]}});
        let path = format!("{PODS}/{}/status", own.text_at("/metadata/name"));
        cluster.send("PATCH", &path, &status, MERGE);
    };
    make_ready(&cluster, "a");
    patch_node(&cluster, "a", &json!({"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}));
    set_image(&cluster, "nginx:2");
    cluster.settle();
    assert_eq!(on(&cluster), ["a nginx:1", "b nginx:2"]);
    make_ready(&cluster, "b");
    cluster.settle();
    assert_eq!(on(&cluster), ["b nginx:2"]);
}

#[test]
fn a_pod_that_has_succeeded_is_replaced_at_once() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make_node(&cluster, "a");
    make(&cluster, &json!({}));
    for _ in 0..3 {
        cluster.settle();
        let before = names(&cluster);
        let succeeded = json!({"status": {"phase": "Succeeded"}});
        cluster.send("PATCH", &format!("{PODS}/{}/status", before[0]), &succeeded, MERGE);
        cluster.settle();
        assert!(names(&cluster).len() == 1 && names(&cluster) != before);
    }
    assert_eq!(events(&cluster, "SucceededDaemonPod").len(), 3);
}

#[test]
fn a_daemon_set_that_may_not_make_pods_goes_on_once_it_may() {
    let mut cluster = cluster(2);
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0"}}});
    let quotas = "/api/v1/namespaces/default/resourcequotas";
    cluster.send("POST", quotas, &quota, JSON);
    let used = json!({"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}});
    cluster.send("PATCH", &format!("{quotas}/q/status"), &used, MERGE);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(places(&cluster), [""; 0]);
    assert_eq!((count(&cluster, "desiredNumberScheduled"), count(&cluster, "observedGeneration")), (2, 1));
    assert!(events(&cluster, "FailedCreate")[0].starts_with("Error creating: pods \"agent-"));
    cluster.send("DELETE", &format!("{quotas}/q"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(places(&cluster), ["node-1", "node-2"]);
}

#[test]
fn on_delete_replaces_a_pod_only_when_it_is_deleted() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({"updateStrategy": {"type": "OnDelete"}}));
    cluster.wait(Duration::from_secs(2));
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(10));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:1"]);
    assert_eq!(count(&cluster, "updatedNumberScheduled"), 0);
    cluster.send("DELETE", &format!("{PODS}/{}", names(&cluster)[0]), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:2"]);
    assert_eq!(count(&cluster, "updatedNumberScheduled"), 1);
}

#[test]
fn old_revisions_go_and_earlier_templates_get_their_revision_back() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({"revisionHistoryLimit": 2}));
    for image in ["nginx:2", "nginx:3", "nginx:4"] {
        cluster.wait(Duration::from_secs(60));
        set_image(&cluster, image);
    }
    cluster.wait(Duration::from_secs(60));
    let expect = |cluster: &Cluster, expected: &[(i64, &str)]| {
        let expected: Vec<_> =
            expected.iter().map(|(number, image)| (*number, (*image).to_owned())).collect();
        assert_eq!(revisions(cluster), expected);
    };
    expect(&cluster, &[(2, "nginx:2"), (3, "nginx:3"), (4, "nginx:4")]);
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(60));
    expect(&cluster, &[(3, "nginx:3"), (4, "nginx:4"), (5, "nginx:2")]);
    assert_eq!(images(&cluster), ["nginx:2"]);
}

#[test]
fn two_revisions_of_one_template_become_one() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(2));
    let mut other = items(&cluster, REVISIONS)[0].clone();
    let labels = json!({"app": "agent", "controller-revision-hash": "other"});
    other["metadata"] = json!({"name": "agent-other", "labels": labels});
    other["revision"] = 7.into();
    cluster.send("POST", REVISIONS, &other, JSON);
    cluster.wait(Duration::from_secs(2));
    let kept = items(&cluster, REVISIONS);
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].text_at("/metadata/name"), "agent-other");
    assert_eq!(kept[0].text_at("/metadata/ownerReferences/0/name"), "agent");
    assert_eq!(items(&cluster, PODS)[0].text_at(HASH), "other");
}

#[test]
fn a_name_that_is_taken_by_another_revision_counts_as_a_collision() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(2));
    let name = items(&cluster, REVISIONS)[0].text_at("/metadata/name").to_owned();
    cluster.send("DELETE", &format!("{SETS}/agent"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(items(&cluster, REVISIONS).len(), 0);
    let other = json!({"metadata": {"name": name}, "data": {"other": true}, "revision": 1});
    cluster.send("POST", REVISIONS, &other, JSON);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!((count(&cluster, "collisionCount"), count(&cluster, "numberAvailable")), (1, 1));
    let hash = items(&cluster, PODS)[0].text_at(HASH).to_owned();
    assert_ne!(format!("agent-{hash}"), name);
    assert_eq!(cluster.call("GET", &format!("{REVISIONS}/agent-{hash}"), &Value::Null, JSON).0, 200);
}

#[test]
fn an_orphan_on_a_node_is_adopted() {
    let mut cluster = cluster(1);
    let spec = json!({"containers": [{"name": "c", "image": "nginx:0"}], "nodeName": "node-1"});
    let orphan = json!({"metadata": {"name": "orphan", "labels": {"app": "agent"}}, "spec": spec});
    cluster.send("POST", PODS, &orphan, JSON);
    make(&cluster, &json!({"updateStrategy": {"type": "OnDelete"}}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(names(&cluster), ["orphan"]);
    let pod = cluster.get(&format!("{PODS}/orphan"));
    assert_eq!(pod.text_at("/metadata/ownerReferences/0/name"), "agent");
    let labels = json!({"metadata": {"labels": {"app": "else"}}});
    cluster.send("PATCH", &format!("{PODS}/orphan"), &labels, MERGE);
    cluster.wait(Duration::from_secs(5));
    let pod = cluster.get(&format!("{PODS}/orphan"));
    assert_eq!(pod.pointer("/metadata/ownerReferences"), None);
    assert_eq!(places(&cluster), ["node-1", "node-1"]);
}

#[test]
fn pods_are_available_some_seconds_after_they_are_ready() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({"minReadySeconds": 30}));
    cluster.wait(Duration::from_secs(20));
    assert_eq!((count(&cluster, "numberReady"), count(&cluster, "numberAvailable")), (2, 0));
    cluster.wait(Duration::from_secs(12));
    assert_eq!((count(&cluster, "numberAvailable"), count(&cluster, "numberUnavailable")), (2, 0));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_pod_that_waits_for_a_node_that_is_gone_is_deleted() {
    let mut cluster = Cluster::with(&["daemonset"]);
    cluster.settle();
    make_node(&cluster, "a");
    make_node(&cluster, "b");
    make(&cluster, &json!({}));
    cluster.settle();
    assert_eq!(names(&cluster).len(), 2);
    cluster.send("DELETE", "/api/v1/nodes/a", &Value::Null, JSON);
    set_image(&cluster, "nginx:1");
    patch(&cluster, &json!({"minReadySeconds": 1}));
    cluster.settle();
    assert_eq!(names(&cluster).len(), 1);
    assert_eq!((count(&cluster, "desiredNumberScheduled"), cluster.manager.next_due()), (1, None));
}

#[test]
fn failing_requests_are_sent_again() {
    for fault in [Fault::Cut, Fault::TooManyRequests, Fault::InternalError, Fault::Unavailable] {
        let mut cluster = cluster(3);
        make(&cluster, &json!({}));
        cluster.server.inspect().fail_next(9, fault);
        cluster.wait(Duration::from_secs(60));
        cluster.server.inspect().clear_faults();
        set_image(&cluster, "nginx:2");
        cluster.server.inspect().fail_next(9, fault);
        cluster.wait(Duration::from_secs(400));
        assert_eq!(images(&cluster), ["nginx:2"; 3], "{fault:?}");
        assert_eq!(places(&cluster), ["node-1", "node-2", "node-3"], "{fault:?}");
        assert_eq!(count(&cluster, "numberAvailable"), 3, "{fault:?}");
    }
}

#[test]
fn who_takes_over_changes_nothing() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(5));
    let revision = cluster.server.inspect().revision();
    cluster.restart(&["*", "-node-lifecycle-controller"], &Options::with_nodes(2));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(cluster.server.inspect().revision(), revision);
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(60));
    assert_eq!(images(&cluster), ["nginx:2"; 2]);
}

#[test]
fn a_deleted_daemon_set_takes_its_pods_and_revisions_along() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(2));
    cluster.send("DELETE", &format!("{SETS}/agent?propagationPolicy=Foreground"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(
        (items(&cluster, PODS), items(&cluster, REVISIONS), items(&cluster, SETS)),
        (vec![], vec![], vec![])
    );
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn the_same_requests_at_the_same_times_make_the_same_cluster() {
    let play = || {
        let mut cluster = cluster(3);
        make(&cluster, &json!({"minReadySeconds": 3}));
        cluster.wait(Duration::from_secs(10));
        set_image(&cluster, "nginx:2");
        cluster.wait(Duration::from_secs(100));
        [PODS, SETS, REVISIONS, "/api/v1/events"].map(|path| cluster.get(path).to_string())
    };
    assert_eq!(play(), play());
}

#[test]
fn a_revision_that_somebody_makes_stays_until_the_next_look() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(5));
    let mut copy = items(&cluster, REVISIONS).remove(0);
    let metadata = copy["metadata"].as_object_mut().unwrap();
    for field in ["resourceVersion", "uid", "creationTimestamp", "managedFields"] {
        metadata.shift_remove(field);
    }
    metadata.insert("name".to_owned(), "copy".into());
    copy["revision"] = 2.into();
    cluster.send("POST", REVISIONS, &copy, JSON);
    cluster.wait(Duration::from_secs(5));
    assert_eq!(items(&cluster, REVISIONS).len(), 2);
    // Of two that say the same, the newer one is kept.
    let labels = json!({"metadata": {"labels": {"x": "y"}}});
    cluster.send("PATCH", &[REVISIONS, "/copy"].concat(), &labels, MERGE);
    cluster.wait(Duration::from_secs(5));
    let left: Vec<String> =
        items(&cluster, REVISIONS).iter().map(|own| own.text_at("/metadata/name").to_owned()).collect();
    assert_eq!(left, ["copy"]);
}
