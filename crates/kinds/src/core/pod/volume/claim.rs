//! The template of the claim that an ephemeral volume makes.
//!
//! See <https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes>.

use json_tree::Value;

use super::super::check::{Errors, child};
use crate::core::persistent_volume_claim;
use crate::validation::metadata;
use crate::validation::read::at;
use field::Path;

/// Validates the template.
pub(super) fn template(template: &Value, path: &Path, errors: &mut Errors) {
    if let Some((meta, path)) = child(template, "metadata", path) {
        errors.extend(metadata::of_template(meta, &path));
    }
    errors.extend(persistent_volume_claim::spec(at(template, "/spec"), &path.child("spec")));
}
