use super::*;
use field::aggregate;

#[track_caller]
fn check(spec: impl Into<Value>, expected: &str) {
    let errors = create(&json!({"spec": spec.into()}));
    assert_eq!(if errors.is_empty() { String::new() } else { aggregate(&errors) }, expected);
}

#[test]
fn ports() {
    check(json!({"ports": [{"port": 80}]}), "");
    check(json!(null), "spec.ports: Required value");
    check(json!({"clusterIP": "None"}), "");
    check(
        json!({"ports": [{"port": 0}]}),
        "[spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, \
         spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive]",
    );
    check(
        json!({"ports": [{"port": 80}, {"port": 81}]}),
        "[spec.ports[0].name: Required value, spec.ports[1].name: Required value]",
    );
    check(
        json!({"ports": [{"name": "x", "port": 80}, {"name": "x", "port": 81}]}),
        "spec.ports[1].name: Duplicate value: \"x\"",
    );
    check(
        json!({"ports": [{"name": "x", "port": 80, "protocol": "TCP"}, {"name": "y", "port": 80}]}),
        "spec.ports[1]: Duplicate value: {\"Name\":\"\",\"Protocol\":\"TCP\",\"AppProtocol\":null,\"Port\":80,\"TargetPort\":0,\"NodePort\":0}",
    );
    check(
        json!({"ports": [{"port": 80, "targetPort": "Bad_Name", "protocol": "icmp", "nodePort": 30500}]}),
        "[spec.ports[0].protocol: Unsupported value: \"icmp\": supported values: \"SCTP\", \"TCP\", \"UDP\", \
         spec.ports[0].targetPort: Invalid value: \"Bad_Name\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-), \
         spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP']",
    );
}

#[test]
fn choices() {
    check(
        json!({"ports": [{"port": 80}], "type": "Internal", "sessionAffinity": "Sticky"}),
        "[spec.sessionAffinity: Unsupported value: \"Sticky\": supported values: \"ClientIP\", \"None\", \
         spec.type: Unsupported value: \"Internal\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\"]",
    );
}

#[test]
fn addresses() {
    check(
        json!({"ports": [{"port": 80}], "clusterIP": "banana"}),
        "spec.clusterIPs[0]: Invalid value: \"banana\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    );
    let service = |address: &str, all: &[&str]| json!({"spec": {"clusterIP": address, "clusterIPs": all}});
    let old = service("10.96.0.7", &["10.96.0.7"]);
    assert_eq!(update(&old, &old), []);
    for new in [service("10.96.0.8", &["10.96.0.7"]), service("10.96.0.8", &["10.96.0.8"])] {
        let errors = update(&new, &old);
        assert_eq!(
            aggregate(&errors),
            "spec.clusterIPs[0]: Invalid value: [\"10.96.0.8\"]: may not change once set"
        );
    }
}

#[test]
fn external_addresses() {
    check(json!({"ports": [{"port": 80}], "externalIPs": ["192.0.2.1"]}), "");
    check(
        json!({"ports": [{"port": 80}], "externalIPs": ["010.0.0.1", "127.0.0.1"]}),
        "[spec.externalIPs[0]: Invalid value: \"010.0.0.1\": must not have leading 0s, \
         spec.externalIPs[1]: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128)]",
    );
}

#[test]
fn affinity_by_client() {
    let of = |affinity: &str, config: Value| json!({"ports": [{"port": 80}], "sessionAffinity": affinity, "sessionAffinityConfig": config});
    check(of("ClientIP", json!({"clientIP": {"timeoutSeconds": 10800}})), "");
    check(
        of("None", json!({})),
        "spec.sessionAffinityConfig: Forbidden: must not be set when session affinity is None",
    );
    check(
        of("ClientIP", json!({"clientIP": {"timeoutSeconds": 86401}})),
        "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400",
    );
}

#[test]
fn external_names_have_no_addresses() {
    check(json!({"type": "ExternalName", "externalName": "a.io."}), "");
    check(
        json!({"type": "ExternalName", "clusterIP": "10.96.0.9", "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}),
        "[spec.clusterIPs: Forbidden: may not be set for ExternalName services, \
         spec.ipFamilies: Forbidden: may not be set for ExternalName services, \
         spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services, spec.externalName: Required value]",
    );
}

#[test]
fn what_may_not_change() {
    let service = |spec: Value| json!({ "spec": spec });
    let balanced = |class: &str, port: i64| {
        service(json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local", "loadBalancerClass": class,
            "healthCheckNodePort": port}))
    };
    assert_eq!(
        aggregate(&update(&balanced("a.io/b", 30100), &balanced("a.io/c", 30101))),
        "[spec.loadBalancerClass: Invalid value: \"a.io/b\": may not change once set, spec.healthCheckNodePort: Forbidden: field is immutable]"
    );
    let families = |family: &str| service(json!({"clusterIP": "10.96.0.9", "ipFamilies": [family]}));
    assert_eq!(
        aggregate(&update(&families("IPv6"), &families("IPv4"))),
        "spec.ipFamilies[0]: Invalid value: [\"IPv6\"]: may not change once set"
    );
}
