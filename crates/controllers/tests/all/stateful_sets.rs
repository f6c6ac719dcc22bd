//! Has StatefulSets keep pods with names of their own.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, PODS, items, milliseconds};
use crate::cluster::stateful_sets::{
    REVISIONS, SETS, cluster, count, images, make, names, patch, set_image, status,
};
use apiserver::inspect::Fault;
use controllers::Options;
use json_tree::{Value, json};

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";

/// Returns the events about the StatefulSet, in order.
fn events(cluster: &Cluster) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    let own = all.iter().filter(|event| event.text_at("/involvedObject/kind") == "StatefulSet");
    let mut own: Vec<_> =
        own.map(|event| format!("{}: {}", event.text("reason"), event.text("message"))).collect();
    own.sort();
    own
}

fn claims() -> Value {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    json!([{"metadata": {"name": "data", "labels": {"size": "small"}}, "spec": spec}])
}

/// Returns the owners of a claim: their kinds and names.
fn owners(cluster: &Cluster, claim: &str) -> Vec<String> {
    let claim = cluster.get(&format!("{CLAIMS}/{claim}"));
    let owners = claim.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let owner = |owner: &Value| [owner.text("kind"), owner.text("name")].join("/");
    owners.into_iter().flatten().map(owner).collect()
}

#[test]
fn pods_are_made_one_after_the_other() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make(&cluster, &json!({}));
    for expected in [&["db-0"][..], &["db-0", "db-1"], &["db-0", "db-1", "db-2"]] {
        cluster.settle();
        assert_eq!(names(&cluster, PODS), expected);
        cluster.make_ready("default", "app=db");
    }
    cluster.settle();
    let revision = names(&cluster, REVISIONS)[0].clone();
    let expected = json!({
        "observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 3,
        "updatedReplicas": 3, "currentRevision": revision, "updateRevision": revision, "collisionCount": 0
    });
    assert_eq!(status(&cluster), expected);
    let pod = cluster.get(&format!("{PODS}/db-1"));
    let labels = json!({
        "app": "db", "apps.kubernetes.io/pod-index": "1", "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": "db-1"
    });
    assert_eq!(pod["metadata"]["labels"], labels);
    assert_eq!(pod.text_at("/metadata/generateName"), "db-");
    assert_eq!(pod.text_at("/metadata/ownerReferences/0/kind"), "StatefulSet");
    assert_eq!((pod.text_at("/spec/hostname"), pod.text_at("/spec/subdomain")), ("db-1", "dbs"));
    let stored = &items(&cluster, REVISIONS)[0];
    let hash = revision.strip_prefix("db-").unwrap();
    assert_eq!(stored["metadata"]["labels"], json!({"app": "db", "controller.kubernetes.io/hash": hash}));
    assert_eq!(stored.text_at("/data/spec/template/$patch"), "replace");
    let created = |pod: &str| format!("SuccessfulCreate: Create Pod {pod} in StatefulSet db successful");
    assert_eq!(events(&cluster), ["db-0", "db-1", "db-2"].map(created));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn no_request_of_the_controller_is_refused() {
    let mut cluster = cluster(2);
    let policy = json!({"whenScaled": "Delete", "whenDeleted": "Delete"});
    make(
        &cluster,
        &json!({"volumeClaimTemplates": claims(), "persistentVolumeClaimRetentionPolicy": policy}),
    );
    cluster.wait(Duration::from_secs(10));
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(60));
    patch(&cluster, &json!({"replicas": 1}));
    cluster.wait(Duration::from_secs(60));
    let (all, refused) = cluster.requests_of(":statefulset-controller");
    assert!(all > 20);
    assert_eq!(refused, []);
}

#[test]
fn parallel_pods_are_made_and_deleted_at_once() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make(&cluster, &json!({"podManagementPolicy": "Parallel", "replicas": 5}));
    cluster.settle();
    assert_eq!(names(&cluster, PODS), ["db-0", "db-1", "db-2", "db-3", "db-4"]);
    assert_eq!((count(&cluster, "replicas"), count(&cluster, "updatedReplicas")), (5, 5));
    patch(&cluster, &json!({"replicas": 2}));
    cluster.settle();
    assert_eq!(names(&cluster, PODS), ["db-0", "db-1"]);
    assert_eq!((count(&cluster, "replicas"), cluster.manager.next_due()), (2, None));
}

