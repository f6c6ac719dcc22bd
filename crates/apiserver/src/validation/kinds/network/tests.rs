use serde_json::json;

use super::*;
use crate::validation::kinds::check;

#[test]
fn policies() {
    let policy = |spec: Value| create_policy(&json!({"spec": spec}));
    check(&policy(json!({"podSelector": {}})), "");
    check(
        &policy(json!({"ingress": [{"from": [{}]}]})),
        "spec.ingress[0].from[0]: Required value: must specify a peer",
    );
    check(
        &policy(json!({"egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}]}]})),
        "spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer",
    );
    check(
        &policy(
            json!({"ingress": [{"ports": [{"port": 80, "endPort": 70}, {"endPort": 70}, {"port": "x", "endPort": 70}]}]}),
        ),
        "[spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`, \
         spec.ingress[0].ports[1].endPort: Invalid value: 70: may not be specified when `port` is not specified, \
         spec.ingress[0].ports[2].endPort: Invalid value: 70: may not be specified when `port` is non-numeric]",
    );
    check(
        &policy(json!({"policyTypes": ["Sideways"]})),
        "spec.policyTypes[0]: Unsupported value: \"Sideways\": supported values: \"Ingress\", \"Egress\"",
    );
    check(
        &policy(json!({"policyTypes": ["Ingress", "Egress", "Ingress"]})),
        "spec.policyTypes: Invalid value: [\"Ingress\",\"Egress\",\"Ingress\"]: may not specify more than two policyTypes",
    );
}

#[test]
fn ingresses() {
    let ingress = |spec: Value| create_ingress(&json!({"spec": spec}));
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let path = |path: &str, kind: &str| json!({"rules": [{"http": {"paths": [{"path": path, "pathType": kind, "backend": backend}]}}]});
    check(
        &ingress(json!({})),
        "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
    );
    check(&ingress(path("/", "Prefix")), "");
    check(&ingress(path("", "ImplementationSpecific")), "");
    check(
        &ingress(path("/", "")),
        "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified",
    );
    check(
        &ingress(path("/", "Glob")),
        "spec.rules[0].http.paths[0].pathType: Unsupported value: \"Glob\": supported values: \"Exact\", \"ImplementationSpecific\", \"Prefix\"",
    );
    check(
        &ingress(path("/a//b/../c", "Exact")),
        "[spec.rules[0].http.paths[0].path: Invalid value: \"/a//b/../c\": must not contain '//', \
         spec.rules[0].http.paths[0].path: Invalid value: \"/a//b/../c\": must not contain '/../']",
    );
    check(&ingress(json!({"rules": [{"host": "*.a.b"}]})), "");
    check(
        &ingress(json!({"rules": [{"host": "1.2.3.4"}]})),
        "spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address",
    );
    check(
        &ingress(json!({"defaultBackend": {"service": {"name": "s"}}})),
        "spec.defaultBackend: Required value: port name or number is required",
    );
    check(
        &ingress(json!({"defaultBackend": {}})),
        "spec.defaultBackend: Invalid value: \"\": resource or service backend is required",
    );
}

#[test]
fn ingress_classes() {
    let class = |controller: &str| json!({"spec": {"controller": controller}});
    check(&create_ingress_class(&class("a.io/b")), "");
    check(&create_ingress_class(&class("")), "spec.controller: Required value");
    check(
        &create_ingress_class(&class("plain")),
        "spec.controller: Invalid value: \"plain\": must be a domain-prefixed path (such as \"acme.io/foo\")",
    );
    check(
        &update_ingress_class(&class("a.io/c"), &class("a.io/b")),
        "spec.controller: Invalid value: \"a.io/c\": field is immutable",
    );
}
