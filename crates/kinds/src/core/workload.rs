//! Validation that workloads have in common: a selector, a pod template and a rollout.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/>.

pub(crate) mod printer;
pub(crate) mod status;
pub(crate) mod warnings;

use json_tree::Value;

use crate::core::pod;
use crate::validation::metadata::immutable;
use crate::validation::read::{at, get, same, text};
use crate::validation::values::{above_hundred, int_or_percent, not_negative, percent};
use crate::validation::{internal, label_selector};
use apimachinery::object::Object;
use field::{AddError, Error, Path};

pub(crate) const APPS: &str = "k8s.io/api/apps/v1";

/// Sets the number of pods, which a workload of `apps` has in every version.
pub(crate) fn complete(workload: &mut Object) {
    if let Some(Value::Object(spec)) = workload.get_mut("spec")
        && spec.get("replicas").is_none_or(Value::is_null)
    {
        spec.shift_remove("replicas");
        spec.shift_insert(0, "replicas".to_owned(), 0.into());
    }
}

/// The errors of numbers below zero.
pub(crate) fn not_negatives(value: &Value, fields: &[&'static str], path: &Path) -> Vec<Error> {
    fields.iter().filter_map(|field| not_negative(value, field, path)).collect()
}

/// Validates a selector that must not be empty. Also returns whether it is usable all the same.
pub(crate) fn selector(spec: &Value, path: &Path, workload: &str) -> (Vec<Error>, bool) {
    let at = path.child("selector");
    let Some(selector) = get(spec, "selector") else {
        return (vec![Error::required(&at, "")], true);
    };
    let mut errors = label_selector::validate(selector, &at);
    let usable = errors.is_empty();
    if label_selector::is_empty(selector) {
        let why = format!("empty selector is invalid for {workload}");
        errors.invalid(&at, selector.clone(), why);
    }
    (errors, usable)
}

/// The error of a template whose labels the selector does not select. No selector selects nothing.
pub(crate) fn template_labels(spec: &Value, path: &Path) -> Option<Error> {
    let (selector, labels) = (at(spec, "/selector"), at(spec, "/template/metadata/labels"));
    if !selector.is_null() && label_selector::matches(selector, labels) {
        return None;
    }
    Some(mismatch(labels, path))
}

pub(super) fn mismatch(labels: &Value, path: &Path) -> Error {
    let at = path.child("template").child("metadata").child("labels");
    Error::invalid(&at, labels.clone(), "`selector` does not match template `labels`")
}

/// Validates the selector and the template of a Deployment or a ReplicaSet.
pub(crate) fn selector_and_template(spec: &Value, path: &Path) -> Vec<Error> {
    let (mut errors, usable) = selector(spec, path, "deployment");
    if !usable {
        let (at, value) = (path.child("selector"), at(spec, "/selector").clone());
        errors.invalid(&at, value, "invalid label selector");
        return errors;
    }
    let selects_all = get(spec, "selector").is_some_and(label_selector::is_empty);
    if !selects_all {
        errors.extend(template_labels(spec, path));
    }
    errors.extend(pod::template(at(spec, "/template"), &path.child("template")));
    errors.extend(runs_always(spec, path, "ReplicaSet"));
    errors
}

/// The errors of a template whose pods would end.
pub(crate) fn runs_always(spec: &Value, path: &Path, workload: &str) -> Vec<Error> {
    let (pods, path) = (at(spec, "/template/spec"), path.child("template").child("spec"));
    let mut errors = Vec::new();
    let policy = text(pods, "restartPolicy");
    if !matches!(policy, "" | "Always") {
        errors.not_supported(path.child("restartPolicy"), policy, &["Always"]);
    }
    if get(pods, "activeDeadlineSeconds").is_some() {
        let why = format!("activeDeadlineSeconds in {workload} is not Supported");
        errors.forbidden(path.child("activeDeadlineSeconds"), why);
    }
    errors
}

/// The error of a selector that has changed.
pub(crate) fn selector_unchanged(object: &Value, old: &Value) -> Option<Error> {
    unchanged(at(object, "/spec"), at(old, "/spec"), "selector", &Path::new("spec"))
}

/// The error of a field that has changed and may not.
pub(crate) fn unchanged(value: &Value, old: &Value, field: &str, path: &Path) -> Option<Error> {
    let kept = same(get(value, field), get(old, field));
    (!kept).then(|| immutable(&path.named(field), get(value, field).cloned().unwrap_or_default()))
}

/// A number of pods, or a percentage of them, as a number.
pub(crate) fn amount(value: &Value) -> i64 {
    match value {
        Value::String(text) => percent(text).or_else(|| text.parse().ok()).unwrap_or_default(),
        number => number.as_i64().unwrap_or_default(),
    }
}

/// Validates numbers or percentages of pods, and then that no percentage is above 100 %.
pub(crate) fn amounts(value: &Value, fields: &[&'static str], path: &Path) -> Vec<Error> {
    let mut errors: Vec<Error> =
        fields.iter().filter_map(|field| int_or_percent(value, field, path)).collect();
    errors.extend(fields.iter().filter_map(|field| above_hundred(value, field, path)));
    errors
}

/// The error of a whole struct, which is printed with Go's names.
pub(crate) fn invalid_struct(path: &Path, (package, name): (&str, &str), value: &Value, why: &str) -> Error {
    Error::invalid(path, internal::form(package, name, value), why)
}

/// The error of something that is not printed.
pub(crate) fn omitted(path: &Path, why: impl Into<String>) -> Error {
    Error { bad_value: None, ..Error::invalid(path, Value::Null, why) }
}

#[cfg(test)]
pub(crate) mod tests;
