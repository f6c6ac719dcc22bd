//! Conditions in the status of a pod.
//!
//! <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions>

use std::time::Duration;

use json_tree::{Value, json};

use apimachinery::object::Object;
use apimachinery::time;
use apimachinery::typed_object::TypedObject;

/// A condition that the server itself sets.
pub struct Condition<'a> {
    /// Which one.
    pub ty: &'a str,
    /// `True`, `False` or `Unknown`.
    pub status: &'a str,
    /// The reason in one word; may be empty.
    pub reason: &'a str,
    /// The reason for people; may be empty.
    pub message: &'a str,
}

/// Sets the condition, in the place of the one of its type if there is one. `now`, the time since the Unix epoch, is
/// when it came about, unless it was like that before.
pub fn set(pod: &mut Object, condition: &Condition<'_>, now: Duration) {
    let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod) else { return };
    let Some(mut status) = pod.ensure("status") else { return };
    let mut conditions = status.list("conditions").to_vec();
    let place = conditions.iter().position(|other| other["type"] == condition.ty);
    let since = place.map(|place| &conditions[place]).filter(|other| other["status"] == condition.status);
    let since = since.map_or_else(|| time::rfc3339(now).into(), |other| other["lastTransitionTime"].clone());
    let mut new = json!({
        "type": condition.ty,
        "status": condition.status,
        "lastProbeTime": null,
        "lastTransitionTime": since,
    });
    for (key, text) in [("reason", condition.reason), ("message", condition.message)] {
        if !text.is_empty() {
            new[key] = text.into();
        }
    }
    match place {
        Some(place) => conditions[place] = new,
        None => conditions.push(new),
    }
    status.set("conditions", Value::Array(conditions));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(conditions: &Value, expected: &str) {
        let Value::Object(mut pod) = json!({"status": {"conditions": conditions}}) else {
            panic!("no object")
        };
        let condition = Condition { ty: "Ready", status: "True", reason: "R", message: "" };
        set(&mut pod, &condition, Duration::from_secs(1));
        assert_eq!(pod["status"]["conditions"].to_string(), expected);
    }

    #[test]
    fn a_condition_is_set_in_its_place() {
        check(
            &json!([]),
            r#"[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"1970-01-01T00:00:01Z","reason":"R"}]"#,
        );
        check(
            &json!([{"type": "Ready", "status": "False", "lastTransitionTime": "x"}, {"type": "Z"}]),
            r#"[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"1970-01-01T00:00:01Z","reason":"R"},{"type":"Z"}]"#,
        );
        check(
            &json!([{"type": "Ready", "status": "True", "lastTransitionTime": "x"}]),
            r#"[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"x","reason":"R"}]"#,
        );
    }
}
