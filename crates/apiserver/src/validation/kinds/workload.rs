//! Deployment, ReplicaSet, Job and CronJob.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/>.

use serde_json::{Value, json};

use super::{
    label_selector, pod,
    read::{at, get, integer, is_true, same, text},
    values::{above_hundred, int_or_percent, not_negative, one_of, percent},
};
use crate::field::{Error, Path};
use crate::validation::metadata::immutable;

pub(super) fn create_deployment(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors: Vec<Error> = not_negative(spec, "replicas", &path).into_iter().collect();
    errors.extend(selector_and_template(spec, &path));
    errors.extend(strategy(at(spec, "/strategy"), &path.child("strategy")));
    for field in ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"] {
        errors.extend(not_negative(spec, field, &path));
    }
    if let Some(deadline) = integer(spec, "progressDeadlineSeconds")
        && deadline <= integer(spec, "minReadySeconds").unwrap_or_default()
    {
        let why = "must be greater than minReadySeconds";
        errors.push(Error::invalid(&path.child("progressDeadlineSeconds"), deadline, why));
    }
    errors
}

pub(super) fn update_deployment(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create_deployment(object);
    errors.extend(selector_unchanged(object, old));
    errors
}

pub(super) fn create_replica_set(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors: Vec<Error> = Vec::new();
    for field in ["replicas", "minReadySeconds"] {
        errors.extend(not_negative(spec, field, &path));
    }
    errors.extend(selector_and_template(spec, &path));
    errors
}

/// The selector of a workload is immutable.
pub(super) fn selector_unchanged(object: &Value, old: &Value) -> Vec<Error> {
    let pointer = "/spec/selector";
    if same(object.pointer(pointer), old.pointer(pointer)) {
        return Vec::new();
    }
    vec![immutable(&Path::new("spec").child("selector"), at(object, pointer).clone())]
}

pub(super) fn create_job(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors: Vec<Error> = generated_selector(object).into_iter().collect();
    errors.extend(job_spec(spec, &path));
    if let Some(selector) = get(spec, "selector") {
        let of_selector = label_selector::validate(selector, &path.child("selector"));
        if of_selector.is_empty() {
            errors.extend(template_labels(selector, at(spec, "/template"), &path.child("template")));
        }
        errors.extend(of_selector);
    }
    errors
}

/// The error of a selector that the server did not make, though it should have.
fn generated_selector(object: &Value) -> Option<Error> {
    let (spec, uid) = (at(object, "/spec"), text(at(object, "/metadata"), "uid"));
    let selector = get(spec, "selector")?;
    if is_true(spec, "manualSelector") || uid.is_empty() {
        return None;
    }
    let labels = json!({"batch.kubernetes.io/controller-uid": uid, "controller-uid": uid});
    let why = "`selector` not auto-generated";
    (!label_selector::matches(selector, &labels))
        .then(|| Error::invalid(&Path::new("spec").child("selector"), selector.clone(), why))
}

/// What is wrong with the spec of a job but for its selector.
fn job_spec(spec: &Value, path: &Path) -> Vec<Error> {
    let numbers =
        ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"];
    let mut errors: Vec<Error> = numbers.iter().filter_map(|field| not_negative(spec, field, path)).collect();
    errors.extend(one_of(spec, "completionMode", &["NonIndexed", "Indexed"], path));
    let (template, at) = (at(spec, "/template"), path.child("template"));
    errors.extend(pod::template(template, &at));
    let policy = text(self::at(template, "/spec"), "restartPolicy");
    if !matches!(policy, "OnFailure" | "Never") {
        let at = at.child("spec").child("restartPolicy");
        errors.push(match policy {
            "" | "Always" => Error::required(&at, "valid values: \"OnFailure\", \"Never\""),
            other => Error::not_supported(&at, other, &["OnFailure", "Never"]),
        });
    }
    errors
}

pub(super) fn create_cron_job(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (schedule, at_schedule) = (text(spec, "schedule"), path.child("schedule"));
    let mut errors = Vec::new();
    let fields: Vec<&str> = schedule.split_ascii_whitespace().collect();
    if schedule.is_empty() {
        errors.push(Error::required(&at_schedule, ""));
    } else if schedule.contains("TZ") {
        let why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        errors.push(Error::invalid(&at_schedule, schedule, why));
    } else if !schedule.starts_with('@') && fields.len() != 5 {
        let why = format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" "));
        errors.push(Error::invalid(&at_schedule, schedule, why));
    }
    errors.extend(not_negative(spec, "startingDeadlineSeconds", &path));
    errors.extend(one_of(spec, "concurrencyPolicy", &["Allow", "Forbid", "Replace"], &path));
    errors.extend(job_spec(at(spec, "/jobTemplate/spec"), &path.child("jobTemplate").child("spec")));
    for field in ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        errors.extend(not_negative(spec, field, &path));
    }
    errors
}

