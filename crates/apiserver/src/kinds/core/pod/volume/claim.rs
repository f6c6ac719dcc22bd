//! The template of the claim that an ephemeral volume makes.
//!
//! See <https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes>.

use json_tree::Value;

use super::super::check::{Errors, child};
use crate::kinds::core::persistent_volume_claim;
use crate::validation::metadata;
use crate::validation::read::{at, map};
use field::{Error, Path};

/// Labels and annotations are all the metadata that such a claim has.
pub(super) fn template(template: &Value, path: &Path, errors: &mut Errors) {
    if let Some((meta, path)) = child(template, "metadata", path) {
        if let Some(annotations) = map(meta, "annotations") {
            errors.extend(metadata::annotations(annotations, &path.child("annotations")));
        }
        if let Some(labels) = map(meta, "labels") {
            errors.extend(metadata::labels(labels, &path.child("labels")));
        }
        let others = meta
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, value)| !matches!(key.as_str(), "annotations" | "labels") && !value.is_null());
        errors.extend(others.map(|(key, _)| Error::forbidden(path.named(key), "cannot be set")));
    }
    errors.extend(persistent_volume_claim::spec(at(template, "/spec"), &path.child("spec")));
}
