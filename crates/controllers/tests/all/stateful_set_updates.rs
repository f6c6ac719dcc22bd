//! Has StatefulSets update their pods, and keep revisions of their templates.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, items, milliseconds};
use crate::cluster::stateful_sets::{
    REVISIONS, SETS, cluster, count, images, make, names, patch, set_image, status,
};
use json_tree::{Value, json};

const HASH: &str = "/metadata/labels/controller-revision-hash";

/// Returns the numbers of the revisions with their images, in order.
fn revisions(cluster: &Cluster) -> Vec<(i64, String)> {
    let all = items(cluster, REVISIONS);
    let image = |revision: &Value| revision.text_at("/data/spec/template/spec/containers/0/image").to_owned();
    let mut all: Vec<_> = all.iter().map(|one| (one["revision"].as_i64().unwrap(), image(one))).collect();
    all.sort();
    all
}

#[test]
fn a_rolling_update_goes_from_the_last_pod_to_the_first() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(10));
    let before = status(&cluster).text("currentRevision").to_owned();
    set_image(&cluster, "nginx:2");
    let mut seen = vec![images(&cluster)];
    let mut least = i64::MAX;
    for _ in 0..400 {
        cluster.wait(milliseconds(50));
        least = least.min(count(&cluster, "availableReplicas"));
        let images = images(&cluster);
        if images.len() == 3 && seen.last() != Some(&images) {
            seen.push(images);
        }
    }
    let (old, new) = ("nginx:1", "nginx:2");
    assert_eq!(seen, [[old, old, old], [old, old, new], [old, new, new], [new, new, new]]);
    assert_eq!(least, 2);
    let status = status(&cluster);
    assert_ne!(status.text("currentRevision"), before);
    assert_eq!(status.text("currentRevision"), status.text("updateRevision"));
    assert_eq!(revisions(&cluster), [(1, old.to_owned()), (2, new.to_owned())]);
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_partition_keeps_the_first_pods_as_they_are() {
    let mut cluster = cluster(2);
    let rolling = |partition: i64| json!({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}});
    make(&cluster, &rolling(2));
    cluster.wait(Duration::from_secs(10));
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(20));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:1", "nginx:2"]);
    assert_eq!((count(&cluster, "currentReplicas"), count(&cluster, "updatedReplicas")), (2, 1));
    cluster.send("DELETE", &format!("{PODS}/db-0"), &Value::Null, JSON);
    cluster.send("DELETE", &format!("{PODS}/db-2"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(20));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:1", "nginx:2"]);
    patch(&cluster, &rolling(0));
    cluster.wait(Duration::from_secs(20));
    assert_eq!(images(&cluster), ["nginx:2"; 3]);
    assert_eq!(count(&cluster, "currentReplicas"), 3);
}

#[test]
fn a_bad_image_stops_an_update_at_the_last_pod() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({}));
    cluster.wait(Duration::from_secs(10));
    set_image(&cluster, "registry.example/x");
    cluster.wait(Duration::from_secs(60));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:1", "registry.example/x"]);
    // As in a real cluster, a template that is right again does not help a pod that never gets ready.
    set_image(&cluster, "nginx:1");
    cluster.wait(Duration::from_secs(60));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:1", "registry.example/x"]);
    cluster.send("DELETE", &format!("{PODS}/db-2"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(20));
    assert_eq!(images(&cluster), ["nginx:1"; 3]);
    assert_eq!(revisions(&cluster), [(2, "registry.example/x".to_owned()), (3, "nginx:1".to_owned())]);
}

#[test]
fn on_delete_replaces_a_pod_only_when_it_is_deleted() {
    let mut cluster = cluster(2);
    make(&cluster, &json!({"updateStrategy": {"type": "OnDelete"}}));
    cluster.wait(Duration::from_secs(10));
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(20));
    assert_eq!(images(&cluster), ["nginx:1"; 3]);
    cluster.send("DELETE", &format!("{PODS}/db-1"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(20));
    assert_eq!(images(&cluster), ["nginx:1", "nginx:2", "nginx:1"]);
    assert_eq!((count(&cluster, "currentReplicas"), count(&cluster, "updatedReplicas")), (2, 1));
}

#[test]
fn orphaned_pods_and_revisions_are_adopted_by_a_successor() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({"replicas": 2}));
    cluster.wait(Duration::from_secs(10));
    let uids = |cluster: &Cluster| {
        items(cluster, PODS).iter().map(|pod| pod.text_at("/metadata/uid").to_owned()).collect::<Vec<_>>()
    };
    let (before, revision) = (uids(&cluster), names(&cluster, REVISIONS));
    cluster.send("DELETE", &format!("{SETS}/db?propagationPolicy=Orphan"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(10));
    make(&cluster, &json!({"replicas": 2}));
    cluster.wait(Duration::from_secs(10));
    assert_eq!((uids(&cluster), names(&cluster, REVISIONS)), (before, revision));
    let uid = cluster.get(&format!("{SETS}/db")).text_at("/metadata/uid").to_owned();
    for one in items(&cluster, PODS).iter().chain(&items(&cluster, REVISIONS)) {
        assert_eq!(one.text_at("/metadata/ownerReferences/0/uid"), uid);
    }
    assert_eq!(count(&cluster, "currentReplicas"), 2);
}

