//! `ephemeralcontainers` and `resize`: what of the spec of a pod may change while it runs.
//!
//! <https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/>,
//! <https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/>

use std::time::Duration;

use json_tree::Value;

use crate::validation::internal::CORE;
use apimachinery::object::Object;
use apimachinery::typed_object::TypedObject;

/// A write of `ephemeralcontainers` sets them, and nothing else.
pub(super) fn keep_all_but_ephemeral_containers(pod: &mut Object, old: &Object, _: Duration) {
    let containers = pod.get("spec").and_then(|spec| spec.get("ephemeralContainers")).cloned();
    pod.clone_from(old);
    let Some(mut pod) = TypedObject::builtin(CORE, "Pod", pod) else { return };
    let Some(mut spec) = pod.ensure("spec") else { return };
    match containers {
        Some(Value::Array(containers)) if !containers.is_empty() => {
            spec.set("ephemeralContainers", containers)
        }
        _ => {
            spec.remove("ephemeralContainers");
        }
    }
}

/// A write of `resize` sets the resources of the pod and of the containers that are there, and when they restart for
/// that. Containers that come, go or change their places are found by validation.
pub(super) fn keep_all_but_resources(pod: &mut Object, old: &Object, _: Duration) {
    let sent = pod.get("spec").cloned().unwrap_or_default();
    pod.clone_from(old);
    let Some(mut pod) = TypedObject::builtin(CORE, "Pod", pod) else { return };
    let Some(mut spec) = pod.ensure("spec") else { return };
    for list in ["containers", "initContainers"] {
        let sent = sent.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let old = spec.list(list);
        let kept = |sent: &Value| match old.iter().find(|old| old["name"] == sent["name"]) {
            Some(Value::Object(old)) => resized(old.clone(), sent),
            _ => sent.clone(),
        };
        let containers: Vec<Value> = sent.iter().map(kept).collect();
        if !(containers.is_empty() && old.is_empty()) {
            spec.set(list, containers);
        }
    }
    copy(&mut spec, &sent, "resources");
}

/// The container with the resources that were sent.
fn resized(mut container: Object, sent: &Value) -> Value {
    if let Some(mut container) = TypedObject::builtin(CORE, "Container", &mut container) {
        copy(&mut container, sent, "resources");
        copy(&mut container, sent, "resizePolicy");
    }
    container.into()
}

fn copy(to: &mut TypedObject<'_>, from: &Value, field: &str) {
    match from.get(field) {
        Some(value) => to.set(field, value.clone()),
        None => {
            to.remove(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(keep: fn(&mut Object, &Object, Duration), sent: &Value, expected: &str) {
        let old = json!({
            "metadata": {"name": "a"},
            "spec": {
                "containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}}}],
                "restartPolicy": "Always",
            },
            "status": {},
        });
        let (Value::Object(old), Value::Object(mut pod)) = (old, sent.clone()) else { panic!("not objects") };
        keep(&mut pod, &old, Duration::ZERO);
        assert_eq!(Value::Object(pod).to_string(), expected);
    }

    #[test]
    fn ephemeral_containers_change_alone() {
        check(
            keep_all_but_ephemeral_containers,
            &json!({
                "metadata": {"name": "a", "labels": {"x": "y"}},
                "spec": {"restartPolicy": "Never", "containers": [], "ephemeralContainers": [{"name": "e"}]},
            }),
            r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1"}}}],"ephemeralContainers":[{"name":"e"}],"restartPolicy":"Always"},"status":{}}"#,
        );
    }

    #[test]
    fn resources_change_alone() {
        check(
            keep_all_but_resources,
            &json!({"spec": {"containers": [
                {"name": "c", "image": "other", "resources": {"limits": {"cpu": "2"}}},
                {"name": "d"},
            ]}}),
            r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"2"}}},{"name":"d"}],"restartPolicy":"Always"},"status":{}}"#,
        );
    }
}