#[test]
fn ordinals_begin_where_they_are_told_to() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({"ordinals": {"start": 5}, "replicas": 2}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(names(&cluster, PODS), ["db-5", "db-6"]);
    patch(&cluster, &json!({"ordinals": {"start": 6}}));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(names(&cluster, PODS), ["db-6", "db-7"]);
    assert_eq!((count(&cluster, "replicas"), count(&cluster, "availableReplicas")), (2, 2));
}

#[test]
fn the_last_pod_goes_first_and_alone() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(10));
    patch(&cluster, &json!({"replicas": 1}));
    let mut seen: Vec<Vec<String>> = Vec::new();
    for _ in 0..100 {
        cluster.wait(milliseconds(50));
        let pods = items(&cluster, PODS);
        let going = pods.iter().filter(|pod| pod.pointer("/metadata/deletionTimestamp").is_some());
        let going: Vec<_> = going.map(|pod| pod.text_at("/metadata/name").to_owned()).collect();
        if seen.last() != Some(&going) {
            seen.push(going);
        }
    }
    let seen: Vec<_> = seen.into_iter().filter(|going| !going.is_empty()).collect();
    assert_eq!(seen, [["db-2"], ["db-1"]]);
    assert_eq!(names(&cluster, PODS), ["db-0"]);
}

#[test]
fn a_pod_that_is_not_ready_holds_up_the_others() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(60));
    assert_eq!(names(&cluster, PODS), ["db-0"]);
    assert_eq!((count(&cluster, "replicas"), count(&cluster, "readyReplicas")), (1, 0));
    // Nor is it held up to go, where it is the first that is not well.
    patch(&cluster, &json!({"replicas": 0}));
    cluster.settle();
    assert_eq!(names(&cluster, PODS), [""; 0]);
}

#[test]
fn pods_have_claims_that_outlive_them() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({"volumeClaimTemplates": claims(), "replicas": 2}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(names(&cluster, CLAIMS), ["data-db-0", "data-db-1"]);
    let claim = cluster.get(&format!("{CLAIMS}/data-db-0"));
    assert_eq!(claim["metadata"]["labels"], json!({"app": "db", "size": "small"}));
    assert_eq!(claim.text_at("/spec/resources/requests/storage"), "1Gi");
    let volume = cluster.get(&format!("{PODS}/db-1"))["spec"]["volumes"][0].clone();
    assert_eq!(volume, json!({"name": "data", "persistentVolumeClaim": {"claimName": "data-db-1"}}));
    let message = "SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success";
    assert!(events(&cluster).contains(&message.to_owned()));
    patch(&cluster, &json!({"replicas": 0}));
    cluster.wait(Duration::from_secs(10));
    cluster.send("DELETE", &format!("{SETS}/db"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(10));
    assert_eq!(names(&cluster, CLAIMS), ["data-db-0", "data-db-1"]);
    assert_eq!(owners(&cluster, "data-db-0"), [""; 0]);
}

#[test]
fn a_policy_says_who_owns_claims() {
    let mut cluster = cluster(2);
    let policy = |scaled: &str, deleted: &str| json!({"persistentVolumeClaimRetentionPolicy": {"whenScaled": scaled, "whenDeleted": deleted}});
    let mut spec = policy("Retain", "Delete");
    spec["volumeClaimTemplates"] = claims();
    make(&cluster, &spec);
    cluster.wait(Duration::from_secs(10));
    assert_eq!(owners(&cluster, "data-db-2"), ["StatefulSet/db"]);
    patch(&cluster, &policy("Retain", "Retain"));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(owners(&cluster, "data-db-2"), [""; 0]);
    patch(&cluster, &policy("Delete", "Delete"));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(owners(&cluster, "data-db-2"), ["StatefulSet/db"]);
    patch(&cluster, &json!({"replicas": 2}));
    cluster.settle();
    assert_eq!(owners(&cluster, "data-db-2"), ["Pod/db-2"]);
    assert_eq!(owners(&cluster, "data-db-1"), ["StatefulSet/db"]);
    cluster.wait(Duration::from_secs(10));
    let claim = cluster.get(&format!("{CLAIMS}/data-db-2"));
    assert!(claim.text("kind") == "Status" || claim.pointer("/metadata/deletionTimestamp").is_some());
}

#[test]
fn a_claim_of_another_controller_is_left_alone() {
    let mut cluster = cluster(1);
    let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "m", "uid": "u", "controller": true});
    let mut spec = json!({
        "volumeClaimTemplates": claims(), "replicas": 1,
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"}
    });
    let map = cluster.send(
        "POST",
        "/api/v1/namespaces/default/configmaps",
        &json!({"metadata": {"name": "m"}}),
        JSON,
    );
    let mut owner = owner;
    owner["uid"] = map["metadata"]["uid"].clone();
    let claim = json!({
        "metadata": {"name": "data-db-0", "ownerReferences": [owner]}, "spec": claims()[0]["spec"].clone()
    });
    cluster.send("POST", CLAIMS, &claim, JSON);
    spec["podManagementPolicy"] = "Parallel".into();
    make(&cluster, &spec);
    cluster.wait(Duration::from_secs(5));
    assert_eq!(owners(&cluster, "data-db-0"), ["ConfigMap/m"]);
    assert!(events(&cluster).iter().any(|event| event.starts_with("ConflictingController: ")));
    assert_eq!(count(&cluster, "availableReplicas"), 1);
}

