//! ResourceQuotas: what is counted when, and what is written.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, cluster, make_pod, milliseconds};
use json_tree::{Value, json};

const QUOTAS: &str = "/api/v1/namespaces/default/resourcequotas";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn make_quota(cluster: &Cluster, hard: &Value) {
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": hard}});
    cluster.send("POST", QUOTAS, &quota, JSON);
}

fn used(cluster: &Cluster) -> Value {
    cluster.get(&format!("{QUOTAS}/q"))["status"].get("used").cloned().unwrap_or_default()
}

#[test]
fn custom_resources_are_counted_from_when_they_are_served() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make_quota(&cluster, &json!({"count/widgets.example.com": "2", "requests.example.com/x": "1"}));
    cluster.settle();
    assert_eq!(used(&cluster), json!({"requests.example.com/x": "0"}));
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let definition = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]
        }
    });
    cluster.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition, JSON);
    cluster.wait(milliseconds(2000));
    assert_eq!(used(&cluster)["count/widgets.example.com"], "0");
    let widgets = "/apis/example.com/v1/namespaces/default/widgets";
    let widget = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}});
    cluster.send("POST", widgets, &widget, JSON);
    assert_eq!(used(&cluster)["count/widgets.example.com"], "1");
    cluster.send("DELETE", &format!("{widgets}/a"), &Value::Null, JSON);
    cluster.wait(milliseconds(200));
    assert_eq!(used(&cluster)["count/widgets.example.com"], "0");
}

#[test]
fn a_pod_in_another_scope_is_counted_there() {
    let mut cluster = cluster(1);
    let spec = json!({"hard": {"pods": "5"}, "scopes": ["Terminating"]});
    cluster.send("POST", QUOTAS, &json!({"metadata": {"name": "q"}, "spec": spec}), JSON);
    make_pod(&cluster, "a", "", &json!({}));
    cluster.wait(milliseconds(2000));
    assert_eq!(used(&cluster), json!({"pods": "0"}));
    let path = format!("{}/a", crate::cluster::pods::PODS);
    cluster.send("PATCH", &path, &json!({"spec": {"activeDeadlineSeconds": 60}}), MERGE);
    cluster.wait(milliseconds(200));
    assert_eq!(used(&cluster), json!({"pods": "1"}));
}

#[test]
fn many_that_go_are_counted_together() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make_quota(&cluster, &json!({"configmaps": "1k"}));
    cluster.settle();
    for number in 0..100 {
        cluster.send("POST", CONFIG_MAPS, &json!({"metadata": {"name": format!("c-{number}")}}), JSON);
    }
    assert_eq!(used(&cluster), json!({"configmaps": "101"}));
    cluster.settle();
    let (before, _) = cluster.requests_of("resourcequota-controller");
    for number in 0..100 {
        cluster.send("DELETE", &format!("{CONFIG_MAPS}/c-{number}"), &Value::Null, JSON);
        cluster.settle();
    }
    cluster.wait(Duration::from_secs(1));
    let (after, refused) = cluster.requests_of("resourcequota-controller");
    assert_eq!((used(&cluster), after - before, refused), (json!({"configmaps": "1"}), 1, vec![]));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_quota_that_limits_nothing_is_written_once() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make_quota(&cluster, &json!({}));
    cluster.settle();
    let writes = cluster.writes();
    cluster.wait(Duration::from_secs(600));
    assert_eq!((cluster.writes(), cluster.manager.next_due()), (writes, None));
}

#[test]
fn limits_that_somebody_has_written_to_the_status_stay_for_five_minutes() {
    let mut cluster = Cluster::new();
    make_quota(&cluster, &json!({"pods": "5"}));
    cluster.settle();
    let status = |cluster: &Cluster| cluster.get(&format!("{QUOTAS}/q"))["status"]["hard"].clone();
    cluster.send("PATCH", &format!("{QUOTAS}/q/status"), &json!({"status": {"hard": {"pods": "9"}}}), MERGE);
    cluster.wait(Duration::from_secs(299));
    assert_eq!(status(&cluster), json!({"pods": "9"}));
    cluster.wait(Duration::from_secs(1));
    assert_eq!(status(&cluster), json!({"pods": "5"}));
    assert_eq!(cluster.manager.next_due(), None);
}
