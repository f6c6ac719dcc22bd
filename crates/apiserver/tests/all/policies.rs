//! Admission policies, from their creation to what they make of requests.

mod mutating;
mod validating;

use crate::common::Cluster;
use apiserver::User;
use http::Request;
use json_tree::{Value, json};

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn rule(operations: &[&str], group: &str, version: &str, resources: &[&str]) -> Value {
    json!({ "operations": operations, "apiGroups": [group], "apiVersions": [version], "resources": resources })
}

fn merged(mut value: Value, more: &Value) -> Value {
    if let (Some(value), Some(more)) = (value.as_object_mut(), more.as_object()) {
        value.extend(more.clone());
    }
    value
}

#[track_caller]
fn ok(cluster: &Cluster, line: &str, body: &Value) -> Value {
    let (code, answer) = cluster.json(line, body);
    assert!(code < 300, "{line}: {answer}");
    answer
}

/// A policy with one validation, and a binding of it with these actions.
#[track_caller]
fn bind(cluster: &Cluster, name: &str, rules: &Value, expression: &str, actions: &[&str]) {
    let spec = json!({ "validations": [{ "expression": expression }] });
    bind_all(cluster, name, rules, &spec, &json!({ "validationActions": actions }));
}

#[track_caller]
fn bind_all(cluster: &Cluster, name: &str, rules: &Value, spec: &Value, binding: &Value) {
    let own = json!({ "matchConstraints": { "resourceRules": [rules] } });
    let policy = json!({ "metadata": { "name": name }, "spec": merged(own, spec) });
    ok(cluster, &format!("POST {POLICIES}"), &policy);
    let binding = merged(json!({ "policyName": name, "validationActions": ["Deny"] }), binding);
    let binding = json!({ "metadata": { "name": format!("{name}-b") }, "spec": binding });
    ok(cluster, &format!("POST {BINDINGS}"), &binding);
}

/// Checks the response to a request: the code, and the message if the request has failed.
#[track_caller]
fn check(cluster: &Cluster, line: &str, body: &Value, code: u16, message: &str) {
    let (got, answer) = cluster.json(line, body);
    let told = answer["message"].as_str().filter(|_| got >= 400).unwrap_or_default();
    assert_eq!((got, told), (code, message), "{line} {answer}");
}

fn config_map(name: &str, data: &Value) -> Value {
    json!({ "metadata": { "name": name }, "data": data })
}
