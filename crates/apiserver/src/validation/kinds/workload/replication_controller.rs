//! ReplicationController.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/>.

use json_tree::{Map, Value};

use super::{mismatch, not_negatives, runs_always};
use crate::validation::kinds::pod;
use crate::validation::kinds::read::{at, get, map};
use field::{AddError, Error, Path};

/// Validates a ReplicationController.
pub(in super::super) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = not_negatives(spec, &["minReadySeconds"], &path);
    let selector = map(spec, "selector").filter(|selector| !selector.is_empty());
    if selector.is_none() {
        errors.required(path.child("selector"), "");
    }
    errors.extend(not_negatives(spec, &["replicas"], &path));
    let Some(template) = get(spec, "template") else {
        errors.required(path.child("template"), "");
        return errors;
    };
    if let Some(selector) = selector {
        let labels = at(template, "/metadata/labels");
        if !selects(selector, labels) {
            errors.push(mismatch(labels, &path));
        }
    }
    errors.extend(pod::template(template, &path.child("template")));
    errors.extend(runs_always(spec, &path, "ReplicationController"));
    errors
}

/// Validates an updated ReplicationController, which has been checked as a new one already.
pub(in super::super) fn update(object: &Value, _old: &Value) -> Vec<Error> {
    create(object)
}

fn selects(selector: &Map<String, Value>, labels: &Value) -> bool {
    selector.iter().all(|(key, value)| labels.get(key) == Some(value))
}
