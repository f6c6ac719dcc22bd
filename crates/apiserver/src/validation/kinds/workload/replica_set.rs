//! ReplicaSet.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/>.

use json_tree::Value;

use super::{not_negatives, selector_and_template, selector_unchanged};
use crate::validation::kinds::read::at;
use field::{Error, Path};

/// Validates a ReplicaSet.
pub(in super::super) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = not_negatives(spec, &["replicas", "minReadySeconds"], &path);
    errors.extend(selector_and_template(spec, &path));
    errors
}

/// Validates an updated ReplicaSet, which has been checked as a new one already.
pub(in super::super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
    errors.extend(selector_unchanged(object, old));
    errors
}
