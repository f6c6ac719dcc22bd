//! The annotations by which a Deployment and its ReplicaSets remember revisions and sizes.
//!
//! See <https://kubernetes.io/docs/reference/labels-annotations-taints/#deployment-kubernetes-io-revision>.

use std::num::Wrapping;

use golang::strconv::parse_int;
use json_tree::Value;

use super::size::{self, Count};
use crate::object;

pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";
pub(super) const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

/// The annotations that a Deployment and its ReplicaSets do not share.
const NOT_COPIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    ROLLBACK_TO,
];

/// The number of characters that a history of revisions has at most.
const LONGEST_HISTORY: usize = 2000;

/// Returns the revision of an object; 0 if it has none, and `None` if it is no number.
pub(super) fn revision(object: &Value) -> Option<i64> {
    object::annotation(object, REVISION).map_or(Some(0), |text| parse_int(text).ok())
}

/// Returns the number of pods that the Deployment of a ReplicaSet wanted when it was last scaled.
pub(super) fn desired_replicas(set: &Value) -> Option<Count> {
    number(set, DESIRED_REPLICAS)
}

/// Returns the number of pods that the Deployment of a ReplicaSet might have had when it was last scaled.
pub(super) fn max_replicas(set: &Value) -> Option<Count> {
    number(set, MAX_REPLICAS)
}

fn number(set: &Value, key: &str) -> Option<Count> {
    let text = object::annotation(set, key).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    text.parse().ok().map(Wrapping)
}

/// Sets an annotation, and reports whether it was another one.
fn change(object: &mut Value, key: &str, value: &str) -> bool {
    if object::annotation(object, key) == Some(value) {
        return false;
    }
    object::set_annotation(object, key, value);
    true
}

/// Sets the sizes of a Deployment in a ReplicaSet, and reports whether they were others.
pub(super) fn set_sizes(set: &mut Value, deployment: &Value) -> bool {
    let desired = change(set, DESIRED_REPLICAS, &size::replicas(deployment).to_string());
    let max = change(set, MAX_REPLICAS, &size::max_replicas(deployment).to_string());
    desired || max
}

/// Reports whether a ReplicaSet has other sizes than its Deployment.
pub(super) fn sizes_differ(set: &Value, deployment: &Value) -> bool {
    set_sizes(&mut set.clone(), deployment)
}

/// Sets the revision of a Deployment, and reports whether it was another one.
pub(super) fn set_revision(deployment: &mut Value, revision: &str) -> bool {
    change(deployment, REVISION, revision)
}

/// Gives the new ReplicaSet the annotations of its Deployment and a revision that is at least `revision`, and reports whether it had
/// others. The revisions that it had before it keeps.
pub(super) fn set_for_new_set(set: &mut Value, deployment: &Value, revision: i64, exists: bool) -> bool {
    let mut changed = copy(deployment, set);
    let old = object::annotation(set, REVISION).map(str::to_owned);
    let old_number = match old.as_deref().map(parse_int) {
        Some(Err(_)) if old.as_deref() != Some("") => return false,
        Some(Ok(number)) => number,
        _ => 0,
    };
    if old_number < revision {
        object::set_annotation(set, REVISION, &revision.to_string());
        changed = true;
        if let Some(old) = old {
            remember(set, &old);
        }
    }
    if !exists && set_sizes(set, deployment) {
        changed = true;
    }
    changed
}

/// Copies the annotations of a Deployment to a ReplicaSet, and reports whether it had others.
fn copy(deployment: &Value, set: &mut Value) -> bool {
    let mut changed = false;
    for (key, value) in object::meta(deployment, "annotations").as_object().into_iter().flatten() {
        if !NOT_COPIED.contains(&key.as_str()) {
            changed |= change(set, key, value.as_text());
        }
    }
    changed
}

/// Appends a revision to the history of a ReplicaSet; the oldest ones go where there are too many.
fn remember(set: &mut Value, revision: &str) {
    let history = object::annotation(set, REVISION_HISTORY).unwrap_or_default();
    let mut revisions: Vec<&str> = history.split(',').filter(|one| !one.is_empty()).collect();
    let mut length = history.len() + revision.len() + 1;
    if !revisions.is_empty() {
        while length > LONGEST_HISTORY && !revisions.is_empty() {
            length -= revisions.remove(0).len() + 1;
        }
        if length > LONGEST_HISTORY {
            return;
        }
    }
    revisions.push(revision);
    let history = revisions.join(",");
    object::set_annotation(set, REVISION_HISTORY, &history);
}

/// Gives a Deployment the annotations of a ReplicaSet that it is rolled back to, but for those that they do not share.
pub(super) fn restore(deployment: &mut Value, set: &Value) {
    let annotations = object::child(object::child(deployment, "metadata"), "annotations");
    if let Some(map) = annotations.as_object_mut() {
        map.retain(|key, _| NOT_COPIED.contains(&key.as_str()));
    }
    for (key, value) in object::meta(set, "annotations").as_object().into_iter().flatten() {
        if !NOT_COPIED.contains(&key.as_str()) {
            object::set(annotations, key, value.clone());
        }
    }
}
