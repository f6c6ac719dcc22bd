//! Small kinds that describe the cluster: RuntimeClass, PriorityClass and Lease.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/>.

use serde_json::Value;

use super::{
    read::{at, get, integer, same, text},
    values::not_negative,
};
use crate::field::{Error, Path};
use crate::validation::{metadata::immutable, name};

pub(super) fn create_runtime_class(object: &Value) -> Vec<Error> {
    let (handler, path) = (text(object, "handler"), Path::new("handler"));
    if handler.is_empty() {
        return vec![Error::required(&path, "")];
    }
    name::label(handler).into_iter().map(|why| Error::invalid(&path, handler, why)).collect()
}

pub(super) fn update_runtime_class(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, &["handler"])
}

pub(super) fn update_priority_class(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    if integer(object, "value").unwrap_or_default() != integer(old, "value").unwrap_or_default() {
        errors.push(Error::forbidden(&Path::new("value"), "may not be changed in an update."));
    }
    errors.extend(unchanged(object, old, &["preemptionPolicy"]));
    errors
}

pub(super) fn create_lease(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let duration = integer(spec, "leaseDurationSeconds").filter(|seconds| *seconds <= 0);
    let at = path.child("leaseDurationSeconds");
    let mut errors: Vec<Error> =
        duration.into_iter().map(|seconds| Error::invalid(&at, seconds, "must be greater than 0")).collect();
    errors.extend(not_negative(spec, "leaseTransitions", &path));
    errors
}

pub(super) fn update_lease(object: &Value, _old: &Value) -> Vec<Error> {
    create_lease(object)
}

fn unchanged(object: &Value, old: &Value, fields: &[&str]) -> Vec<Error> {
    let changed = fields.iter().filter(|field| !same(get(object, field), get(old, field)));
    changed
        .map(|field| immutable(&Path::new(field), get(object, field).cloned().unwrap_or_default()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn classes() {
        check(&create_runtime_class(&json!({"handler": "a"})), "");
        check(&create_runtime_class(&json!({})), "handler: Required value");
        check(
            &update_runtime_class(&json!({"handler": "i"}), &json!({"handler": "h"})),
            "handler: Invalid value: \"i\": field is immutable",
        );
        check(
            &update_priority_class(&json!({"value": 8, "preemptionPolicy": "Never"}), &json!({"value": 7})),
            "[value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: \"Never\": field is immutable]",
        );
    }

    #[test]
    fn leases() {
        check(
            &create_lease(&json!({"spec": {"leaseDurationSeconds": 0, "leaseTransitions": -1}})),
            "[spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, \
             spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]",
        );
    }
}
