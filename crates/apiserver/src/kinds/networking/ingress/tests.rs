use json_tree::json;

use super::*;
use crate::validation::check;

#[test]
fn ingresses() {
    let ingress = |spec: Value| create(&json!({"spec": spec}));
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
    check(&create_class(&class("a.io/b")), "");
    check(&create_class(&class("")), "spec.controller: Required value");
    check(
        &create_class(&class("plain")),
        "spec.controller: Invalid value: \"plain\": must be a domain-prefixed path (such as \"acme.io/foo\")",
    );
    check(
        &update_class(&class("a.io/c"), &class("a.io/b")),
        "spec.controller: Invalid value: \"a.io/c\": field is immutable",
    );
}

#[test]
fn parameters_of_classes() {
    let class = |parameters: Value| json!({"spec": {"controller": "a.io/b", "parameters": parameters}});
    check(
        &create_class(&class(json!({"kind": "K", "name": "n", "scope": "Namespace", "namespace": "s"}))),
        "",
    );
    check(
        &create_class(&class(json!({"kind": "K/L", "scope": "Cluster", "namespace": "s"}))),
        "[spec.parameters.kind: Invalid value: \"K/L\": may not contain '/', spec.parameters.name: Required value, \
         spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster']",
    );
}

#[test]
fn classes_by_annotation() {
    let ingress = |class: &str| json!({"metadata": {"annotations": {"kubernetes.io/ingress.class": "a"}}, "spec": {"ingressClassName": class}});
    check(&only_new(&ingress("a")), "");
    check(
        &only_new(&ingress("b")),
        "annotations.kubernetes.io/ingress.class: Invalid value: \"a\": must match `ingressClassName` when both are specified",
    );
}
