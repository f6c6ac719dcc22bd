//! The warnings of every kind.

#![expect(clippy::needless_pass_by_value, reason = "tests hand over what they write in place")]

use json_tree::{Value, json};

use crate::Validator;

fn validator(group: &str, resource: &str) -> Option<Validator> {
    let parts = [crate::basics, crate::workloads, crate::expressions, crate::others];
    parts.into_iter().find_map(|find| find(group, resource))
}

/// The warnings of the kind.
fn warned(group: &str, resource: &str, object: &Value, old: Option<&Value>) -> Vec<String> {
    validator(group, resource).map(|validator| (validator.checks.warn)(object, old)).unwrap_or_default()
}

#[track_caller]
fn check(resource: &str, object: Value, expected: &[&str]) {
    let rows = schema::resources();
    let row = rows.iter().find(|row| row.name == resource && row.storage.version == row.version);
    let group = row.map(|row| row.group.as_str()).unwrap_or_default();
    let warnings = warned(group, resource, &object, None);
    assert_eq!(warnings, expected);
}

#[test]
fn pods() {
    let spec = json!({
        "nodeSelector": {"beta.kubernetes.io/os": "linux"},
        "hostAliases": [{"ip": "1.1.1.1"}, {"ip": "1.1.1.1"}],
        "volumes": [{"name": "v", "rbd": {}}],
        "containers": [{
            "name": "c",
            "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}, {"name": "A", "value": "3"}],
            "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "protocol": "TCP", "hostPort": 8}],
            "resources": {"limits": {"memory": "1500m"}},
        }],
    });
    let expected = [
        "nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" instead",
        "volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+",
        "hostAliases[1].ip: duplicate ip \"1.1.1.1\"",
        "containers[0].resources.limits[memory]: fractional byte value \"1500m\" is invalid, must be an integer",
        "containers[0].env[2]: hides previous definition of \"A\", which may be dropped when using apply",
        "containers[0].ports[1]: overlapping port definition with ",
    ];
    let at = |path: &str| -> Vec<String> {
        expected.iter().map(|text| format!("{path}.{text}")).collect::<Vec<_>>()
    };
    let mut own = at("spec");
    own[5].push_str("spec.containers[0].ports[0]");
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    check("pods", json!({"metadata": {"name": "p"}, "spec": spec}), &own);
    let mut template = at("spec.template.spec");
    template[5].push_str("spec.template.spec.containers[0].ports[0]");
    let template: Vec<&str> = template.iter().map(String::as_str).collect();
    check("deployments", json!({"metadata": {"name": "d"}, "spec": {"template": {"spec": spec}}}), &template);
}

#[test]
fn profiles_of_app_armor() {
    let expect = |profile: &str, spec: Value, warns: bool| {
        let mut pod = json!({"metadata": {"name": "p"}});
        let key = "container.apparmor.security.beta.kubernetes.io/c";
        pod["metadata"]["annotations"] = json!({ key: profile });
        pod["spec"] = spec;
        let warning = format!(
            "metadata.annotations[{key}]: deprecated since v1.30; use the \"appArmorProfile\" field instead"
        );
        let expected: &[&str] = if warns { &[&warning] } else { &[] };
        check("pods", pod, expected);
    };
    let context = json!({"appArmorProfile": {"type": "Unconfined"}});
    expect("unconfined", json!({"containers": [{"name": "c", "securityContext": context}]}), true);
    expect("unconfined", json!({"securityContext": context, "containers": [{"name": "c"}]}), false);
    expect("else", json!({"containers": [{"name": "c"}]}), true);
    expect("else", json!({"os": {"name": "windows"}, "containers": [{"name": "c"}]}), false);
}

#[test]
fn names() {
    let named = json!({"metadata": {"name": "a.b"}});
    check(
        "pods",
        named.clone(),
        &[
            "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
        ],
    );
    check(
        "jobs",
        named.clone(),
        &[
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
        ],
    );
    check("daemonsets", named.clone(), &[]);
    check("configmaps", named, &[]);
}

