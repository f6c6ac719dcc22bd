//! The repair of cluster IPs and IPAddresses.

use std::time::Duration;

use json_tree::{Value, json};

use crate::common::{Cluster, START};
use apiserver::Clock as _;

const SERVICES: &str = "/api/v1/namespaces/default/services";
const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";
const CIDRS: &str = "/apis/networking.k8s.io/v1/servicecidrs";
const EVENTS: &str = "/apis/events.k8s.io/v1/namespaces/default/events";

/// A cluster with the Service `a`, whose address is 10.96.0.50.
fn cluster() -> Cluster {
    let cluster = Cluster::new();
    // What comes is newer than what there is.
    cluster.clock.advance(Duration::from_secs(1));
    write(&cluster, "POST", SERVICES, &service("a", "10.96.0.50"));
    cluster
}

fn service(name: &str, address: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"clusterIP": address, "ports": [{"port": 80}]}})
}

/// An IPAddress as the server makes it, of a parent.
fn address(name: &str, parent: &Value) -> Value {
    let labels = json!({"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"});
    json!({"metadata": {"name": name, "labels": labels}, "spec": {"parentRef": parent}})
}

fn parent(name: &str) -> Value {
    json!({"resource": "services", "namespace": "default", "name": name})
}

#[track_caller]
fn write(cluster: &Cluster, method: &str, path: &str, body: &Value) -> Value {
    let (code, answer) = cluster.json(&format!("{method} {path}"), body);
    assert!(code < 300, "{method} {path}: {answer}");
    answer
}

#[track_caller]
fn delete(cluster: &Cluster, path: &str) {
    write(cluster, "DELETE", path, &Value::Null);
}

/// Has a Service be written.
#[track_caller]
fn touch(cluster: &Cluster, name: &str) {
    let path = format!("{SERVICES}/{name}");
    let mut service = cluster.get(&path).1;
    let seen = service["metadata"]["annotations"]["seen"].as_str().unwrap_or_default().to_owned();
    service["metadata"]["annotations"] = json!({ "seen": [&seen, "x"].concat() });
    write(cluster, "PUT", &path, &service);
}

