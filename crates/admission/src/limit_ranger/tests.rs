#![expect(clippy::needless_pass_by_value, reason = "tests hand over what they write in place")]

use std::collections::BTreeMap;

use json_tree::json;

use super::super::{mutate, validate};
use super::*;
use crate::pod_security::violations;

fn object(value: Value) -> Object {
    match value {
        Value::Object(map) => map,
        _ => Object::new(),
    }
}

/// Checks the result for a pod with one container of these resources: its resources and annotations, or the refusal.
#[track_caller]
fn check(limits: Value, resources: Value, expected: &str) {
    let mut rows = schema::resources().iter();
    let pods = rows.find(|row| row.group.is_empty() && row.name == "pods").expect("pods are built in");
    let range = object(json!({"metadata": {"name": "r", "namespace": "ns"}, "spec": {"limits": [limits]}}));
    let objects = BTreeMap::from([("/registry/limitranges/ns/r".to_owned(), range)]);
    let request = Request {
        objects: &objects,
        resource: pods,
        subresource: "",
        old: None,
        plugins: crate::Plugins::default(),
        pod_security: violations,
        audit: None,
    };
    let mut pod = object(json!({
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {"containers": [{"name": "c", "resources": resources}]},
    }));
    let outcome = mutate(&request, &mut pod).and_then(|()| validate(&request, &pod, &mut Vec::new()));
    let seen = match outcome {
        Err(status) => status.message,
        Ok(()) => {
            let pod = Value::Object(pod);
            format!("{} {}", pod["spec"]["containers"][0]["resources"], pod["metadata"]["annotations"])
        }
    };
    assert_eq!(seen, expected);
}

#[test]
fn defaults_are_filled_in_and_told() {
    check(
        json!({"type": "Container", "default": {"cpu": "1", "memory": "1Gi"}, "defaultRequest": {"cpu": "500m"}}),
        json!({"limits": {"cpu": "2"}}),
        r#"{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"500m"}} {"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu request for container c; memory limit for container c"}"#,
    );
    check(json!({"type": "Pod", "default": {"cpu": "1"}}), json!({}), "{} null");
}

#[test]
fn too_little_and_too_much_are_refused() {
    check(
        json!({"type": "Container", "min": {"cpu": "100m"}}),
        json!({"requests": {"cpu": "50m"}}),
        "pods \"p\" is forbidden: minimum cpu usage per Container is 100m, but request is 50m",
    );
    check(
        json!({"type": "Container", "min": {"cpu": "100m"}, "max": {"cpu": "1"}}),
        json!({}),
        "pods \"p\" is forbidden: [minimum cpu usage per Container is 100m.  No request is specified, maximum cpu usage per Container is 1.  No limit is specified]",
    );
    check(
        json!({"type": "Pod", "max": {"memory": "1Gi"}}),
        json!({"limits": {"memory": "2Gi"}}),
        "pods \"p\" is forbidden: maximum memory usage per Pod is 1Gi, but limit is 2Gi",
    );
    check(
        json!({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}),
        json!({"requests": {"cpu": "100m"}, "limits": {"cpu": "300m"}}),
        "pods \"p\" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
    );
}