pub(super) fn update_cron_job(object: &Value, _old: &Value) -> Vec<Error> {
    create_cron_job(object)
}

pub(super) fn update_job(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create_job(object);
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    for field in ["completions", "selector", "completionMode"] {
        if !same(get(spec, field), get(was, field)) {
            errors.push(immutable(&path.child(field), at(spec, &format!("/{field}")).clone()));
        }
    }
    errors
}

/// The name of a cron job leaves room for the suffix of its jobs.
pub(super) fn new_cron_job(object: &Value) -> Vec<Error> {
    let name = text(at(object, "/metadata"), "name");
    if name.len() <= 52 {
        return Vec::new();
    }
    vec![Error::invalid(&Path::new("metadata").child("name"), name, "must be no more than 52 characters")]
}

/// The selector, and the template, whose labels must match it and whose pods must restart.
fn selector_and_template(spec: &Value, path: &Path) -> Vec<Error> {
    let (selector, at) = (get(spec, "selector"), path.child("selector"));
    let mut errors = Vec::new();
    let mut selects_all = false;
    match selector {
        None => errors.push(Error::required(&at, "")),
        Some(selector) => {
            let of_selector = label_selector::validate(selector, &at);
            let invalid = !of_selector.is_empty();
            errors.extend(of_selector);
            if label_selector::is_empty(selector) {
                selects_all = true;
                let why = "empty selector is invalid for deployment";
                errors.push(Error::invalid(&at, selector.clone(), why));
            }
            if invalid {
                errors.push(Error::invalid(&at, selector.clone(), "invalid label selector"));
                return errors;
            }
        }
    }
    let (template, path) = (self::at(spec, "/template"), path.child("template"));
    if !selects_all {
        errors.extend(template_labels(selector.unwrap_or(&Value::Null), template, &path));
    }
    errors.extend(pod::template(template, &path));
    let (pods, path) = (self::at(template, "/spec"), path.child("spec"));
    let policy = text(pods, "restartPolicy");
    if !matches!(policy, "" | "Always") {
        errors.push(Error::not_supported(&path.child("restartPolicy"), policy, &["Always"]));
    }
    if get(pods, "activeDeadlineSeconds").is_some() {
        let why = "activeDeadlineSeconds in ReplicaSet is not Supported";
        errors.push(Error::forbidden(&path.child("activeDeadlineSeconds"), why));
    }
    errors
}

/// The error of a template whose labels `selector` does not select. No selector selects nothing.
fn template_labels(selector: &Value, template: &Value, path: &Path) -> Option<Error> {
    let labels = at(template, "/metadata/labels");
    if !selector.is_null() && label_selector::matches(selector, labels) {
        return None;
    }
    let why = "`selector` does not match template `labels`";
    Some(Error::invalid(&path.child("metadata").child("labels"), labels.clone(), why))
}

fn strategy(strategy: &Value, path: &Path) -> Vec<Error> {
    let (kind, rolling) = (text(strategy, "type"), get(strategy, "rollingUpdate"));
    let at = path.child("rollingUpdate");
    match (kind, rolling) {
        ("" | "RollingUpdate", Some(rolling)) => rolling_update(rolling, &at),
        ("" | "RollingUpdate", None) | ("Recreate", None) => Vec::new(),
        ("Recreate", Some(_)) => {
            vec![Error::forbidden(&at, "may not be specified when strategy `type` is 'Recreate'")]
        }
        _ => {
            let value = json!({"Type": kind, "RollingUpdate": at_rolling(rolling)});
            vec![Error::not_supported(path, value, &["Recreate", "RollingUpdate"])]
        }
    }
}

/// The rolling update as the message prints it, in Go's field names.
fn at_rolling(rolling: Option<&Value>) -> Value {
    rolling.map_or(Value::Null, |rolling| {
        json!({"MaxUnavailable": at(rolling, "/maxUnavailable"), "MaxSurge": at(rolling, "/maxSurge")})
    })
}

fn rolling_update(rolling: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for field in ["maxUnavailable", "maxSurge"] {
        errors.extend(int_or_percent(rolling, field, path));
    }
    let amount = |field: &str| match at(rolling, &format!("/{field}")) {
        Value::String(text) => percent(text).unwrap_or_default(),
        number => number.as_i64().unwrap_or_default(),
    };
    let (at, value) = (path.child("maxUnavailable"), at(rolling, "/maxUnavailable"));
    if amount("maxUnavailable") == 0 && amount("maxSurge") == 0 {
        errors.push(Error::invalid(&at, value.clone(), "may not be 0 when `maxSurge` is 0"));
    }
    errors.extend(above_hundred(rolling, "maxUnavailable", path));
    errors
}

#[cfg(test)]
mod tests;