#[test]
fn a_pod_that_has_ended_is_made_anew() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make(&cluster, &json!({"replicas": 1}));
    cluster.settle();
    let uid = |cluster: &Cluster| cluster.get(&format!("{PODS}/db-0")).text_at("/metadata/uid").to_owned();
    for phase in ["Failed", "Succeeded"] {
        let before = uid(&cluster);
        let status = json!({"status": {"phase": phase}});
        cluster.send("PATCH", &format!("{PODS}/db-0/status"), &status, MERGE);
        cluster.settle();
        assert_ne!(uid(&cluster), before);
        assert_eq!(cluster.get(&format!("{PODS}/db-0")).text_at("/status/phase"), "Pending");
    }
    let message = "SuccessfulDelete: Delete Pod db-0 in StatefulSet db successful".to_owned();
    assert!(events(&cluster).contains(&message));
}

#[test]
fn only_orphans_with_names_of_its_own_are_adopted() {
    let mut cluster = cluster(1);
    let spec = json!({"containers": [{"name": "c", "image": "nginx:1"}]});
    for name in ["db-0", "other"] {
        let pod = json!({"metadata": {"name": name, "labels": {"app": "db"}}, "spec": spec.clone()});
        cluster.send("POST", PODS, &pod, JSON);
    }
    cluster.wait(Duration::from_secs(2));
    make(&cluster, &json!({"replicas": 1, "updateStrategy": {"type": "OnDelete"}}));
    cluster.wait(Duration::from_secs(5));
    let owner = |name: &str| {
        cluster.get(&format!("{PODS}/{name}")).text_at("/metadata/ownerReferences/0/name").to_owned()
    };
    assert_eq!([owner("db-0"), owner("other")], ["db", ""]);
    // It has got the labels of its place.
    let pod = cluster.get(&format!("{PODS}/db-0"));
    assert_eq!(pod.text_at("/metadata/labels/statefulset.kubernetes.io~1pod-name"), "db-0");
    let message = "SuccessfulUpdate: Update Pod db-0 in StatefulSet db successful".to_owned();
    assert!(events(&cluster).contains(&message));
}

#[test]
fn pods_are_available_some_seconds_after_they_are_ready() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({"replicas": 2, "minReadySeconds": 30}));
    cluster.wait(Duration::from_secs(20));
    assert_eq!(names(&cluster, PODS), ["db-0"]);
    assert_eq!((count(&cluster, "readyReplicas"), count(&cluster, "availableReplicas")), (1, 0));
    cluster.wait(Duration::from_secs(20));
    assert_eq!(names(&cluster, PODS), ["db-0", "db-1"]);
    cluster.wait(Duration::from_secs(40));
    assert_eq!((count(&cluster, "availableReplicas"), cluster.manager.next_due()), (2, None));
}

