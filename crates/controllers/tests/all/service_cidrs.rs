//! ServiceCIDRs, which stay as long as addresses depend on them.

use std::time::Duration;

use json_tree::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::pods::JSON;

const RANGES: &str = "/apis/networking.k8s.io/v1/servicecidrs";
const SERVICES: &str = "/api/v1/namespaces/default/services";

fn cluster() -> Cluster {
    let mut cluster = Cluster::with(&["service-cidr-controller"]);
    cluster.settle();
    cluster
}

fn create(cluster: &mut Cluster, name: &str, cidr: &str) {
    let range = json!({"metadata": {"name": name}, "spec": {"cidrs": [cidr]}});
    cluster.send("POST", RANGES, &range, JSON);
    cluster.settle();
}

fn delete(cluster: &mut Cluster, path: &str) {
    cluster.send("DELETE", path, &Value::Null, JSON);
    cluster.settle();
}

/// Tells the finalizers of a range, and its condition; "gone" if it is.
fn line(cluster: &Cluster, name: &str) -> String {
    let (code, object) = cluster.call("GET", &[RANGES, "/", name].concat(), &Value::Null, JSON);
    if code == 404 {
        return "gone".to_owned();
    }
    let finalizers = object.pointer("/metadata/finalizers").map(Value::to_string).unwrap_or_default();
    let read = |field: &str| object.text_at(&["/status/conditions/0/", field].concat()).to_owned();
    [finalizers, read("status"), read("reason"), read("message")].join("|")
}

const FINALIZERS: &str = r#"["networking.k8s.io/service-cidr-finalizer"]"#;

#[test]
fn a_range_is_ready() {
    let mut cluster = cluster();
    create(&mut cluster, "more", "10.97.0.0/24");
    let expected = [FINALIZERS, "|True||Kubernetes Service CIDR is ready"].concat();
    assert_eq!(line(&cluster, "more"), expected);
    assert_eq!(line(&cluster, "kubernetes"), expected);
    let object = cluster.get(&[RANGES, "/more"].concat());
    let managers = object.pointer("/metadata/managedFields").and_then(Value::as_array).unwrap();
    let managers: Vec<String> =
        managers.iter().map(|entry| [entry.text("manager"), " ", entry.text("operation")].concat()).collect();
    assert!(managers.contains(&"service-cidr-controller Apply".to_owned()), "{managers:?}");
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_range_that_nothing_depends_on_goes_after_a_while() {
    let mut cluster = cluster();
    create(&mut cluster, "more", "10.97.0.0/24");
    delete(&mut cluster, &[RANGES, "/more"].concat());
    cluster.wait(Duration::from_secs(9));
    assert!(line(&cluster, "more").starts_with(FINALIZERS));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(line(&cluster, "more"), "gone");
}

#[test]
fn an_address_keeps_its_range() {
    let mut cluster = cluster();
    create(&mut cluster, "more", "10.97.0.0/24");
    let spec = json!({"clusterIP": "10.97.0.7", "ports": [{"port": 80}]});
    cluster.send("POST", SERVICES, &json!({"metadata": {"name": "web"}, "spec": spec}), JSON);
    delete(&mut cluster, &[RANGES, "/more"].concat());
    cluster.wait(Duration::from_secs(20));
    let blocked = "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";
    assert_eq!(line(&cluster, "more"), [FINALIZERS, "|False|Terminating|", blocked].concat());
    // Another range that contains it takes the address over.
    create(&mut cluster, "wider", "10.97.0.0/16");
    cluster.wait(Duration::from_secs(1));
    assert_eq!(line(&cluster, "more"), "gone");
    delete(&mut cluster, &[RANGES, "/wider"].concat());
    delete(&mut cluster, &[SERVICES, "/web"].concat());
    cluster.wait(Duration::from_secs(20));
    assert_eq!(line(&cluster, "wider"), "gone");
}
