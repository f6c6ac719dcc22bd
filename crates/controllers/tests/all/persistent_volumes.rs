//! Claims whose volumes a provisioner pretends to make.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, cluster, items, make_pod, pod};
use json_tree::{Value, json};

const CLASSES: &str = "/apis/storage.k8s.io/v1/storageclasses";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES: &str = "/api/v1/persistentvolumes";

fn make_class(cluster: &Cluster, name: &str, mode: &str) {
    let class = json!({
        "metadata": {"name": name},
        "provisioner": "pretended.kubeglass.dev",
        "volumeBindingMode": mode
    });
    cluster.send("POST", CLASSES, &class, JSON);
}

fn make_claim(cluster: &Cluster, name: &str, class: &Value) {
    let resources = json!({"requests": {"storage": "1Gi"}});
    let mut spec = json!({"accessModes": ["ReadWriteOnce"], "resources": resources});
    if !class.is_null() {
        spec["storageClassName"] = class.clone();
    }
    cluster.send("POST", CLAIMS, &json!({"metadata": {"name": name}, "spec": spec}), JSON);
}

fn claim(cluster: &Cluster, name: &str) -> Value {
    cluster.get(&format!("{CLAIMS}/{name}"))
}

fn phase(cluster: &Cluster, name: &str) -> String {
    claim(cluster, name).text_at("/status/phase").to_owned()
}

fn told(cluster: &Cluster, name: &str) -> Vec<String> {
    let events = items(cluster, "/api/v1/namespaces/default/events");
    let own = events.iter().filter(|event| event.text_at("/involvedObject/name") == name);
    own.map(|event| format!("{} {}", event.text_at("/source/component"), event.text("reason"))).collect()
}

#[test]
fn a_claim_gets_a_volume_that_goes_with_it() {
    let mut cluster = Cluster::new();
    make_class(&cluster, "fast", "Immediate");
    make_claim(&cluster, "data", &"fast".into());
    cluster.wait(Duration::from_secs(1));
    let bound = claim(&cluster, "data");
    assert_eq!(
        bound.text_at("/status/phase"),
        "Bound",
        "{:?} {:?}",
        told(&cluster, "data"),
        cluster.requests_of("binder")
    );
    let name = format!("pvc-{}", bound.text_at("/metadata/uid"));
    assert_eq!(bound.text_at("/spec/volumeName"), name);
    assert_eq!(bound.text_at("/status/capacity/storage"), "1Gi");
    let volume = cluster.get(&format!("{VOLUMES}/{name}"));
    assert_eq!(volume.text_at("/status/phase"), "Bound");
    assert_eq!(
        volume["metadata"]["annotations"],
        json!({"pv.kubernetes.io/provisioned-by": "pretended.kubeglass.dev"})
    );
    assert_eq!(
        told(&cluster, "data"),
        [
            "persistentvolume-controller ExternalProvisioning",
            "pretended.kubeglass.dev Provisioning",
            "pretended.kubeglass.dev ProvisioningSucceeded"
        ]
    );
    cluster.send("DELETE", &format!("{CLAIMS}/data"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(1));
    assert_eq!((items(&cluster, CLAIMS).len(), items(&cluster, VOLUMES).len()), (0, 0));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_claim_without_a_class_gets_the_default_one_later() {
    let mut cluster = Cluster::new();
    make_claim(&cluster, "data", &Value::Null);
    cluster.wait(Duration::from_secs(1));
    assert_eq!(told(&cluster, "data"), ["persistentvolume-controller FailedBinding"]);
    make_class(&cluster, "fast", "Immediate");
    let default =
        json!({"metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}});
    cluster.send("PATCH", &format!("{CLASSES}/fast"), &default, MERGE);
    cluster.wait(Duration::from_secs(1));
    assert_eq!(phase(&cluster, "data"), "Bound");
    assert_eq!(claim(&cluster, "data").text_at("/spec/storageClassName"), "fast");
}

#[test]
fn claims_of_stateful_sets_are_bound() {
    let mut cluster = cluster(2);
    make_class(&cluster, "fast", "Immediate");
    let claim = json!({
        "metadata": {"name": "data"},
        "spec": {
            "storageClassName": "fast",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}
        }
    });
    let template = json!({
        "metadata": {"labels": {"app": "db"}},
        "spec": {"containers": [
            {"name": "c", "image": "nginx:1.29", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
        ]}
    });
    let spec = json!({
        "replicas": 2, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
        "template": template, "volumeClaimTemplates": [claim]
    });
    let set = json!({"metadata": {"name": "db"}, "spec": spec});
    cluster.send("POST", "/apis/apps/v1/namespaces/default/statefulsets", &set, JSON);
    cluster.wait(Duration::from_secs(30));
    assert_eq!([phase(&cluster, "data-db-0"), phase(&cluster, "data-db-1")], ["Bound", "Bound"]);
    let ready = cluster.get("/apis/apps/v1/namespaces/default/statefulsets/db");
    assert_eq!(ready["status"]["readyReplicas"].as_i64(), Some(2));
}

#[test]
fn a_volume_is_made_where_the_first_pod_of_its_claim_runs() {
    let mut cluster = cluster(3);
    make_class(&cluster, "local", "WaitForFirstConsumer");
    make_claim(&cluster, "data", &"local".into());
    cluster.wait(Duration::from_secs(1));
    assert_eq!(told(&cluster, "data"), ["persistentvolume-controller WaitForFirstConsumer"]);
    let with_claim = json!({"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]});
    make_pod(&cluster, "web", "", &with_claim);
    cluster.wait(Duration::from_secs(2));
    let node = pod(&cluster, "web").text_at("/spec/nodeName").to_owned();
    assert!(!node.is_empty());
    let bound = claim(&cluster, "data");
    assert_eq!(bound["metadata"]["annotations"].text("volume.kubernetes.io/selected-node"), node);
    let volume = cluster.get(&format!("{VOLUMES}/{}", bound.text_at("/spec/volumeName")));
    let values = "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0";
    assert_eq!(volume.text_at(values), node);
    // Whoever uses it, too, has to run there.
    for name in ["a", "b", "c"] {
        make_pod(&cluster, name, "", &with_claim);
    }
    cluster.wait(Duration::from_secs(2));
    let places = ["a", "b", "c"].map(|name| pod(&cluster, name).text_at("/spec/nodeName").to_owned());
    assert_eq!(places, [node.as_str(), node.as_str(), node.as_str()]);
    make_pod(
        &cluster,
        "lost",
        "",
        &json!({"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "none"}}]}),
    );
    cluster.wait(Duration::from_secs(2));
    let message = pod(&cluster, "lost").text_at("/status/conditions/0/message").to_owned();
    assert!(
        message.starts_with("0/3 nodes are available: persistentvolumeclaim \"none\" not found."),
        "{message}"
    );
}

#[test]
fn volumes_that_make_no_sense_do_no_harm() {
    let mut cluster = Cluster::new();
    for (name, spec) in [
        ("a", json!({"capacity": {}, "claimRef": {"uid": "x"}})),
        (
            "b",
            json!({"capacity": {"storage": "-1"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/tmp/"}}),
        ),
        ("c", json!({"capacity": {"storage": "9E99"}, "accessModes": [], "claimRef": {"name": "data"}})),
    ] {
        cluster.call("POST", VOLUMES, &json!({"metadata": {"name": name}, "spec": spec}), JSON);
    }
    make_claim(&cluster, "data", &"".into());
    cluster.wait(Duration::from_secs(60));
    assert_eq!(phase(&cluster, "data"), "Pending");
}
