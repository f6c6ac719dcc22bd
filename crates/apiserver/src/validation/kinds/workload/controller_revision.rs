//! ControllerRevision.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/>.

use json_tree::Value;

use super::{not_negatives, unchanged};
use crate::validation::kinds::read::get;
use crate::validation::metadata::{self, Rules};
use crate::validation::name::NameRule;
use field::{Error, Path};

const RULES: Rules =
    Rules { name: NameRule::Subdomain, generate_name: true, namespaced: true, known_finalizers: true };

/// What is wrong with a ControllerRevision.
pub(in super::super) fn create(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    if get(object, "data").is_none() {
        errors.push(Error::required(&Path::new("data"), "data is mandatory"));
    }
    errors.extend(not_negatives(object, &["revision"], &Path::default()));
    errors
}

/// What is wrong with a changed ControllerRevision. Its data stays as it is.
pub(in super::super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = metadata::validate(object, &RULES);
    errors.extend(create(object));
    errors.extend(unchanged(object, old, "data", &Path::default()));
    errors
}