#[test]
fn others() {
    check(
        "services",
        json!({"spec": {"clusterIP": "None", "externalIPs": ["1.2.3.4"], "sessionAffinity": "ClientIP"}}),
        &[
            "spec.externalIPs is ignored for headless services",
            "spec.SessionAffinity is ignored for headless services",
        ],
    );
    check(
        "services",
        json!({"spec": {"type": "ExternalName", "externalName": "a.io", "externalIPs": ["1.2.3.4"]}}),
        &["spec.externalIPs is ignored when spec.type is \"ExternalName\""],
    );
    check(
        "services",
        json!({"spec": {
            "type": "ClusterIP", "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"], "externalName": "a.io",
            "externalIPs": ["2001:DB8::1"], "trafficDistribution": "PreferClose",
        }}),
        &[
            "spec.externalIPs[0]: IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format (\"2001:db8::1\")",
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
            "spec.externalName is ignored when spec.type is not \"ExternalName\"",
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"",
        ],
    );
    check(
        "persistentvolumeclaims",
        json!({"spec": {"resources": {"requests": {"storage": "1500m"}}}}),
        &["spec.resources.requests[storage]: fractional byte value \"1500m\" is invalid, must be an integer"],
    );
    check(
        "resourcequotas",
        json!({"spec": {"hard": {"cpu": "2", "limits.cpu": "1", "requests.memory": "1Gi", "limits.memory": "2Gi"}}}),
        &["ResourceQuota cpu (2) should be less than limits.cpu (1)"],
    );
    let tokens = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
    check("csidrivers", json!({"spec": {"tokenRequests": [{"audience": "a"}]}}), &[tokens]);
    check(
        "csidrivers",
        json!({"spec": {"tokenRequests": [{"audience": "a"}], "serviceAccountTokenInSecrets": false}}),
        &[],
    );
    check(
        "resourceslices",
        json!({"spec": {"driver": "A.io"}}),
        &["spec.driver: driver names should be lowercase; \"A.io\" contains uppercase characters"],
    );
    let old = "beta.kubernetes.io/os";
    let instead = "deprecated since v1.14; use \"kubernetes.io/os\" instead";
    check(
        "storageclasses",
        json!({"allowedTopologies": [{"matchLabelExpressions": [{"key": old}]}]}),
        &[&format!("allowedTopologies[0].matchLabelExpressions[0].key: {instead}")],
    );
    check(
        "csistoragecapacities",
        json!({"nodeTopology": {"matchLabels": {old: "linux"}, "matchExpressions": [{"key": old, "operator": "Exists"}]}}),
        &[
            &format!("nodeTopology.matchExpressions[0].key: {old} is {instead}"),
            &format!("nodeTopology.matchLabels.{old}: {instead}"),
        ],
    );
    check(
        "runtimeclasses",
        json!({"scheduling": {"nodeSelector": {old: "linux", "zone": "a"}}}),
        &[&format!("scheduling.nodeSelector: {instead}")],
    );
}

#[test]
fn secrets() {
    use base64::Engine;
    let check = |certificate: &str, key: &str, expected: &[&str]| {
        let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
        let data = json!({"tls.crt": encode(certificate), "tls.key": encode(key)});
        check("secrets", json!({"type": "kubernetes.io/tls", "data": data}), expected);
    };
    let certificate = "-----BEGIN CERTIFICATE-----\nMAIwAA==\n-----END CERTIFICATE-----\n";
    let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
    check(certificate, key, &[]);
    check(&certificate.replace("MAIwAA", "YQ"), key, &["x509: malformed certificate"]);
    check(certificate, &key.replace("MAA=", "YQ=="), &["tls: failed to parse private key"]);
    check("x", key, &["tls: failed to find any PEM data in certificate input"]);
    check(certificate, "", &["tls: failed to find any PEM data in key input"]);
    check(
        key,
        certificate,
        &[
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
        ],
    );
    check(
        certificate,
        certificate,
        &["tls: found a certificate rather than a key in the PEM for the private key"],
    );
}

#[test]
fn statuses() {
    let check = |group: &str, resource: &str, status: Value, expected: &[&str]| {
        let validator = validator(group, resource).expect("a validator");
        assert_eq!((validator.checks.warn_of_status)(&json!({ "status": status })), expected);
    };
    check(
        "",
        "pods",
        json!({"podIPs": [{"ip": "10.0.0.1"}, {"ip": "2001:DB8::1"}]}),
        &[
            "status.podIPs[1].ip: IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format (\"2001:db8::1\")",
        ],
    );
    check(
        "networking.k8s.io",
        "ingresses",
        json!({"loadBalancer": {"ingress": [{"ip": "2001:DB8::1"}, {"hostname": "a.io"}]}}),
        &[
            "status.loadBalancer.ingress[0]: IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format (\"2001:db8::1\")",
        ],
    );
    check("", "nodes", json!({}), &[]);
}

#[test]
fn schedules() {
    let job = json!({"metadata": {"generation": 1}, "spec": {"schedule": "TZ=UTC 0 * * * *"}});
    assert_eq!(warned("batch", "cronjobs", &job, Some(&job)).len(), 1);
}
