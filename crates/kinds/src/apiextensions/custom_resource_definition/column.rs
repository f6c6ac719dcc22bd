//! The columns that a Table shows of custom resources.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns>.

use json_tree::Value;

use crate::validation::read::text;
use field::{AddError, Error, Path};

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// Validates printer columns.
pub(super) fn validate(columns: &[Value], path: &Path) -> Vec<Error> {
    columns.iter().enumerate().flat_map(|(index, column)| one(column, &path.index(index))).collect()
}

fn one(column: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if text(column, "name").is_empty() {
        errors.required(path.child("name"), "");
    }
    let (ty, types) = (text(column, "type"), format!("must be one of {}", TYPES.join(",")));
    if ty.is_empty() {
        errors.required(path.child("type"), types);
    } else if !TYPES.contains(&ty) {
        errors.invalid(path.child("type"), ty, types);
    }
    let format = text(column, "format");
    if !format.is_empty() && !FORMATS.contains(&format) {
        let why = format!("must be one of {}", FORMATS.join(","));
        errors.invalid(path.child("format"), format, why);
    }
    let (json_path, at) = (text(column, "jsonPath"), path.child("JSONPath"));
    if json_path.is_empty() {
        errors.required(&at, "");
    } else {
        errors.extend(simple(json_path, &at));
    }
    errors
}

/// The error of a path that does not begin at the object.
pub(super) fn simple(json_path: &str, path: &Path) -> Option<Error> {
    let wrong = !json_path.starts_with('.');
    wrong.then(|| Error::invalid(path, json_path, "must be a simple json path starting with ."))
}