#[test]
fn old_revisions_go_and_earlier_templates_get_their_revision_back() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({"replicas": 1, "revisionHistoryLimit": 1}));
    for image in ["nginx:2", "nginx:3"] {
        cluster.wait(Duration::from_secs(20));
        set_image(&cluster, image);
    }
    cluster.wait(Duration::from_secs(20));
    assert_eq!(revisions(&cluster), [(2, "nginx:2".to_owned()), (3, "nginx:3".to_owned())]);
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(20));
    assert_eq!(revisions(&cluster), [(3, "nginx:3".to_owned()), (4, "nginx:2".to_owned())]);
    assert_eq!(images(&cluster), ["nginx:2"]);
}

#[test]
fn the_current_revision_stays_though_no_pod_has_it() {
    let mut cluster = cluster(1);
    let strategy = json!({"type": "OnDelete"});
    make(&cluster, &json!({"replicas": 0, "revisionHistoryLimit": 0, "updateStrategy": strategy}));
    cluster.wait(Duration::from_secs(5));
    set_image(&cluster, "nginx:2");
    cluster.wait(Duration::from_secs(5));
    assert_eq!(revisions(&cluster), [(1, "nginx:1".to_owned()), (2, "nginx:2".to_owned())]);
    let status = status(&cluster);
    assert_ne!(status.text("currentRevision"), status.text("updateRevision"));
}

#[test]
fn a_revision_with_nulls_of_an_earlier_version_is_the_one_of_the_template() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({"replicas": 1}));
    cluster.wait(Duration::from_secs(5));
    let mut revision = items(&cluster, REVISIONS)[0].clone();
    cluster.send("DELETE", &format!("{SETS}/db"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(10));
    revision["metadata"] = json!({"name": "db-old", "labels": {"app": "db"}});
    revision["data"]["spec"]["template"]["metadata"]["creationTimestamp"] = Value::Null;
    // As the controller writes it.
    revision["data"].sort_all_objects();
    cluster.send("POST", REVISIONS, &revision, JSON);
    make(&cluster, &json!({"replicas": 1}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(names(&cluster, REVISIONS), ["db-old"]);
    assert_eq!(items(&cluster, PODS)[0].text_at(HASH), "db-old");
}

#[test]
fn a_template_has_the_revision_that_kubernetes_gives_it() {
    let mut cluster = Cluster::with(&["statefulset-controller"]);
    let template = json!({
        "metadata": {"annotations": {"test": "value"}, "labels": {"app": "foo"}},
        "spec": {"containers": [{"name": "test", "image": "test"}]}
    });
    let spec = json!({
        "replicas": 1, "selector": {"matchLabels": {"app": "foo"}}, "serviceName": "", "template": template
    });
    cluster.send("POST", SETS, &json!({"metadata": {"name": "test"}, "spec": spec}), JSON);
    cluster.settle();
    assert_eq!(names(&cluster, REVISIONS), ["test-776999688b"]);
    let pod = cluster.get(&format!("{PODS}/test-0"));
    assert_eq!((pod.pointer("/spec/subdomain"), pod.pointer("/spec/volumes")), (None, None));
}

#[test]
fn a_name_that_is_taken_by_another_revision_counts_as_a_collision() {
    let mut cluster = cluster(1);
    make(&cluster, &json!({"replicas": 1}));
    cluster.wait(Duration::from_secs(5));
    let name = names(&cluster, REVISIONS)[0].clone();
    cluster.send("DELETE", &format!("{SETS}/db"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(10));
    let other = json!({"metadata": {"name": name}, "data": {"other": true}, "revision": 1});
    cluster.send("POST", REVISIONS, &other, JSON);
    make(&cluster, &json!({"replicas": 1}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!((count(&cluster, "collisionCount"), count(&cluster, "availableReplicas")), (1, 1));
    let own = items(&cluster, PODS)[0].text_at(HASH).to_owned();
    assert_ne!(own, name);
    // The label has the hash that did not become part of the name.
    let revision = cluster.get(&format!("{REVISIONS}/{own}"));
    let hash = revision.text_at("/metadata/labels/controller.kubernetes.io~1hash");
    assert_eq!(format!("db-{hash}"), name);
}
