//! Validation of the resources that are embedded in custom objects.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension>

use field::{Error, Path};
use json_tree::{Value, json};
use structural::Structural;

use super::metadata::{self, Rules};
use super::name::{self, NameRule};

/// An error about something at `from`, which is to be found at `to`.
pub fn moved(mut error: Error, from: &str, to: &Path) -> Error {
    let rest = match error.field.as_str() {
        "<nil>" => "",
        field => field.strip_prefix(from).unwrap_or(field),
    };
    let dot = if rest.is_empty() || rest.starts_with(['.', '[']) { "" } else { "." };
    error.field = [&to.to_string(), dot, rest].concat();
    error
}

/// Validates the resources that are embedded in a value, and the value if it is one.
pub fn embedded(value: &Value, schema: &Structural) -> Vec<Error> {
    let names = |kind: &str| name::dns1035_label(kind);
    let check = |metadata: &Value, at: &Path| {
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        let rules = Rules {
            name: NameRule::PathSegment,
            generate_name: true,
            namespaced: !namespace.is_empty(),
            known_finalizers: false,
        };
        let errors = metadata::validate(&json!({ "metadata": metadata }), &rules);
        errors.into_iter().map(|error| moved(error, "metadata", at)).collect()
    };
    structural::validate_metadata(value, schema, &names, &check)
}
