use json_tree::json;

use super::*;
use crate::apps::{daemon_set, deployment, replica_set, stateful_set};
use crate::validation::check;

/// An object whose spec has a template, a selector for it, and more.
pub(crate) fn workload(more: Value) -> Value {
    with(
        json!({"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "c", "image": "busybox"}]}}}),
        more,
    )
}

/// An object with the spec and more.
pub(crate) fn with(mut spec: Value, more: Value) -> Value {
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
        spec.extend(more);
    }
    json!({"metadata": {"name": "a", "namespace": "default"}, "spec": spec})
}

type Create = fn(&Value) -> Vec<Error>;

const KINDS: [Create; 4] =
    [deployment::create, replica_set::create, stateful_set::create, daemon_set::create];

#[track_caller]
fn check_all(more: &Value, expected: [&str; 4]) {
    for (create, expected) in KINDS.iter().zip(expected) {
        check(&create(&workload(more.clone())), expected);
    }
}

#[test]
fn selectors() {
    check_all(&json!({}), [""; 4]);
    let mismatch = "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`";
    let missing = format!("[spec.selector: Required value, {mismatch}]");
    check_all(&json!({"selector": null}), [&missing, &missing, &missing, mismatch]);
    check_all(&json!({"selector": {"matchLabels": {"app": "b"}}}), [mismatch; 4]);
    let empty = "spec.selector: Invalid value: {}: empty selector is invalid for";
    let [deployment, set, daemons] =
        ["deployment", "statefulset", "daemonset"].map(|kind| format!("{empty} {kind}"));
    check_all(&json!({"selector": {}}), [&deployment, &deployment, &set, &daemons]);
    let operator =
        "spec.selector.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator";
    let value = "{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Like\"}]}";
    let invalid = format!("[{operator}, spec.selector: Invalid value: {value}: invalid label selector]");
    let set = format!("[{operator}, spec.selector: Invalid value: {value}]");
    check_all(
        &json!({"selector": {"matchExpressions": [{"key": "app", "operator": "Like"}]}}),
        [&invalid, &invalid, &set, operator],
    );
}

#[test]
fn templates() {
    let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {"restartPolicy": "Never",
        "activeDeadlineSeconds": 1, "containers": [{"name": "c", "image": "busybox"}]}});
    let expected = ["ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet"].map(|kind| {
        format!(
            "[spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\", \
             spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in {kind} is not Supported]"
        )
    });
    check_all(&json!({ "template": template }), expected.each_ref().map(String::as_str));
}

#[test]
fn selectors_stay() {
    let old = workload(json!({}));
    let mut new = old.clone();
    new["spec"]["selector"] = json!({"matchLabels": {"app": "e"}});
    new["spec"]["template"]["metadata"]["labels"]["app"] = "e".into();
    for update in [deployment::update, replica_set::update, daemon_set::update] {
        let expected = "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"e\"}}: field is immutable";
        check(&update(&new, &old), expected);
    }
}
