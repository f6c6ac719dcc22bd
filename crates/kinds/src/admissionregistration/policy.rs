//! Validation that ValidatingAdmissionPolicies and MutatingAdmissionPolicies have in common, and that their bindings have.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/> and
//! <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

use json_tree::Value;

use crate::admissionregistration::expression::Scope;
use crate::admissionregistration::rules::{
    FAILURE_POLICIES, MATCH_POLICIES, compiled, conditions, named_rule,
};
use crate::validation::checks::{given_choice, named, required_name, texts};
use crate::validation::read::{at, get, list, text};
use crate::validation::{label_selector, name};
use field::{AddError, Error, Path};

const MUTABLE: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];

/// Validates what both kinds of policies have, and returns with the errors the scope of their expressions.
pub(super) fn common(spec: &Value, mutates: bool, path: &Path) -> (Vec<Error>, Scope) {
    let (kind, variables) = (get(spec, "paramKind"), list(spec, "variables"));
    let mut scope = Scope::new(kind.is_some(), !variables.is_empty());
    let mut errors: Vec<Error> =
        given_choice(spec, "failurePolicy", &FAILURE_POLICIES, path).into_iter().collect();
    if let Some(kind) = kind {
        errors.extend(param_kind(kind, &path.child("paramKind")));
    }
    let at = path.child("matchConstraints");
    match get(spec, "matchConstraints") {
        None => errors.required(&at, ""),
        Some(constraints) => {
            errors.extend(match_resources(constraints, &at));
            if list(constraints, "resourceRules").is_empty() {
                errors.required(at.child("resourceRules"), "");
            }
            if mutates {
                errors.extend(only_mutable(constraints, &at));
            }
        }
    }
    errors.extend(conditions(spec, &scope.without_variables(), path));
    for (index, one) in variables.iter().enumerate() {
        errors.extend(variable(one, &mut scope, &path.child("variables").index(index)));
    }
    (errors, scope)
}

/// Validates that rules name only operations that can be mutated: a request to delete sends nothing that could be
/// changed.
pub(super) fn only_mutable(resources: &Value, path: &Path) -> Vec<Error> {
    let path = path.child("resourceRules").child("operations");
    let rules = list(resources, "resourceRules").iter();
    let wrong = rules.flat_map(|rule| texts(rule, "operations")).filter(|one| !MUTABLE.contains(one));
    wrong.map(|operation| Error::not_supported(&path, operation, &MUTABLE)).collect()
}

fn param_kind(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (version, at) = (text(of, "apiVersion"), path.child("apiVersion"));
    let joined = |text: &str, complaints: Vec<String>| {
        (!complaints.is_empty()).then(|| Error::invalid(&at, text, complaints.join(",")))
    };
    match version.split_once('/') {
        _ if version.is_empty() => errors.required(&at, ""),
        Some((_, rest)) if rest.contains('/') => {
            errors.invalid(&at, version, format!("unexpected GroupVersion string: {version}"));
        }
        parts => {
            let (group, short) = parts.unwrap_or(("", version));
            if !group.is_empty() {
                errors.extend(joined(group, name::subdomain(group)));
            }
            if short.is_empty() {
                errors.invalid(&at, version, "version must be specified");
            } else {
                errors.extend(joined(short, name::dns1035_label(short)));
            }
        }
    }
    let (kind, at) = (text(of, "kind"), path.child("kind"));
    if kind.is_empty() {
        errors.required(&at, "");
    } else {
        let complaints = name::dns1035_label(&kind.to_ascii_lowercase());
        if !complaints.is_empty() {
            let why = format!("may have mixed case, but should otherwise match: {}", complaints.join(","));
            errors.invalid(&at, kind, why);
        }
    }
    errors
}

fn match_resources(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::from_iter(given_choice(of, "matchPolicy", &MATCH_POLICIES, path));
    for field in ["namespaceSelector", "objectSelector"] {
        let at = path.child(field);
        match get(of, field) {
            None => errors.required(&at, ""),
            Some(selector) => errors.extend(label_selector::validate(selector, &at)),
        }
    }
    for field in ["resourceRules", "excludeResourceRules"] {
        for (index, one) in list(of, field).iter().enumerate() {
            errors.extend(named_rule(one, &path.child(field).index(index)));
        }
    }
    errors
}

fn variable(of: &Value, scope: &mut Scope, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (this, at) = (text(of, "name"), path.child("name"));
    if this.trim().is_empty() {
        errors.required(&at, "name is not specified");
    } else if !is_identifier(this) {
        errors.invalid(&at, this, "must be a valid CEL identifier");
    }
    let (expression, at) = (text(of, "expression"), path.child("expression"));
    if expression.trim().is_empty() {
        errors.required(&at, "expression is not specified");
    } else {
        errors.extend(compiled(scope.variable(this, expression), expression, &at));
    }
    errors
}

fn is_identifier(text: &str) -> bool {
    let letter = |c: char| c == '_' || c.is_ascii_alphabetic();
    text.starts_with(letter)
        && text.chars().all(|c| letter(c) || c.is_ascii_digit())
        && !cel::RESERVED.contains(&text)
}

/// Validates what both kinds of bindings have.
pub(super) fn binding(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = required_name(spec, "policyName", name::subdomain, &path);
    if let Some(reference) = get(spec, "paramRef") {
        errors.extend(param_ref(reference, &path.child("paramRef")));
    }
    if let Some(resources) = get(spec, "matchResources") {
        errors.extend(match_resources(resources, &path.child("matchResources")));
    }
    errors
}

fn param_ref(of: &Value, path: &Path) -> Vec<Error> {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let (this, selector) = (text(of, "name"), get(of, "selector"));
    let mut errors = Vec::new();
    if !this.is_empty() {
        errors.extend(named(this, name::path_segment, &path.child("name")));
        errors.extend(selector.map(|_| Error::forbidden(path.child("name"), EXCLUSIVE)));
    }
    match selector {
        Some(selector) => {
            errors.extend(label_selector::validate(selector, &path.child("selector")));
            if !this.is_empty() {
                errors.forbidden(path.child("selector"), EXCLUSIVE);
            }
        }
        None if this.is_empty() => {
            errors.required(path, "one of name or selector must be specified");
        }
        None => {}
    }
    errors.extend(given_choice(of, "parameterNotFoundAction", &["Deny", "Allow"], path));
    errors
}

#[cfg(test)]
pub(super) mod tests {
    use json_tree::json;

    use super::*;

    /// Returns a policy whose spec has more.
    pub(crate) fn policy(more: Value) -> Value {
        let mut spec = json!({"failurePolicy": "Fail", "matchConstraints": {"matchPolicy": "Exact",
            "namespaceSelector": {}, "objectSelector": {}, "resourceRules": [{"operations": ["*"],
            "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]},
            "validations": [{"expression": "true"}]});
        if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
            spec.extend(more);
        }
        json!({"metadata": {"name": "p.io"}, "spec": spec})
    }
}
