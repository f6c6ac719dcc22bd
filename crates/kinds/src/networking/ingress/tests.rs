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
        &ingress(json!({"rules": [{"http": {"paths": [{"path": "/", "backend": backend}]}}]})),
        "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified",
    );
    check(
        &ingress(path("/", "")),
        "spec.rules[0].http.paths[0].pathType: Unsupported value: \"\": supported values: \"Exact\", \"ImplementationSpecific\", \"Prefix\"",
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
fn classes_by_annotation() {
    let ingress = |class: &str| json!({"metadata": {"annotations": {"kubernetes.io/ingress.class": "a"}}, "spec": {"ingressClassName": class}});
    check(&only_new(&ingress("a")), "");
    check(
        &only_new(&ingress("b")),
        "annotations.kubernetes.io/ingress.class: Invalid value: \"a\": must match `ingressClassName` when both are specified",
    );
}
