//! The kind ValidatingAdmissionPolicy.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>.

mod printer;

use std::collections::HashSet;

use json_tree::Value;

use crate::admissionregistration::expression::{Gives, Scope};
use crate::admissionregistration::policy::common;
use crate::admissionregistration::rules::compiled;
use crate::kind::{ADMISSION, Checks, Kind, Pass, Paths, Printer, Strategy, keep_metadata, passes};
use crate::validation::checks::named;
use crate::validation::read::{at, list, text};
use crate::validation::values::one_of;
use crate::validation::{condition, name};
use field::{AddError, Error, Path};

/// The kind ValidatingAdmissionPolicy.
pub(crate) struct ValidatingAdmissionPolicy;

impl Kind for ValidatingAdmissionPolicy {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingadmissionpolicies";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..ADMISSION };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_part_alone("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

const MAX_ANNOTATIONS: usize = 20;

const MAX_EXPRESSION: usize = 5 * 1024;

/// Validates a written status, which is all that is validated then: the spec is as it was.
fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let (status, path) = (at(object, "/status"), Path::new("status"));
    let mut errors = Vec::new();
    let warnings = path.child("typeChecking").child("expressionWarnings");
    for (index, warning) in list(at(status, "/typeChecking"), "expressionWarnings").iter().enumerate() {
        let path = warnings.index(index);
        if text(warning, "warning").is_empty() {
            errors.required(path.child("warning"), "");
        }
        if text(warning, "fieldRef").trim().is_empty() {
            errors.required(path.child("fieldRef"), "");
        }
    }
    errors.extend(condition::validate(list(status, "conditions"), &path.child("conditions")));
    errors
}

/// Validates a ValidatingAdmissionPolicy.
fn create(object: &Value) -> Vec<Error> {
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
    errors.extend(one_of(of, "reason", &REASONS, path));
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

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::admissionregistration::policy::tests::policy;
    use crate::validation::check;

    #[test]
    fn statuses() {
        let is = |status: Value, expected: &str| {
            check(&update_status(&json!({ "status": status }), &json!({})), expected)
        };
        is(json!({"observedGeneration": -1}), "");
        is(json!({"typeChecking": {"expressionWarnings": [{"fieldRef": "spec", "warning": "w"}]}}), "");
        is(
            json!({"typeChecking": {"expressionWarnings": [{"fieldRef": " ", "warning": ""}]}}),
            "[status.typeChecking.expressionWarnings[0].warning: Required value, \
             status.typeChecking.expressionWarnings[0].fieldRef: Required value]",
        );
        is(
            json!({"conditions": [{"type": "A", "status": "True", "lastTransitionTime": "t"}]}),
            "status.conditions[0].reason: Required value",
        );
    }

    #[test]
    fn validating_policies() {
        let is = |more: Value, expected: &str| check(&create(&policy(more)), expected);
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
        let is = |more: Value, expected: &str| check(&create(&policy(more)), expected);
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
}
