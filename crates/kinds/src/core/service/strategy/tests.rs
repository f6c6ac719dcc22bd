#![expect(clippy::needless_pass_by_value, reason = "tests hand over what they write in place")]

use std::collections::BTreeMap;

use json_tree::json;

use super::*;

fn object(value: Value) -> Object {
    match value {
        Value::Object(map) => map,
        _ => Object::new(),
    }
}

/// A cluster with a service `a` of this spec.
fn cluster(spec: Value) -> BTreeMap<String, Object> {
    let cidrs = |name: &str, cidrs: Value| {
        (
            ["/registry/servicecidrs/", name].concat(),
            json!({"metadata": {"name": name}, "spec": {"cidrs": cidrs}}),
        )
    };
    let service = json!({"metadata": {"name": "a", "namespace": "ns"}, "spec": spec});
    let parent = json!({"resource": "services", "namespace": "x", "name": "y"});
    let address = json!({"metadata": {"name": "10.96.0.8"}, "spec": {"parentRef": parent}});
    let objects = [
        ([PREFIX, "ns/a"].concat(), service),
        cidrs("kubernetes", json!(["10.96.0.0/16"])),
        cidrs("more", json!(["10.97.0.0/24", "2001:db8::/64"])),
        ("/registry/ipaddresses/10.96.0.8".to_owned(), address),
    ];
    objects.into_iter().map(|(key, value)| (key, object(value))).collect()
}

fn outcome(spec: Value, was: Option<Value>) -> String {
    let name = if was.is_some() { "a" } else { "b" };
    let metadata = json!({"name": name, "namespace": "ns"});
    let held = was.clone().unwrap_or_else(|| {
        json!({
            "type": "NodePort", "clusterIP": "10.96.1.0", "clusterIPs": ["10.96.1.0"],
            "ports": [{"port": 80, "nodePort": 30086}],
        })
    });
    let mut service = object(json!({"metadata": metadata, "spec": spec}));
    let old = was.map(|was| object(json!({"metadata": metadata, "spec": was})));
    match allocate(&cluster(held), &mut service, old.as_ref(), false) {
        Err(status) => status.message.replace(&format!("Service \"{name}\" is invalid: "), ""),
        Ok(()) => {
            if let Some(old) = &old {
                prepare_for_update(&mut service, old);
            }
            service.get("spec").map(Value::to_string).unwrap_or_default()
        }
    }
}

#[track_caller]
fn check_new(spec: Value, expected: &str) {
    assert_eq!(outcome(spec, None), expected);
}

#[track_caller]
fn check_changed(was: Value, spec: Value, expected: &str) {
    assert_eq!(outcome(spec, Some(was)), expected);
}

#[test]
fn new_services_get_what_is_free() {
    check_new(
        json!({"ports": [{"port": 80}], "type": "NodePort"}),
        r#"{"ports":[{"port":80,"nodePort":30087}],"clusterIP":"10.96.1.1","clusterIPs":["10.96.1.1"],"type":"NodePort","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#,
    );
    check_new(
        json!({"ports": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}], "type": "LoadBalancer", "externalTrafficPolicy": "Local"}),
        r#"{"ports":[{"port":53,"protocol":"TCP","nodePort":30087},{"port":53,"protocol":"UDP","nodePort":30087}],"clusterIP":"10.96.1.1","clusterIPs":["10.96.1.1"],"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":30088,"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#,
    );
    check_new(
        json!({"ports": [{"port": 80}], "type": "LoadBalancer", "allocateLoadBalancerNodePorts": false}),
        r#"{"ports":[{"port":80}],"clusterIP":"10.96.1.1","clusterIPs":["10.96.1.1"],"type":"LoadBalancer","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","allocateLoadBalancerNodePorts":false}"#,
    );
    check_new(json!({"type": "ExternalName"}), r#"{"type":"ExternalName"}"#);
}

