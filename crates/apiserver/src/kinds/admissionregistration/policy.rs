//! ValidatingAdmissionPolicy, MutatingAdmissionPolicy and their bindings.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/> and
//! <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

use std::collections::HashSet;

use json_tree::Value;

use crate::kinds::admissionregistration::expression::{Gives, Scope};
use crate::kinds::admissionregistration::rules::{
    FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES, choice, compiled, conditions, named_rule,
};
use crate::validation::checks::{named, repeated, required_choice, required_name, texts};
use crate::validation::read::{at, get, list, text};
use crate::validation::{label_selector, name};
use field::{AddError, Error, Path};

const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];
const MUTABLE: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];
const PATCH_TYPES: [&str; 2] = ["ApplyConfiguration", "JSONPatch"];
const MAX_ANNOTATIONS: usize = 20;
const MAX_EXPRESSION: usize = 5 * 1024;

/// Validates a ValidatingAdmissionPolicy.
pub(crate) fn create_validating(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (mut errors, scope) = common(spec, false, &path);
    let (validations, annotations) = (list(spec, "validations"), list(spec, "auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        errors.required(path.child("validations"), why);
        errors.required(path.child("auditAnnotations"), why);
        return errors;
    }
    for (index, one) in validations.iter().enumerate() {
        errors.extend(validation(one, &scope, &path.child("validations").index(index)));
    }
    let path = path.child("auditAnnotations");
    if annotations.len() > MAX_ANNOTATIONS {
        let why = format!("must not have more than {MAX_ANNOTATIONS} auditAnnotations");
        let value: Vec<Value> = annotations.iter().map(go_annotation).collect();
        errors.invalid(&path, value, why);
    }
    let policy = text(at(object, "/metadata"), "name");
    let mut keys: HashSet<&str> = HashSet::new();
    for (index, one) in annotations.iter().enumerate() {
        let path = path.index(index);
        errors.extend(annotation(one, policy, &scope, &path));
        let key = text(one, "key");
        if keys.contains(&key) {
            errors.duplicate(path.child("key"), key);
        }
        keys.insert(key);
    }
    errors
}

/// Validates a MutatingAdmissionPolicy.
pub(crate) fn create_mutating(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (mut errors, scope) = common(spec, true, &path);
    let mutations = list(spec, "mutations");
    if mutations.is_empty() {
        let why = "mutations must contain at least one item";
        errors.required(path.child("mutations"), why);
    }
    for (index, one) in mutations.iter().enumerate() {
        errors.extend(mutation(one, &scope, &path.child("mutations").index(index)));
    }
    errors.extend(required_choice(spec, "reinvocationPolicy", &REINVOCATION_POLICIES, &path));
    errors
}

/// Validates what both kinds of policies have, and returns with the errors the scope of their expressions.
fn common(spec: &Value, mutates: bool, path: &Path) -> (Vec<Error>, Scope) {
    let (kind, variables) = (get(spec, "paramKind"), list(spec, "variables"));
    let mut scope = Scope::new(kind.is_some(), !variables.is_empty());
    let mut errors: Vec<Error> =
        required_choice(spec, "failurePolicy", &FAILURE_POLICIES, path).into_iter().collect();
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
fn only_mutable(resources: &Value, path: &Path) -> Vec<Error> {
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
    let mut errors: Vec<Error> = match get(of, "matchPolicy") {
        None => vec![Error::required(path.child("matchPolicy"), "")],
        Some(_) => choice(of, "matchPolicy", &MATCH_POLICIES, path).into_iter().collect(),
    };
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

fn validation(of: &Value, scope: &Scope, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let (expression, at) = (text(of, "expression"), path.child("expression"));
    if expression.trim().is_empty() {
        errors.required(&at, "expression is not specified");
    } else {
        errors.extend(compiled(scope.compile(expression, Gives::Bool), expression, &at));
    }
    let (expression, at) = (text(of, "messageExpression"), path.child("messageExpression"));
    if !expression.is_empty() && expression.trim().is_empty() {
        errors.invalid(&at, expression, "must be non-empty if specified");
    } else if !expression.is_empty() {
        errors.extend(compiled(scope.compile(expression, Gives::Message), expression, &at));
    }
    let (message, at) = (text(of, "message"), path.child("message"));
    if !message.is_empty() && message.trim().is_empty() {
        errors.invalid(&at, message, "must be non-empty if specified");
    } else if message.trim().contains(['\n', '\r']) {
        errors.invalid(&at, message, "must not contain line breaks");
    }
    errors.extend(choice(of, "reason", &REASONS, path));
    errors
}

fn annotation(of: &Value, policy: &str, scope: &Scope, path: &Path) -> Vec<Error> {
    let (key, at) = (text(of, "key"), path.child("key"));
    let mut errors = named(&format!("{policy}/{key}"), name::qualified_name, &at);
    let at = path.child("valueExpression");
    let expression = text(of, "valueExpression");
    if expression.trim().is_empty() {
        errors.required(&at, "valueExpression is not specified");
    } else if expression.trim().len() > MAX_EXPRESSION {
        errors.required(&at, format!("must not exceed {MAX_EXPRESSION} bytes in length"));
    } else {
        let result = scope.compile(expression.trim(), Gives::Annotation);
        errors.extend(compiled(result, expression, &at));
    }
    errors
}

fn go_annotation(of: &Value) -> Value {
    json_tree::json!({"Key": text(of, "key"), "ValueExpression": text(of, "valueExpression")})
}

fn mutation(of: &Value, scope: &Scope, path: &Path) -> Vec<Error> {
    let ty = text(of, "patchType");
    let (own, other, gives) = match ty {
        "ApplyConfiguration" => ("applyConfiguration", "jsonPatch", Gives::Configuration),
        "JSONPatch" => ("jsonPatch", "applyConfiguration", Gives::Patch),
        "" => return vec![Error::required(path.child("patchType"), "")],
        _ => return vec![Error::not_supported(path.child("patchType"), ty, &PATCH_TYPES)],
    };
    let mut errors = Vec::new();
    match get(of, own) {
        None => {
            let why = format!("must be specified when patchType is {ty}");
            errors.required(path.child(own), why);
        }
        Some(patch) => {
            let (expression, at) = (text(patch, "expression").trim(), path.child(own).child("expression"));
            if expression.is_empty() {
                errors.required(&at, "");
            } else {
                errors.extend(compiled(scope.compile(expression, gives), expression, &at));
            }
        }
    }
    if get(of, other).is_some() {
        let why = format!("must not be specified when patchType is {ty}");
        errors.invalid(path.child(other), ["{", other, "}"].concat(), why);
    }
    errors
}

/// Validates a ValidatingAdmissionPolicyBinding.
pub(crate) fn create_validating_binding(object: &Value) -> Vec<Error> {
    let mut errors = binding(object);
    let spec = at(object, "/spec");
    let path = Path::new("spec").child("validationActions");
    let actions = texts(spec, "validationActions");
    for (index, (action, repeated)) in actions.iter().zip(repeated(&actions)).enumerate() {
        let at = path.index(index);
        if !ACTIONS.contains(action) {
            errors.not_supported(&at, *action, &ACTIONS);
        }
        if repeated {
            errors.duplicate(&at, *action);
        }
    }
    if actions.contains(&"Deny") && actions.contains(&"Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the \
            API response and headers serves no purpose)";
        errors.invalid(&path, actions.clone(), why);
    }
    if actions.is_empty() {
        errors.required(&path, "at least one validation action is required");
    }
    errors
}

/// Validates a MutatingAdmissionPolicyBinding.
pub(crate) fn create_mutating_binding(object: &Value) -> Vec<Error> {
    let mut errors = binding(object);
    if let Some(resources) = get(at(object, "/spec"), "matchResources") {
        errors.extend(only_mutable(resources, &Path::new("spec").child("matchResources")));
    }
    errors
}

/// Validates what both kinds of bindings have.
fn binding(object: &Value) -> Vec<Error> {
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
    errors.extend(required_choice(of, "parameterNotFoundAction", &["Deny", "Allow"], path));
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    fn policy(more: Value) -> Value {
        let mut spec = json!({"failurePolicy": "Fail", "matchConstraints": {"matchPolicy": "Exact",
            "namespaceSelector": {}, "objectSelector": {}, "resourceRules": [{"operations": ["*"],
            "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]},
            "validations": [{"expression": "true"}]});
        if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
            spec.extend(more);
        }
        json!({"metadata": {"name": "p.io"}, "spec": spec})
    }

    #[test]
    fn validating_policies() {
        let is = |more: Value, expected: &str| check(&create_validating(&policy(more)), expected);
        is(json!({}), "");
        is(
            json!({"matchConstraints": null, "validations": []}),
            "[spec.matchConstraints: Required value, \
             spec.validations: Required value: validations or auditAnnotations must contain at least one item, \
             spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]",
        );
        is(
            json!({"failurePolicy": "Maybe", "paramKind": {"apiVersion": "a/b/c", "kind": "A_"}}),
            "[spec.failurePolicy: Unsupported value: \"Maybe\": supported values: \"Fail\", \"Ignore\", \
             spec.paramKind.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c, \
             spec.paramKind.kind: Invalid value: \"A_\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')]",
        );
        is(
            json!({"variables": [{"name": "if", "expression": "1"}, {}],
                "validations": [{"expression": " ", "message": "a\nb", "reason": "Because"}]}),
            "[spec.variables[0].name: Invalid value: \"if\": must be a valid CEL identifier, \
             spec.variables[1].name: Required value: name is not specified, \
             spec.variables[1].expression: Required value: expression is not specified, \
             spec.validations[0].expression: Required value: expression is not specified, \
             spec.validations[0].message: Invalid value: \"a\\nb\": must not contain line breaks, \
             spec.validations[0].reason: Unsupported value: \"Because\": supported values: \"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\"]",
        );
        is(
            json!({"auditAnnotations": [{"key": "k", "valueExpression": "'x'"}, {"key": "k"}]}),
            "[spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified, \
             spec.auditAnnotations[1].key: Duplicate value: \"k\"]",
        );
    }

    #[test]
    fn expressions() {
        let is = |more: Value, expected: &str| check(&create_validating(&policy(more)), expected);
        let undeclared = |name: &str, text: &str| {
            format!(
                "compilation failed: ERROR: <input>:1:1: undeclared reference to '{name}' (in container '')\n | {text}\n | ^"
            )
        };
        is(
            json!({"validations": [{"expression": "1"}, {"expression": "params.a"}],
                "matchConditions": [{"name": "a", "expression": " variables.b "}],
                "variables": [{"name": "b", "expression": "c"}, {"name": "d", "expression": "variables.b"}]}),
            &format!(
                "[spec.matchConditions[0].expression: Invalid value: \"variables.b\": {}, \
                 spec.variables[0].expression: Invalid value: \"c\": {}, \
                 spec.validations[0].expression: Invalid value: \"1\": must evaluate to bool but got int, \
                 spec.validations[1].expression: Invalid value: \"params.a\": {}]",
                undeclared("variables", "variables.b"),
                undeclared("c", "c"),
                undeclared("params", "params.a"),
            ),
        );
        is(
            json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
                "validations": [{"expression": "params.a == 1", "messageExpression": "params.b"}],
                "auditAnnotations": [{"key": "k", "valueExpression": " 1 "}]}),
            "[spec.validations[0].messageExpression: Invalid value: \"params.b\": must evaluate to string but got dyn, \
             spec.auditAnnotations[0].valueExpression: Invalid value: \" 1 \": must evaluate to one of [string null_type] but got int]",
        );
    }

    #[test]
    fn mutating_policies() {
        let is = |more: Value, expected: &str| check(&create_mutating(&policy(more)), expected);
        let constraints = json!({"matchPolicy": "Exact", "namespaceSelector": {}, "objectSelector": {}, "resourceRules": [
            {"operations": ["CREATE", "DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]});
        let configuration =
            json!({"expression": "Object{metadata: Object.metadata{labels: {'a': variables.b}}}"});
        let patch = json!({"expression": " [] "});
        is(
            json!({"mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": configuration}],
                "variables": [{"name": "b", "expression": "'c'"}], "reinvocationPolicy": "Never"}),
            "",
        );
        is(
            json!({"matchConstraints": constraints, "reinvocationPolicy": "Never", "mutations": [
                {"patchType": "JSONPatch", "jsonPatch": patch, "applyConfiguration": configuration},
                {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": " "}},
            ]}),
            "[spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\", \
             spec.mutations[0].jsonPatch.expression: Invalid value: \"[]\": must evaluate to list(JSONPatch) but got list(dyn), \
             spec.mutations[0].applyConfiguration: Invalid value: \"{applyConfiguration}\": must not be specified when patchType is JSONPatch, \
             spec.mutations[1].applyConfiguration.expression: Required value]",
        );
        is(
            json!({"mutations": [{"patchType": "Other"}, {"patchType": "JSONPatch"}]}),
            "[spec.mutations[0].patchType: Unsupported value: \"Other\": supported values: \"ApplyConfiguration\", \"JSONPatch\", \
             spec.mutations[1].jsonPatch: Required value: must be specified when patchType is JSONPatch, \
             spec.reinvocationPolicy: Required value]",
        );
    }

    #[test]
    fn bindings() {
        let is = |spec: Value, expected: &str| {
            check(&create_validating_binding(&json!({ "spec": spec })), expected)
        };
        is(json!({"policyName": "p", "validationActions": ["Deny", "Audit"]}), "");
        is(
            json!({}),
            "[spec.policyName: Required value, spec.validationActions: Required value: at least one validation action is required]",
        );
        is(
            json!({"policyName": "p", "validationActions": ["Deny", "Warn", "Deny"], "paramRef": {"name": "n", "selector": {}}}),
            "[spec.paramRef.name: Forbidden: name and selector are mutually exclusive, \
             spec.paramRef.selector: Forbidden: name and selector are mutually exclusive, \
             spec.paramRef.parameterNotFoundAction: Required value, \
             spec.validationActions[2]: Duplicate value: \"Deny\", \
             spec.validationActions: Invalid value: [\"Deny\",\"Warn\",\"Deny\"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)]",
        );
    }
}
