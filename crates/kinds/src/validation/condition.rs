//! Conditions, as `meta/v1` has them.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/condition/>.

use std::collections::HashSet;

use json_tree::Value;

use super::read::{get, integer, text};
use crate::validation::name;
use field::{AddError, Error, Path};

const REASON_LENGTH: usize = 1024;
const MESSAGE_LENGTH: usize = 32 * 1024;
const REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of \
    alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or \
    'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is \
    '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/// Validates conditions.
pub(crate) fn validate(conditions: &[Value], path: &Path) -> Vec<Error> {
    let (mut errors, mut seen) = (Vec::new(), HashSet::new());
    for (index, condition) in conditions.iter().enumerate() {
        let path = path.index(index);
        let kind = text(condition, "type");
        if !seen.insert(kind) {
            errors.duplicate(path.child("type"), kind);
        }
        errors.extend(one(condition, &path));
    }
    errors
}

fn one(condition: &Value, path: &Path) -> Vec<Error> {
    let (kind, at) = (text(condition, "type"), path.child("type"));
    let complaints = name::qualified_name(kind);
    let mut errors: Vec<Error> = complaints.into_iter().map(|why| Error::invalid(&at, kind, why)).collect();
    let status = text(condition, "status");
    if !matches!(status, "True" | "False" | "Unknown") {
        errors.not_supported(path.child("status"), status, &["False", "True", "Unknown"]);
    }
    if let Some(generation) = integer(condition, "observedGeneration").filter(|generation| *generation < 0) {
        let why = "must be greater than or equal to zero";
        errors.invalid(path.child("observedGeneration"), generation, why);
    }
    if get(condition, "lastTransitionTime").is_none() {
        errors.required(path.child("lastTransitionTime"), "");
    }
    let (reason, at) = (text(condition, "reason"), path.child("reason"));
    if reason.is_empty() {
        errors.required(&at, "");
    } else {
        if !is_reason(reason) {
            errors.invalid(&at, reason, REASON);
        }
        if reason.len() > REASON_LENGTH {
            errors.too_long(&at, REASON_LENGTH);
        }
    }
    if text(condition, "message").len() > MESSAGE_LENGTH {
        errors.too_long(path.child("message"), MESSAGE_LENGTH);
    }
    errors
}

fn is_reason(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_,:".contains(&b))
        && !text.ends_with([',', ':'])
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn conditions() {
        let good = json!({"type": "A", "status": "True", "lastTransitionTime": "t", "reason": "R"});
        let path = Path::new("c");
        check(&validate(std::slice::from_ref(&good), &path), "");
        check(&validate(&[good.clone(), good], &path), "c[1].type: Duplicate value: \"A\"");
        check(
            &validate(&[json!({"type": "A", "status": "Maybe", "observedGeneration": -1})], &path),
            "[c[0].status: Unsupported value: \"Maybe\": supported values: \"False\", \"True\", \"Unknown\", \
             c[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero, \
             c[0].lastTransitionTime: Required value, c[0].reason: Required value]",
        );
    }
}
