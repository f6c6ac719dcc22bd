//! The names of a resource and its objects.

use json_tree::Value;

use super::dns_label;
use crate::validation::checks::texts;
use crate::validation::read::text;
use crate::validation::{checks, name};
use field::{AddError, Error, Path};

/// The names that a spec must have.
pub(super) fn required(names: &Value, path: &Path) -> Vec<Error> {
    checks::required(names, &["plural", "singular", "kind", "listKind"], path)
}

/// Validates the names of a definition, in its spec or its status.
pub(super) fn validate(names: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for field in ["plural", "singular"] {
        let name = text(names, field);
        if !name.is_empty() {
            errors.extend(dns_label(name, &path.child(field)));
        }
    }
    for field in ["kind", "listKind"] {
        let kind = text(names, field);
        let complaints = name::dns1035_label(&kind.to_ascii_lowercase());
        if !kind.is_empty() && !complaints.is_empty() {
            let why = format!("may have mixed case, but should otherwise match: {}", complaints.join(","));
            errors.invalid(path.child(field), kind, why);
        }
    }
    errors.extend(labels(names, "shortNames", path));
    let (kind, list) = (text(names, "kind"), text(names, "listKind"));
    if !kind.is_empty() && kind == list {
        errors.invalid(path.child("listKind"), list, "kind and listKind may not be the same");
    }
    errors.extend(labels(names, "categories", path));
    errors
}

fn labels(names: &Value, field: &str, path: &Path) -> Vec<Error> {
    let all = texts(names, field).into_iter().enumerate();
    all.flat_map(|(index, name)| dns_label(name, &path.named(field).index(index))).collect()
}