#[test]
fn a_pod_that_cannot_be_made_is_tried_again_and_told_of() {
    let mut cluster = cluster(1);
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}});
    cluster.send("POST", "/api/v1/namespaces/default/resourcequotas", &quota, JSON);
    cluster.settle();
    let used = json!({"status": {"hard": {"pods": "1"}, "used": {"pods": "1"}}});
    cluster.send("PATCH", "/api/v1/namespaces/default/resourcequotas/q/status", &used, MERGE);
    make(&cluster, &json!({"replicas": 1}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(names(&cluster, PODS), [""; 0]);
    let failed = "FailedCreate: Create Pod db-0 in StatefulSet db failed error: pods \"db-0\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1";
    assert!(events(&cluster).contains(&failed.to_owned()), "{:?}", events(&cluster));
    cluster.send("DELETE", "/api/v1/namespaces/default/resourcequotas/q", &Value::Null, JSON);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(count(&cluster, "availableReplicas"), 1);
}

#[test]
fn many_parallel_pods_are_made_in_bursts() {
    let mut cluster = Cluster::with(&["statefulset-controller"]);
    cluster.settle();
    make(&cluster, &json!({"podManagementPolicy": "Parallel", "replicas": 600}));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(items(&cluster, PODS).len(), 600);
    assert_eq!(count(&cluster, "replicas"), 600);
}

#[test]
fn the_largest_numbers_do_no_harm() {
    let mut cluster = Cluster::with(&["statefulset-controller"]);
    cluster.settle();
    let most = i64::from(i32::MAX);
    make(&cluster, &json!({"ordinals": {"start": most}, "replicas": most, "minReadySeconds": most}));
    cluster.settle();
    assert_eq!(names(&cluster, PODS), ["db-2147483647"]);
    cluster.make_ready("default", "app=db");
    patch(&cluster, &json!({"replicas": 0}));
    cluster.settle();
    assert_eq!(names(&cluster, PODS), [""; 0]);
}

#[test]
fn failing_requests_are_sent_again() {
    for fault in [Fault::Cut, Fault::TooManyRequests, Fault::InternalError, Fault::Unavailable] {
        let mut cluster = cluster(2);
        make(&cluster, &json!({"volumeClaimTemplates": claims()}));
        cluster.server.inspect().fail_next(9, fault);
        cluster.wait(Duration::from_secs(60));
        cluster.server.inspect().clear_faults();
        set_image(&cluster, "nginx:2");
        cluster.server.inspect().fail_next(9, fault);
        cluster.wait(Duration::from_secs(400));
        assert_eq!(images(&cluster), ["nginx:2"; 3], "{fault:?}");
        assert_eq!(names(&cluster, CLAIMS), ["data-db-0", "data-db-1", "data-db-2"], "{fault:?}");
        assert_eq!(count(&cluster, "availableReplicas"), 3, "{fault:?}");
    }
}

#[test]
fn who_takes_over_changes_nothing() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({"volumeClaimTemplates": claims()}));
    cluster.wait(Duration::from_secs(10));
    let revision = cluster.server.inspect().revision();
    cluster.restart(&["*", "-node-lifecycle-controller"], &Options::with_nodes(2));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(cluster.server.inspect().revision(), revision);
    patch(&cluster, &json!({"replicas": 4}));
    cluster.wait(Duration::from_secs(10));
    assert_eq!(count(&cluster, "availableReplicas"), 4);
}

#[test]
fn a_deleted_stateful_set_takes_its_pods_and_revisions_along() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(10));
    cluster.send("DELETE", &format!("{SETS}/db?propagationPolicy=Foreground"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(60));
    let left = [PODS, REVISIONS, SETS].map(|path| names(&cluster, path));
    assert_eq!(left, [const { Vec::<String>::new() }; 3]);
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn the_same_requests_at_the_same_times_make_the_same_cluster() {
    let play = || {
        let mut cluster = cluster(3);
        make(&cluster, &json!({"volumeClaimTemplates": claims(), "minReadySeconds": 2}));
        cluster.wait(Duration::from_secs(20));
        set_image(&cluster, "nginx:2");
        cluster.wait(Duration::from_secs(100));
        [PODS, SETS, REVISIONS, CLAIMS, "/api/v1/events"].map(|path| cluster.get(path).to_string())
    };
    assert_eq!(play(), play());
}