#[test]
fn headless_services_get_no_address() {
    check_new(
        json!({"clusterIP": "None", "type": "ClusterIP"}),
        r#"{"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP","ipFamilies":["IPv4","IPv6"],"ipFamilyPolicy":"RequireDualStack"}"#,
    );
    check_new(
        json!({"selector": {"a": "b"}, "clusterIP": "None", "type": "ClusterIP"}),
        r#"{"selector":{"a":"b"},"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#,
    );
}

#[test]
fn what_cannot_be_had() {
    let ask = |address: &str| json!({"type": "ClusterIP", "clusterIP": address});
    let taken = r#"spec.clusterIPs: Invalid value: ["10.96.1.0"]: failed to allocate IP 10.96.1.0: provided IP is already allocated"#;
    check_new(ask("10.96.1.0"), taken);
    check_new(ask("10.96.0.8"), &taken.replace("10.96.1.0", "10.96.0.8"));
    check_new(
        ask("10.97.0.255"),
        r#"spec.clusterIPs: Invalid value: ["10.97.0.255"]: failed to allocate IP 10.97.0.255: the provided IP (10.97.0.255) is not in the valid range. The range of valid IPs is 10.97.0.0/24"#,
    );
    check_new(
        ask("10.97.0.9"),
        r#"{"type":"ClusterIP","clusterIP":"10.97.0.9","clusterIPs":["10.97.0.9"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#,
    );
    let elsewhere = r#"spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range"#;
    check_new(ask("1.2.3.4"), elsewhere);
    let banana = r#"spec.clusterIPs[0]: Invalid value: "banana": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"#;
    check_new(ask("banana"), banana);
    check_new(
        json!({"type": "ClusterIP", "ipFamilyPolicy": "RequireDualStack"}),
        r#"spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services"#,
    );
    check_new(
        json!({"type": "ClusterIP", "ipFamilies": ["IPv6"]}),
        r#"spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster"#,
    );
    let port = |number: i64| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": number}]});
    let taken = "spec.ports[0].nodePort: Invalid value: 30086: provided port is already allocated";
    check_new(port(30086), taken);
    let outside = "spec.ports[0].nodePort: Invalid value: 99: provided port is not in the valid range. The range of valid ports is 30000-32767";
    check_new(port(99), outside);
}

fn stored() -> Value {
    json!({
        "ports": [{"name": "x", "port": 80, "nodePort": 30100}], "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"],
        "type": "NodePort", "externalTrafficPolicy": "Cluster", "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack", "internalTrafficPolicy": "Cluster",
    })
}

#[test]
fn a_change_keeps_what_it_leaves_out() {
    check_changed(
        stored(),
        json!({"ports": [{"name": "x", "port": 81}, {"name": "y", "port": 82}], "type": "NodePort"}),
        r#"{"ports":[{"name":"x","port":81,"nodePort":30100},{"name":"y","port":82,"nodePort":30086}],"clusterIP":"10.96.0.9","clusterIPs":["10.96.0.9"],"type":"NodePort","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#,
    );
}

#[test]
fn a_type_takes_its_fields_with_it() {
    let with = |kind: &str| {
        let mut spec = stored();
        spec["type"] = kind.into();
        spec
    };
    check_changed(
        stored(),
        with("ClusterIP"),
        r#"{"ports":[{"name":"x","port":80}],"clusterIP":"10.96.0.9","clusterIPs":["10.96.0.9"],"type":"ClusterIP","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"}"#,
    );
    let external =
        r#"{"ports":[{"name":"x","port":80}],"type":"ExternalName","internalTrafficPolicy":"Cluster"}"#;
    check_changed(stored(), with("ExternalName"), external);
    check_changed(
        json!({"ports": [{"port": 80}], "type": "ExternalName"}),
        json!({"ports": [{"port": 80}], "type": "ClusterIP"}),
        r#"{"ports":[{"port":80}],"clusterIP":"10.96.1.0","clusterIPs":["10.96.1.0"],"type":"ClusterIP","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#,
    );
}

