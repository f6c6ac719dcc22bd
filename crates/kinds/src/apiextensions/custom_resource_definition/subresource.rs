//! The subresources of a custom resource.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#subresources>.

use json_tree::Value;

use super::column::simple;
use crate::validation::read::{get, text};
use field::{AddError, Error, Path};

/// The paths of `scale`: the field, whether it is required, how the path may begin, and the error message.
const SCALE: [(&str, bool, &[&str], &str); 3] = [
    ("specReplicasPath", true, &[".spec."], "should be a json path under .spec"),
    ("statusReplicasPath", true, &[".status."], "should be a json path under .status"),
    (
        "labelSelectorPath",
        false,
        &[".spec.", ".status."],
        "should be a json path under either .spec or .status",
    ),
];

/// Validates the subresources of a definition.
pub(super) fn validate(subresources: Option<&Value>, path: &Path) -> Vec<Error> {
    let Some(scale) = subresources.and_then(|subresources| get(subresources, "scale")) else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    for (field, required, starts, why) in SCALE {
        let (json_path, at) = (text(scale, field), path.child("scale").child(field));
        if json_path.is_empty() {
            errors.extend(required.then(|| Error::required(&at, "")));
        } else if let Some(error) = simple(json_path, &at) {
            errors.push(error);
        } else if !starts.iter().any(|start| json_path.starts_with(start)) {
            errors.invalid(&at, json_path, why);
        }
    }
    errors
}
