//! Pods: their status begins as Pending, and they may take their time to end.
//!
//! <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/>

mod condition;
mod part;

pub use condition::{Condition, set as set_condition};
use std::time::Duration;

use apimachinery::pod::{BEST_EFFORT, quality_of_service};
use json_tree::{Value, json};

use crate::kind::{Strategy, TRACKED};
use apimachinery::object;
use apimachinery::object::Object;
use apimachinery::typed_object::TypedObject;
use part::{keep_all_but_ephemeral_containers, keep_all_but_resources};

pub(crate) const STRATEGY: Strategy = Strategy {
    delete_answers_object: true,
    complete: align_addresses,
    prepare_for_create,
    prepare_for_status_update,
    grace_period: Some(grace_period),
    keep_all_but_part: &[
        ("ephemeralcontainers", keep_all_but_ephemeral_containers),
        ("resize", keep_all_but_resources),
    ],
    ..TRACKED
};

fn prepare_for_create(pod: &mut Object) {
    let class = pod.get("spec").map_or(BEST_EFFORT, quality_of_service);
    let gated = pod.get("spec").and_then(|spec| spec.get("schedulingGates")).and_then(Value::as_array);
    let gated = gated.is_some_and(|gates| !gates.is_empty());
    let now = object::metadata(pod, "creationTimestamp").cloned();
    let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod) else { return };
    let Some(mut status) = pod.ensure("status") else { return };
    status.set("phase", "Pending");
    status.set("qosClass", class);
    if gated {
        status.set(
            "conditions",
            json!([{
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": null,
                "lastTransitionTime": now,
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }]),
        );
    }
}

/// Of the addresses, the single one comes before a list that does not begin with it.
fn align_addresses(pod: &mut Object) {
    if pod.get("status").is_none_or(Value::is_null) {
        return;
    }
    let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod) else { return };
    let Some(mut status) = pod.ensure("status") else { return };
    let address = status.text("podIP").to_owned();
    let first = status.list("podIPs").first().and_then(|first| first["ip"].as_str()).map(str::to_owned);
    match first {
        Some(first) if address.is_empty() => status.set("podIP", first),
        first if !address.is_empty() && first.as_deref() != Some(&address) => {
            status.set("podIPs", json!([{ "ip": address }]));
        }
        _ => {}
    }
}

/// Keeps what a write of the status cannot change: the owners, the time of the deletion, and which generation was seen. The `QoS`
/// class stays if it is left out.
fn prepare_for_status_update(pod: &mut Object, old: &Object, _: Duration) {
    align_addresses(pod);
    keep_seen_generations(pod, old);
    let class = old.get("status").and_then(|status| status.get("qosClass")).cloned();
    let [deletion, owners] =
        ["deletionTimestamp", "ownerReferences"].map(|key| object::metadata(old, key).cloned());
    let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod) else { return };
    if let Some(mut status) = pod.ensure("status")
        && let (true, Some(class)) = (status.text("qosClass").is_empty(), class)
    {
        status.set("qosClass", class);
    }
    if let Some(mut metadata) = pod.ensure("metadata") {
        match deletion {
            Some(time) => metadata.set("deletionTimestamp", time),
            None => {
                metadata.remove("deletionTimestamp");
            }
        }
        match owners {
            Some(owners) => metadata.set("ownerReferences", owners),
            None => {
                metadata.remove("ownerReferences");
            }
        }
    }
}

/// The generations that were seen stay, of the status and of its conditions, where the request leaves them out. Of
/// conditions of one type, the first is told by the first.
fn keep_seen_generations(pod: &mut Object, old: &Object) {
    const SEEN: &str = "observedGeneration";
    let Some(was) = old.get("status") else { return };
    let seen = |holder: &Value| holder.get(SEEN).and_then(Value::as_i64).filter(|seen| *seen != 0);
    let conditions = was.get("conditions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut left: Vec<&Value> = conditions.iter().collect();
    let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod) else { return };
    let Some(mut status) = pod.child("status") else { return };
    let keep = |holder: &mut TypedObject<'_>, was: Option<i64>| {
        if let Some(was) = was.filter(|_| holder.number(SEEN) == 0) {
            holder.set(SEEN, was);
        }
    };
    keep(&mut status, seen(was));
    status.for_each("conditions", |condition| {
        let place = left.iter().position(|old| old["type"] == condition.text("type"));
        keep(condition, place.and_then(|place| seen(left.remove(place))));
    });
}

/// Returns how many seconds the pod may take to end, when `asked` is what the request says.
///
/// <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination>
fn grace_period(pod: &Object, asked: Option<i64>) -> i64 {
    let spec = |field: &str| pod.get("spec").and_then(|spec| spec.get(field));
    let scheduled = spec("nodeName").and_then(Value::as_str).is_some_and(|node| !node.is_empty());
    let phase = pod.get("status").and_then(|status| status.get("phase")).and_then(Value::as_str);
    if !scheduled || matches!(phase, Some("Failed" | "Succeeded")) {
        return 0;
    }
    let seconds =
        asked.or_else(|| spec("terminationGracePeriodSeconds").and_then(Value::as_i64)).unwrap_or(0);
    if seconds < 0 { 1 } else { seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: Value, sent: Value, expected: &str) {
        let object = |status: Value| match json!({ "status": status }) {
            Value::Object(object) => object,
            _ => Object::new(),
        };
        let mut pod = object(sent);
        keep_seen_generations(&mut pod, &object(old));
        assert_eq!(pod["status"].to_string(), expected);
    }

    #[test]
    fn what_was_seen_stays_seen() {
        check(json!({}), json!({"phase": "Running"}), r#"{"phase":"Running"}"#);
        check(
            json!({"observedGeneration": 2}),
            json!({"phase": "Running"}),
            r#"{"observedGeneration":2,"phase":"Running"}"#,
        );
        check(
            json!({"observedGeneration": 2, "conditions": [{"type": "A", "observedGeneration": 1}, {"type": "A", "observedGeneration": 2}]}),
            json!({"observedGeneration": 3, "conditions": [{"type": "B"}, {"type": "A"}, {"type": "A", "observedGeneration": 4}]}),
            r#"{"observedGeneration":3,"conditions":[{"type":"B"},{"type":"A","observedGeneration":1},{"type":"A","observedGeneration":4}]}"#,
        );
    }
}
