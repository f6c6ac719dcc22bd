//! The changes after which quotas are counted anew: those by which less is used. What uses more is counted when it is admitted.

use json_tree::Value;

use crate::change::Change;
use crate::object::{self, list};
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PODS, SERVICES};

/// Reports whether quotas may have to be counted anew after a change.
pub(super) fn is_needed(change: &Change) -> bool {
    match (&change.old, &change.new) {
        (Some(_), None) => true,
        (Some(old), Some(new)) if change.resource == PODS => pod(old, new),
        (Some(old), Some(new)) if change.resource == SERVICES => kind(old) != kind(new),
        (Some(_), Some(_)) => change.resource == PERSISTENT_VOLUME_CLAIMS,
        (None, _) => false,
    }
}

/// Reports whether a pod has ended, has got other resources, or is in another scope.
fn pod(old: &Value, new: &Value) -> bool {
    let ended = |pod: &Value| matches!(pod.text_at("/status/phase"), "Succeeded" | "Failed");
    let is_terminating = |pod: &Value| {
        object::int(pod, "/spec/activeDeadlineSeconds") >= 0
            && pod.pointer("/spec/activeDeadlineSeconds").is_some_and(Value::is_number)
    };
    has_other_resources(old, new) || is_terminating(old) != is_terminating(new) || !ended(old) && ended(new)
}

fn has_other_resources(old: &Value, new: &Value) -> bool {
    ["/status/containerStatuses", "/status/initContainerStatuses"].iter().any(|field| {
        list(old, field).iter().any(|before| {
            let now = list(new, field).iter().find(|now| now.text("name") == before.text("name"));
            now.is_some_and(|now| now.get("resources") != before.get("resources"))
        })
    })
}

/// Returns the type of a Service, if it counts.
fn kind(service: &Value) -> &str {
    Some(service.text_at("/spec/type"))
        .filter(|kind| ["NodePort", "LoadBalancer"].contains(kind))
        .unwrap_or_default()
}
