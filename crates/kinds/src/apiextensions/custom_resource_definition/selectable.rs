//! The fields by which custom resources can be selected.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#crd-selectable-fields>.

use json_tree::Value;

use super::field_path;
use super::form::Shared;
use super::walk::unsupported;
use crate::validation::read::text;
use field::{AddError, Error, Path};

const MOST: usize = 8;
const TYPES: [&str; 3] = ["string", "boolean", "integer"];

/// Validates selectable fields, whose paths lead into the schema beside them. `without`: why they cannot be there
/// without a schema.
pub(super) fn validate(shared: &Shared<'_>, without: &str, parent: &Path) -> Vec<Error> {
    let path = parent.child("selectableFields");
    if shared.schema.is_none() {
        return vec![Error::invalid(&path, "", without)];
    }
    let schema = shared.open_api().unwrap_or(&Value::Null);
    if let Some(why) = unsupported(schema) {
        return vec![Error::invalid(parent.child("schema.openAPIV3Schema"), "", why)];
    }
    let mut errors = Vec::new();
    let mut seen: Vec<Path> = Vec::new();
    for (index, selectable) in shared.selectable.iter().enumerate() {
        let (json_path, at) = (text(selectable, "jsonPath"), path.index(index).child("jsonPath"));
        if json_path.is_empty() {
            errors.required(&at, "");
            continue;
        }
        let found = match field_path::find(json_path, schema, false) {
            Ok(found) => found,
            Err(why) => {
                errors.invalid(&at, json_path, format!("is an invalid path: {why}"));
                continue;
            }
        };
        if found.root == "metadata" {
            errors.invalid(&at, json_path, "must not point to fields in metadata");
        }
        if !found.schema.is_some_and(|schema| TYPES.contains(&text(schema, "type"))) {
            let why = "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                       formats are allowed.";
            errors.invalid(&at, json_path, why);
        }
        if seen.contains(&found.path) {
            errors.duplicate(&at, json_path);
        } else {
            seen.push(found.path);
        }
    }
    if seen.len() > MOST {
        errors.too_many(&path, seen.len(), MOST);
    }
    errors
}
