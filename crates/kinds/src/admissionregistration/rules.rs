//! Validation that webhook configurations and admission policies have in common: rules for requests, conditions.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules>.

use std::collections::HashSet;

use json_tree::Value;

use crate::admissionregistration::expression::{Gives, Scope, Wrong};
use crate::validation::checks::{named, repeated, texts};
use crate::validation::name;
use crate::validation::read::{list, text};
use crate::validation::values::one_of;
use cel::Program;
use field::{AddError, Error, Path};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: [&str; 3] = ["*", "Cluster", "Namespaced"];
const MAX_CONDITIONS: usize = 64;

pub(super) const FAILURE_POLICIES: [&str; 2] = ["Fail", "Ignore"];
pub(super) const MATCH_POLICIES: [&str; 2] = ["Equivalent", "Exact"];
pub(super) const REINVOCATION_POLICIES: [&str; 2] = ["IfNeeded", "Never"];

/// Validates a rule that says which requests are meant.
pub(crate) fn rule(rule: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let operations = texts(rule, "operations");
    let at = path.child("operations");
    if operations.is_empty() {
        errors.required(&at, "");
    }
    errors.extend(not_alone(&operations, "operations", &at));
    for (index, operation) in operations.into_iter().enumerate() {
        if !OPERATIONS.contains(&operation) {
            errors.not_supported(at.index(index), operation, &OPERATIONS);
        }
    }
    for (field, what) in [("apiGroups", "API groups"), ("apiVersions", "API versions")] {
        let (at, items) = (path.child(field), texts(rule, field));
        if items.is_empty() {
            errors.required(&at, "");
        }
        errors.extend(not_alone(&items, what, &at));
        if field == "apiVersions" {
            let empty = items.iter().enumerate().filter(|(_, version)| version.is_empty());
            errors.extend(empty.map(|(index, _)| Error::required(at.index(index), "")));
        }
    }
    errors.extend(resources(&texts(rule, "resources"), &path.child("resources")));
    errors.extend(one_of(rule, "scope", &SCOPES, path));
    errors
}

/// Validates a rule that may name objects, too.
pub(super) fn named_rule(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let names = texts(of, "resourceNames");
    for (index, (this, repeated)) in names.iter().zip(repeated(&names)).enumerate() {
        let at = path.child("resourceNames").index(index);
        errors.extend(named(this, name::path_segment, &at));
        if repeated {
            errors.duplicate(&at, *this);
        }
    }
    errors.extend(rule(of, path));
    errors
}

fn not_alone(items: &[&str], what: &str, path: &Path) -> Option<Error> {
    let error = || {
        let why = format!("if '*' is present, must not specify other {what}");
        Error::invalid(path, items.to_vec(), why)
    };
    (items.len() > 1 && items.contains(&"*")).then(error)
}

fn resources(resources: &[&str], path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if resources.is_empty() {
        errors.required(path, "");
    }
    let (mut all_parts_of, mut part_of_all): (HashSet<&str>, HashSet<&str>) =
        (HashSet::new(), HashSet::new());
    // Whether the last resource without a part is a particular one: that is all that is looked at.
    let mut particular = false;
    for (index, one) in resources.iter().copied().enumerate() {
        let at = path.index(index);
        if one.is_empty() {
            errors.required(&at, "");
            continue;
        }
        let Some((resource, part)) = one.split_once('/') else {
            particular = one != "*";
            continue;
        };
        if all_parts_of.contains(&resource) {
            let why = format!("if '{resource}/*' is present, must not specify {one}");
            errors.invalid(&at, one, why);
        }
        if part_of_all.contains(&part) {
            let why = format!("if '*/{part}' is present, must not specify {one}");
            errors.invalid(&at, one, why);
        }
        if part == "*" {
            all_parts_of.insert(resource);
        }
        if resource == "*" {
            part_of_all.insert(part);
        }
    }
    if resources.len() > 1 && resources.contains(&"*/*") {
        let why = "if '*/*' is present, must not specify other resources";
        errors.invalid(path, resources.to_vec(), why);
    }
    if particular && resources.contains(&"*") {
        let why = "if '*' is present, must not specify other resources without subresources";
        errors.invalid(path, resources.to_vec(), why);
    }
    errors
}

/// The error of an expression that is no program.
pub(crate) fn compiled(result: Result<Program, Wrong>, expression: &str, path: &Path) -> Option<Error> {
    match result {
        Ok(_) => None,
        Err(Wrong::Invalid(why)) => Some(Error::invalid(path, expression, why)),
        Err(Wrong::Internal(why)) => Some(Error::internal(path, why)),
    }
}

/// Validates match conditions, which may refer to what is in `scope`.
pub(crate) fn conditions(of: &Value, scope: &Scope, path: &Path) -> Vec<Error> {
    let path = path.child("matchConditions");
    let conditions = list(of, "matchConditions");
    let mut errors = Vec::new();
    if conditions.len() > MAX_CONDITIONS {
        errors.too_many(&path, conditions.len(), MAX_CONDITIONS);
    }
    let mut names: HashSet<&str> = HashSet::new();
    for (index, condition) in conditions.iter().enumerate() {
        let (path, this) = (path.index(index), text(condition, "name"));
        let (expression, at) = (text(condition, "expression").trim(), path.child("expression"));
        if expression.is_empty() {
            errors.required(&at, "");
        } else {
            errors.extend(compiled(scope.compile(expression, Gives::Bool), expression, &at));
        }
        let at = path.child("name");
        if this.is_empty() {
            errors.required(&at, "");
            continue;
        }
        errors.extend(named(this, name::qualified_name, &at));
        if names.contains(&this) {
            errors.duplicate(&at, this);
        }
        names.insert(this);
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(resources: impl Into<Value>, expected: &str) {
        let of = json!({"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": resources.into()});
        check_errors(&rule(&of, &Path::new("r")), expected);
    }

    #[test]
    fn resources_of_rules() {
        check(json!(["pods", "pods/status"]), "");
        check(json!(["pods", "*"]), "");
        check(json!([]), "r.resources: Required value");
        check(
            json!(["*", "pods"]),
            "r.resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other resources without subresources",
        );
        check(
            json!(["pods/*", "pods/status", "*/*"]),
            "[r.resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status, \
             r.resources: Invalid value: [\"pods/*\",\"pods/status\",\"*/*\"]: if '*/*' is present, must not specify other resources]",
        );
    }

    #[test]
    fn conditions_have_names() {
        check_errors(
            &conditions(
                &json!({"matchConditions": [{"name": "a", "expression": "true"}, {"name": "a", "expression": " "}, {}]}),
                &Scope::default(),
                &Path::default(),
            ),
            "[matchConditions[1].expression: Required value, matchConditions[1].name: Duplicate value: \"a\", \
             matchConditions[2].expression: Required value, matchConditions[2].name: Required value]",
        );
    }
}
