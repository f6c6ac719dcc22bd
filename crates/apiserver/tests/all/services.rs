//! The IPAddresses of services' cluster IPs, and the objects that are made again.

use std::time::Duration;

use json_tree::{Value, json};

use crate::common::{Cluster, version};

const SERVICES: &str = "/api/v1/namespaces/default/services";
const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";

fn service(name: &str, spec: &Value) -> Value {
    json!({"metadata": {"name": name}, "spec": spec})
}

fn create(cluster: &Cluster, service: &Value) -> (u16, Value) {
    cluster.json(&format!("POST {SERVICES}"), service)
}

fn with_address(name: &str, address: &str) -> Value {
    service(name, &json!({"clusterIP": address, "ports": [{"port": 80}]}))
}

/// Expects that these are the addresses, but for that of `kubernetes`, with the services that hold them.
#[track_caller]
fn check(cluster: &Cluster, expected: &[(&str, &str)]) {
    let (code, list) = cluster.get(ADDRESSES);
    assert_eq!(code, 200);
    let held = list["items"].as_array().into_iter().flatten().map(|address| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&address["metadata"]["name"]), text(&address["spec"]["parentRef"]["name"]))
    });
    let held: Vec<_> = held.filter(|(_, service)| service != "kubernetes").collect();
    let held: Vec<_> = held.iter().map(|(address, service)| (address.as_str(), service.as_str())).collect();
    assert_eq!(held, expected);
}

#[test]
fn an_address_is_held_as_long_as_its_service_has_it() {
    let cluster = Cluster::new();
    let (code, made) = create(&cluster, &with_address("a", "10.96.0.50"));
    assert_eq!(code, 201, "{made}");
    check(&cluster, &[("10.96.0.50", "a")]);
    let address = cluster.get(&format!("{ADDRESSES}/10.96.0.50")).1;
    // It is there before its service.
    assert_eq!(version(&address) + 1, version(&made));
    assert_eq!(address["metadata"]["labels"]["ipaddress.kubernetes.io/managed-by"], "ipallocator.k8s.io");
    assert_eq!(address["metadata"]["managedFields"][0]["manager"], "kube-apiserver");
    let (put, delete) = (format!("PUT {SERVICES}/a"), format!("DELETE {SERVICES}/a"));
    let mut elsewhere = made.clone();
    elsewhere["spec"] = json!({"type": "ExternalName", "externalName": "example.com"});
    assert_eq!(cluster.json(&put, &elsewhere).0, 200);
    check(&cluster, &[]);
    elsewhere["spec"] = json!({"clusterIP": "10.96.0.51", "ports": [{"port": 80}]});
    elsewhere["metadata"]["resourceVersion"] = Value::Null;
    assert_eq!(cluster.json(&put, &elsewhere).0, 200);
    check(&cluster, &[("10.96.0.51", "a")]);
    assert_eq!(cluster.json(&delete, &Value::Null).0, 200);
    check(&cluster, &[]);
}

#[test]
fn a_service_without_an_address_holds_none() {
    let cluster = Cluster::new();
    assert_eq!(create(&cluster, &with_address("headless", "None")).0, 201);
    let name = json!({"type": "ExternalName", "externalName": "example.com"});
    assert_eq!(create(&cluster, &service("name", &name)).0, 201);
    let (code, _) = cluster.json(&format!("POST {SERVICES}?dryRun=All"), &with_address("tried", ""));
    assert_eq!(code, 201);
    check(&cluster, &[]);
}

#[test]
fn an_address_that_somebody_has_made_is_taken() {
    let cluster = Cluster::new();
    let parent = json!({"resource": "widgets", "name": "w"});
    let own = json!({"metadata": {"name": "10.96.0.50"}, "spec": {"parentRef": parent}});
    assert_eq!(cluster.json(&format!("POST {ADDRESSES}"), &own).0, 201);
    let (code, status) = create(&cluster, &with_address("a", "10.96.0.50"));
    assert_eq!(code, 422);
    let message = status["message"].as_str().unwrap_or_default();
    assert!(
        message.ends_with("failed to allocate IP 10.96.0.50: provided IP is already allocated"),
        "{message}"
    );
    check(&cluster, &[("10.96.0.50", "w")]);
}

#[test]
fn services_have_addresses_in_the_range_of_the_cluster() {
    let check = |range: &str, api_server: &str, first: &str| {
        let cluster = Cluster::with_service_range(range);
        let cidrs = cluster.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes").1;
        assert_eq!(cidrs["spec"]["cidrs"], json!([range]));
        let service = format!("{SERVICES}/kubernetes");
        for _ in ["as it is made", "as it is made again"] {
            let spec = &cluster.get(&service).1["spec"];
            assert_eq!((&spec["clusterIP"], &spec["clusterIPs"]), (&json!(api_server), &json!([api_server])));
            let address = cluster.get(&format!("{ADDRESSES}/{api_server}")).1;
            assert_eq!(address["spec"]["parentRef"]["name"], "kubernetes");
            assert_eq!(cluster.json(&format!("DELETE {service}"), &Value::Null).0, 200);
            cluster.clock.advance(Duration::from_secs(10));
        }
        let (code, made) = create(&cluster, &with_address("a", ""));
        assert_eq!((code, &made["spec"]["clusterIP"]), (201, &json!(first)));
    };
    check("10.0.0.0/24", "10.0.0.1", "10.0.0.16");
    check("192.168.7.8/29", "192.168.7.9", "192.168.7.10");
    check("172.16.0.0/12", "172.16.0.1", "172.16.1.0");
}

#[test]
fn what_every_cluster_has_is_made_again() {
    let cluster = Cluster::new();
    let check = |path: &str, seconds: u64| {
        let before = cluster.get(path).1;
        assert_eq!(cluster.json(&format!("DELETE {path}"), &Value::Null).0, 200, "{path}");
        cluster.clock.advance(Duration::from_secs(seconds - 1));
        assert_eq!(cluster.get(path).0, 404, "{path}");
        cluster.clock.advance(Duration::from_secs(1));
        let (code, after) = cluster.get(path);
        assert_eq!(code, 200, "{path}");
        assert_eq!(after["spec"], before["spec"], "{path}");
        assert_ne!(after["metadata"]["uid"], before["metadata"]["uid"], "{path}");
    };
    check(&format!("{SERVICES}/kubernetes"), 10);
    check("/apis/networking.k8s.io/v1/servicecidrs/kubernetes", 10);
    check("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes", 10);
    cluster.clock.advance(Duration::from_secs(30));
    cluster.get("/version");
    check("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt", 60);
    check("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/workload-low", 60);
}
