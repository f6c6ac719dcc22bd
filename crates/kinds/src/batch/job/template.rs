//! Validation of updates of a Job's template: nothing may change, unless the Job is suspended and has no pods.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#mutable-scheduling-directives>.

use json_tree::Value;

use crate::validation::internal;
use crate::validation::metadata::immutable;
use crate::validation::read::{at, get, integer, is_empty, is_true, list, same_but, text};
use field::{Error, Path};

/// Fields that a suspended Job may change in the spec of its template, besides the node affinity and the resources.
const SCHEDULING: [&str; 3] = ["nodeSelector", "tolerations", "schedulingGates"];

/// The error of a template that has changed and may not. Of that of a suspended Job only the spec is compared, without what
/// may change.
pub(super) fn update(object: &Value, old: &Value) -> Option<Error> {
    let (new, old_template) = (at(object, "/spec/template"), at(old, "/spec/template"));
    let path = Path::new("spec").child("template");
    if !is_mutable(old) {
        let kept = same_parts(new, old_template);
        return (!kept).then(|| immutable(&path, internal::form(internal::CORE, "PodTemplateSpec", new)));
    }
    let mut was = old_template.clone();
    excuse(new, &mut was);
    let new = at(new, "/spec");
    if same_parts(new, at(&was, "/spec")) {
        return None;
    }
    let spec = internal::form(internal::CORE, "PodSpec", new);
    Some(immutable(&path.child("spec"), spec))
}

/// Returns whether a Job is suspended, and no pods are left from the time before.
fn is_mutable(job: &Value) -> bool {
    let status = at(job, "/status");
    let idle = get(status, "startTime").is_none() || has_condition(job, "Suspended");
    is_true(at(job, "/spec"), "suspend") && idle && integer(status, "active").unwrap_or_default() == 0
}

/// Takes over into the old template what may change.
fn excuse(new: &Value, was: &mut Value) {
    let spec = &mut was["spec"];
    for field in SCHEDULING {
        spec[field] = at(new, "/spec").get(field).cloned().unwrap_or_default();
    }
    let own_affinity = get(spec, "affinity").is_some();
    match get(at(new, "/spec"), "affinity") {
        None if own_affinity => {
            let others = spec["affinity"].as_object_mut().map(|affinity| {
                affinity.shift_remove("nodeAffinity");
                affinity.is_empty()
            });
            if others == Some(true) {
                spec["affinity"] = Value::Null;
            }
        }
        Some(affinity) => {
            let node = get(affinity, "nodeAffinity").cloned().unwrap_or_default();
            if !own_affinity {
                spec["affinity"] = json_tree::json!({});
            }
            spec["affinity"]["nodeAffinity"] = node;
        }
        None => {}
    }
    for field in ["containers", "initContainers"] {
        let new = get(at(new, "/spec"), field).and_then(Value::as_array);
        let (Some(new), Some(was)) = (new, spec[field].as_array_mut()) else { continue };
        for (new, was) in new.iter().zip(was) {
            if text(new, "name") == text(was, "name") {
                was["resources"] = new.get("resources").cloned().unwrap_or_default();
            }
        }
    }
}

/// Returns whether two trees mean the same: null, an empty list and an empty object are the same as a missing value.
fn same_parts(a: &Value, b: &Value) -> bool {
    same_but(Some(a), Some(b), is_empty)
}

/// Returns whether a Job has a condition whose status is `True`.
pub(super) fn has_condition(job: &Value, kind: &str) -> bool {
    has_status(job, kind, "True")
}

pub(super) fn has_status(job: &Value, kind: &str, status: &str) -> bool {
    let conditions = list(at(job, "/status"), "conditions");
    conditions.iter().any(|one| text(one, "type") == kind && text(one, "status") == status)
}