#[test]
fn traffic_inside_the_cluster_is_not_read_of_a_service_elsewhere() {
    let check = |kind: &str, expected: Value| {
        let mut service = object(json!({"spec": {"type": kind, "internalTrafficPolicy": "Local"}}));
        assert!(!read_back(&mut service));
        assert_eq!(service.get("spec"), Some(&expected));
    };
    check("ClusterIP", json!({"type": "ClusterIP", "internalTrafficPolicy": "Local"}));
    check("ExternalName", json!({"type": "ExternalName"}));
}

#[test]
fn node_ports_of_several_protocols() {
    let balanced = |ports: Value| json!({"ports": ports, "type": "LoadBalancer", "allocateLoadBalancerNodePorts": false});
    check_new(
        balanced(
            json!([{"port": 53, "protocol": "TCP", "nodePort": 30053}, {"port": 53, "protocol": "UDP"}]),
        ),
        r#"{"ports":[{"port":53,"protocol":"TCP","nodePort":30053},{"port":53,"protocol":"UDP"}],"clusterIP":"10.96.1.1","clusterIPs":["10.96.1.1"],"type":"LoadBalancer","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","allocateLoadBalancerNodePorts":false}"#,
    );
    let port = |name: &str, protocol: &str| json!({"name": name, "port": 53, "protocol": protocol, "nodePort": 30053});
    let changed = |ports: Value| json!({"ports": ports, "type": "NodePort"});
    check_changed(
        stored(),
        changed(json!([port("a", "TCP"), port("b", "UDP")])),
        r#"{"ports":[{"name":"a","port":53,"protocol":"TCP","nodePort":30053},{"name":"b","port":53,"protocol":"UDP","nodePort":30053}],"clusterIP":"10.96.0.9","clusterIPs":["10.96.0.9"],"type":"NodePort","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#,
    );
    let twice = "duplicate nodePort: {TCP 30053}";
    check_changed(stored(), changed(json!([port("a", "TCP"), port("b", "TCP")])), twice);
}

#[test]
fn a_health_check_that_cannot_be_had() {
    let spec = json!({
        "type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30086, "ports": [],
    });
    check_new(
        spec,
        "Internal error occurred: failed to allocate requested HealthCheck NodePort 30086: provided port is already allocated",
    );
}

#[test]
fn a_dry_run_tells_of_no_address() {
    let mut service = object(json!({
        "metadata": {"name": "b", "namespace": "ns"}, "spec": {"ports": [{"port": 1}, {"port": 2}], "type": "NodePort"},
    }));
    assert!(allocate(&cluster(json!({})), &mut service, None, true).is_ok());
    assert_eq!(
        service.get("spec").map(Value::to_string).unwrap_or_default(),
        r#"{"ports":[{"port":1,"nodePort":32769},{"port":2,"nodePort":32770}],"clusterIP":"10.96.0.0","clusterIPs":["10.96.0.0"],"type":"NodePort","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}"#
    );
}

#[test]
fn less_is_checked_in_a_dry_run() {
    let held = json!({"type": "NodePort", "clusterIP": "10.96.1.0", "clusterIPs": ["10.96.1.0"], "ports": [{"port": 80, "nodePort": 30086}]});
    let check = |spec: Value, expected: &str| {
        let mut service = object(json!({"metadata": {"name": "b", "namespace": "ns"}, "spec": spec}));
        let outcome = allocate(&cluster(held.clone()), &mut service, None, true);
        let text = outcome.err().map(|status| status.message).unwrap_or_default();
        assert_eq!(text.replace("Service \"b\" is invalid: ", ""), expected);
    };
    check(json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 99}]}), "");
    check(json!({"type": "ClusterIP", "clusterIP": "10.96.1.0"}), "");
    check(
        json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30086}]}),
        "spec.ports[0].nodePort: Invalid value: 30086: provided port is already allocated",
    );
    check(
        json!({"type": "ClusterIP", "clusterIP": "1.2.3.4"}),
        "spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP 1.2.3.4: the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/16",
    );
}
