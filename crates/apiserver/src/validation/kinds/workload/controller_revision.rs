//! ControllerRevision.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/>.

use json_tree::Value;

use super::{not_negatives, unchanged};
use crate::validation::kinds::read::get;
use field::{Error, Path};

/// Validates a ControllerRevision, new or changed.
pub(in super::super) fn create(object: &Value) -> Vec<Error> {
    not_negatives(object, &["revision"], &Path::default())
}

/// Validates the data of a new ControllerRevision.
pub(in super::super) fn only_new(object: &Value) -> Vec<Error> {
    let why = match get(object, "data") {
        Some(Value::Object(_)) => return Vec::new(),
        Some(_) => "data must be a valid JSON object",
        None => "data is mandatory",
    };
    vec![Error::required(Path::new("data"), why)]
}

/// Validates an update of a ControllerRevision. Its data is immutable.
pub(in super::super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, "data", &Path::default()).into_iter().collect()
}
