//! Validation of CEL validation rules before they are compiled.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules>.

use json_tree::Value;

use super::field_path;
use super::walk::unsupported;
use crate::validation::read::{get, list, text};
use field::{AddError, Error, Path};

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Validates the rules of a schema.
pub(super) fn validate(schema: &Value, path: &Path, errors: &mut Vec<Error>) {
    for (index, rule) in list(schema, "x-kubernetes-validations").iter().enumerate() {
        one(schema, rule, &path.child("x-kubernetes-validations").index(index), errors);
    }
}

fn one(schema: &Value, rule: &Value, path: &Path, errors: &mut Vec<Error>) {
    let (expression, message) = (text(rule, "rule").trim(), text(rule, "message"));
    let at_message = path.child("message");
    if expression.is_empty() {
        errors.required(path.child("rule"), "rule is not specified");
    } else if !message.is_empty() && message.trim().is_empty() {
        errors.invalid(&at_message, message, "must be non-empty if specified");
    } else if has_line_breaks(message.trim()) {
        errors.invalid(&at_message, message, "must not contain line breaks");
    } else if has_line_breaks(expression) && message.is_empty() {
        errors.required(&at_message, "must be specified if rule contains line breaks");
    }
    let message_expression = text(rule, "messageExpression");
    if !message_expression.is_empty() && message_expression.trim().is_empty() {
        errors.required(path.child("messageExpression"), "must be non-empty if specified");
    }
    if let Some(reason) =
        get(rule, "reason").and_then(Value::as_str).filter(|reason| !REASONS.contains(reason))
    {
        errors.not_supported(path.child("reason"), reason, &REASONS);
    }
    let (field_path, at) = (text(rule, "fieldPath"), path.child("fieldPath"));
    if field_path.is_empty() {
        return;
    }
    let mut wrong = |why: &str| errors.invalid(&at, field_path, why);
    if field_path.trim().is_empty() {
        wrong("must be non-empty if specified");
    }
    if has_line_breaks(field_path) {
        wrong("must not contain line breaks");
    }
    if unsupported(schema).is_none() && field_path::find(field_path, schema, true).is_err() {
        wrong("must be a valid path");
    }
}

fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
