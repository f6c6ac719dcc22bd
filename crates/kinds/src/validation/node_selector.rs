//! Selectors of nodes.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity>.

use json_tree::Value;

use super::checks::named;
use super::read::{list, text};
use crate::validation::name;
use field::{AddError, Error, Path};

const NO_OPERATOR: &str = "not a valid selector operator";

/// Validates a node selector.
pub(crate) fn validate(selector: &Value, path: &Path) -> Vec<Error> {
    let (terms, path) = (list(selector, "nodeSelectorTerms"), path.child("nodeSelectorTerms"));
    if terms.is_empty() {
        return vec![Error::required(&path, "must have at least one node selector term")];
    }
    terms.iter().enumerate().flat_map(|(index, one)| term(one, true, &path.index(index))).collect()
}

/// Validates one term. `checks_values` is false for the term of a preference, whose values are not checked.
pub(crate) fn term(term: &Value, checks_values: bool, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (index, one) in list(term, "matchExpressions").iter().enumerate() {
        errors.extend(expression(one, checks_values, &path.child("matchExpressions").index(index)));
    }
    for (index, one) in list(term, "matchFields").iter().enumerate() {
        errors.extend(field(one, &path.child("matchFields").index(index)));
    }
    errors
}

fn expression(of: &Value, checks_values: bool, path: &Path) -> Vec<Error> {
    let (values, at) = (list(of, "values"), path.child("values"));
    let mut errors = Vec::new();
    match text(of, "operator") {
        "In" | "NotIn" if values.is_empty() => {
            errors.required(&at, "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.forbidden(&at, why);
        }
        "Gt" | "Lt" if values.len() != 1 => {
            let why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.required(&at, why);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => errors.invalid(path.child("operator"), other, NO_OPERATOR),
    }
    errors.extend(named(text(of, "key"), name::qualified_name, &path.child("key")));
    for (index, value) in values.iter().enumerate().filter(|_| checks_values) {
        errors.extend(named(value.as_str().unwrap_or_default(), name::label_value, &at.index(index)));
    }
    errors
}

fn field(of: &Value, path: &Path) -> Vec<Error> {
    let (values, at, key) = (list(of, "values"), path.child("values"), text(of, "key"));
    let mut errors = Vec::new();
    match text(of, "operator") {
        "In" | "NotIn" if values.len() != 1 => {
            let why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.required(&at, why);
        }
        "In" | "NotIn" => {}
        other => errors.invalid(path.child("operator"), other, NO_OPERATOR),
    }
    if key != "metadata.name" {
        errors.invalid(path.child("key"), key, "not a valid field selector key");
        return errors;
    }
    for (index, value) in values.iter().enumerate() {
        errors.extend(named(value.as_str().unwrap_or_default(), name::subdomain, &at.index(index)));
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(term: impl Into<Value>, expected: &str) {
        check_errors(&validate(&json!({"nodeSelectorTerms": [term.into()]}), &Path::new("s")), expected);
    }

    #[test]
    fn terms() {
        check(json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}), "");
        check(
            json!({"matchExpressions": [{"key": "a", "operator": "Gt"}], "matchFields": [{"key": "a", "operator": "Exists"}]}),
            "[s.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt', \
             s.nodeSelectorTerms[0].matchFields[0].operator: Invalid value: \"Exists\": not a valid selector operator, \
             s.nodeSelectorTerms[0].matchFields[0].key: Invalid value: \"a\": not a valid field selector key]",
        );
        check_errors(
            &validate(&json!({}), &Path::new("s")),
            "s.nodeSelectorTerms: Required value: must have at least one node selector term",
        );
    }
}