/// Expects the addresses but that of `kubernetes`, each with its parent, and the events, each with how often it came.
#[track_caller]
fn check(cluster: &Cluster, addresses: &[(&str, &str)], events: &[&str]) {
    let items = |path: &str| cluster.get(path).1["items"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let held = items(ADDRESSES)
        .into_iter()
        .map(|address| (text(&address["metadata"]["name"]), text(&address["spec"]["parentRef"]["name"])));
    let held: Vec<_> = held.filter(|(_, service)| service != "kubernetes").collect();
    let held: Vec<_> = held.iter().map(|(address, parent)| (address.as_str(), parent.as_str())).collect();
    let told = items(EVENTS).into_iter().map(|event| {
        let count = event["series"]["count"].as_u64().unwrap_or(1);
        let regarding = &event["regarding"];
        let about = [text(&regarding["kind"]), text(&regarding["name"])].join("/");
        format!("{count} {about} {}: {}", text(&event["reason"]), text(&event["note"]))
    });
    let mut told: Vec<String> = told.collect();
    told.sort();
    assert_eq!(
        (held.as_slice(), told.iter().map(String::as_str).collect::<Vec<_>>().as_slice()),
        (addresses, events)
    );
}

const NOT_ALLOCATED: &str =
    "Service/a ClusterIPNotAllocated: Cluster IP [IPv4]: 10.96.0.50 is not allocated; repairing";

#[test]
fn an_address_that_somebody_deletes_is_made_again_in_time_or_with_its_service() {
    let cluster = cluster();
    let path = format!("{ADDRESSES}/10.96.0.50");
    delete(&cluster, &path);
    cluster.clock.advance(Duration::from_secs(178));
    check(&cluster, &[], &[]);
    cluster.clock.advance(Duration::from_secs(1));
    let once = format!("1 {NOT_ALLOCATED}");
    check(&cluster, &[("10.96.0.50", "a")], &[&once]);
    assert_eq!(cluster.get(&path).1["metadata"]["managedFields"][0]["manager"], "kube-apiserver");
    // The event is about another version of the service then.
    delete(&cluster, &path);
    touch(&cluster, "a");
    check(&cluster, &[("10.96.0.50", "a")], &[&once, &once]);
    // That of the API server is no other.
    delete(&cluster, &format!("{ADDRESSES}/10.96.0.1"));
    cluster.clock.advance(Duration::from_secs(179));
    assert_eq!(cluster.get(&format!("{ADDRESSES}/10.96.0.1")).0, 404);
    cluster.clock.advance(Duration::from_secs(1));
    assert_eq!(cluster.get(&format!("{ADDRESSES}/10.96.0.1")).0, 200);
}

#[test]
fn an_event_looks_as_a_client_of_events_makes_it() {
    let cluster = cluster();
    delete(&cluster, &format!("{ADDRESSES}/10.96.0.50"));
    touch(&cluster, "a");
    let service = cluster.get(&format!("{SERVICES}/a")).1;
    let event = cluster.get(EVENTS).1["items"][0].clone();
    let regarding = json!({
        "kind": "Service",
        "namespace": "default",
        "name": "a",
        "uid": service["metadata"]["uid"],
        "apiVersion": "v1",
        "resourceVersion": service["metadata"]["resourceVersion"],
    });
    assert_eq!(event["regarding"], regarding);
    for (field, expected) in [
        ("action", "ClusterIPAllocation"),
        ("type", "Warning"),
        ("reportingController", "ipallocator-repair-controller"),
        ("reportingInstance", "ipallocator-repair-controller-kubeglass"),
    ] {
        assert_eq!(event[field], expected);
    }
    let entry = &event["metadata"]["managedFields"][0];
    assert_eq!(
        (entry["manager"].as_str(), entry["apiVersion"].as_str()),
        (Some("kube-apiserver"), Some("events.k8s.io/v1"))
    );
}

#[test]
fn an_address_with_another_parent_is_made_anew() {
    let cluster = cluster();
    let path = format!("{ADDRESSES}/10.96.0.50");
    let wrong = "the ClusterIP [IPv4]: 10.96.0.50 for Service default/a has a wrong reference; repairing";
    let wrong = format!("1 Service/a ClusterIPNotAllocated: {wrong}");
    for parent in [json!({"group": "a.io", "resource": "widgets", "name": "w"}), parent("nobody")] {
        delete(&cluster, &path);
        let mut other = address("10.96.0.50", &parent);
        other["metadata"]["labels"] = Value::Null;
        write(&cluster, "POST", ADDRESSES, &other);
        touch(&cluster, "a");
    }
    check(&cluster, &[("10.96.0.50", "a")], &[&wrong, &wrong]);
    // A label that is missing is not told.
    let mut own = cluster.get(&path).1;
    own["metadata"]["labels"] = json!({});
    write(&cluster, "PUT", &path, &own);
    touch(&cluster, "a");
    check(&cluster, &[("10.96.0.50", "a")], &[&wrong, &wrong]);
    assert_eq!(
        cluster.get(&path).1["metadata"]["labels"]["ipaddress.kubernetes.io/managed-by"],
        "ipallocator.k8s.io"
    );
}

#[test]
fn an_address_of_no_service_is_cleaned_up() {
    let cluster = cluster();
    // Whoever else makes one keeps it.
    let mut foreign = address("10.96.0.60", &parent("nobody"));
    foreign["metadata"]["labels"] = Value::Null;
    write(&cluster, "POST", ADDRESSES, &foreign);
    let kept = ("10.96.0.60", "nobody");
    write(&cluster, "POST", ADDRESSES, &address("10.96.0.61", &parent("nobody")));
    cluster.clock.advance(Duration::from_secs(59));
    check(&cluster, &[("10.96.0.50", "a"), kept, ("10.96.0.61", "nobody")], &[]);
    cluster.clock.advance(Duration::from_secs(1));
    let leaked = "1 IPAddress/10.96.0.61 IPAddressNotAllocated: IPAddress: 10.96.0.61 for Service default/nobody appears to have leaked: cleaning up";
    check(&cluster, &[("10.96.0.50", "a"), kept], &[leaked]);

    let widget = json!({"group": "a.io", "resource": "widgets", "name": "w"});
    write(&cluster, "POST", ADDRESSES, &address("10.96.0.62", &widget));
    let modified = "1 IPAddress/10.96.0.62 IPAddressNotAllocated: IPAddress 10.96.0.62 appears to have been modified, not referencing a \
                    Service &ParentReference{Group:a.io,Resource:widgets,Namespace:,Name:w,}: cleaning up";
    check(&cluster, &[("10.96.0.50", "a"), kept], &[leaked, modified]);

    // It may be for what the service is about to become.
    write(&cluster, "POST", ADDRESSES, &address("10.96.0.63", &parent("a")));
    cluster.clock.advance(Duration::from_secs(4));
    check(&cluster, &[("10.96.0.50", "a"), kept, ("10.96.0.63", "a")], &[leaked, modified]);
    cluster.clock.advance(Duration::from_secs(1));
    let wrong = "1 IPAddress/10.96.0.63 IPAddressWrongReference: IPAddress: 10.96.0.63 for Service default/a has a wrong reference; cleaning up";
    check(&cluster, &[("10.96.0.50", "a"), kept], &[leaked, modified, wrong]);
}

#[test]
fn an_address_in_no_range_is_told_again_and_again() {
    let cluster = Cluster::new();
    let cidr = json!({"metadata": {"name": "more"}, "spec": {"cidrs": ["10.0.0.0/24"]}});
    write(&cluster, "POST", CIDRS, &cidr);
    let ready = json!({"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}});
    let ready = ready.to_string();
    let patch = http::Request::patch(format!("{CIDRS}/more/status"))
        .header("content-type", "application/merge-patch+json")
        .body(ready.into());
    assert_eq!(cluster.send(patch.unwrap()).status(), 200);
    write(&cluster, "POST", SERVICES, &service("a", "10.0.0.50"));
    let mut cidr = cluster.get(&format!("{CIDRS}/more")).1;
    cidr["metadata"]["finalizers"] = json!([]);
    write(&cluster, "PUT", &format!("{CIDRS}/more"), &cidr);
    delete(&cluster, &format!("{CIDRS}/more"));
    let events = |count: u64| {
        format!(
            "{count} Service/a ClusterIPOutOfRange: Cluster IP [IPv4]: 10.0.0.50 is not within any configured Service CIDR; please \
             recreate service"
        )
    };
    let held = [("10.0.0.50", "a")];
    for (minutes, count) in [(3, 1), (6, 2), (9, 2), (27, 2), (30, 9), (33, 9), (60, 19)] {
        let now = minutes * 60;
        while cluster.clock.now() < START + Duration::from_secs(now) {
            cluster.clock.advance(Duration::from_secs(60));
            cluster.get("/version");
        }
        check(&cluster, &held, &[&events(count)]);
    }
}
