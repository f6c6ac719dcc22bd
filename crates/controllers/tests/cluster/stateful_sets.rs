//! A StatefulSet `db`, and what is read of it.

use json_tree::{Value, json};

use super::Cluster;
use super::pods::{JSON, MERGE, PODS, cluster as with_nodes, items};

pub(crate) const SETS: &str = "/apis/apps/v1/namespaces/default/statefulsets";
pub(crate) const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";

/// Makes a cluster with nodes, and a class of volumes for claims that name none.
pub(crate) fn cluster(nodes: u32) -> Cluster {
    let cluster = with_nodes(nodes);
    let annotations = json!({"storageclass.kubernetes.io/is-default-class": "true"});
    let class = json!({
        "metadata": {"name": "standard", "annotations": annotations},
        "provisioner": "pretended.kubeglass.dev"
    });
    cluster.send("POST", "/apis/storage.k8s.io/v1/storageclasses", &class, JSON);
    cluster
}

/// Makes a StatefulSet with fields of its specification.
pub(crate) fn make(cluster: &Cluster, more: &Value) {
    let template = json!({
        "metadata": {"labels": {"app": "db"}},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}], "terminationGracePeriodSeconds": 1}
    });
    let mut spec = json!({
        "replicas": 3, "serviceName": "dbs", "selector": {"matchLabels": {"app": "db"}}, "template": template
    });
    for (key, value) in more.as_object().unwrap() {
        spec.as_object_mut().unwrap().insert(key.clone(), value.clone());
    }
    cluster.send("POST", SETS, &json!({"metadata": {"name": "db"}, "spec": spec}), JSON);
}

pub(crate) fn patch(cluster: &Cluster, spec: &Value) {
    cluster.send("PATCH", &format!("{SETS}/db"), &json!({"spec": spec}), MERGE);
}

pub(crate) fn set_image(cluster: &Cluster, image: &str) {
    patch(cluster, &json!({"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}));
}

pub(crate) fn names(cluster: &Cluster, path: &str) -> Vec<String> {
    items(cluster, path).iter().map(|one| one.text_at("/metadata/name").to_owned()).collect()
}

/// Returns the images of the pods, in the order of their names.
pub(crate) fn images(cluster: &Cluster) -> Vec<String> {
    items(cluster, PODS).iter().map(|pod| pod.text_at("/spec/containers/0/image").to_owned()).collect()
}

pub(crate) fn status(cluster: &Cluster) -> Value {
    cluster.get(&format!("{SETS}/db"))["status"].clone()
}

pub(crate) fn count(cluster: &Cluster, field: &str) -> i64 {
    status(cluster).get(field).and_then(Value::as_i64).unwrap_or_default()
}
