//! The policies of a Job: which failures of pods count, when it has succeeded, and when a pod is replaced.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy>.

use json_tree::Value;

use crate::batch::job::index;
use crate::core::workload::omitted;
use crate::validation::checks::repeated;
use crate::validation::name;
use crate::validation::read::{at, get, integer, list, text};
use crate::validation::values::not_negative;
use field::{AddError, Error, Path, quote};

const RULES: usize = 20;
const EXIT_CODES: usize = 255;
const CONDITIONS: usize = 20;
const INDEXES: usize = 64 * 1024;
const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

/// Validates the pod failure policy of a Job.
pub(super) fn pod_failure(spec: &Value, policy: &Value, path: &Path) -> Vec<Error> {
    let (rules, path) = (list(policy, "rules"), path.child("rules"));
    let mut errors = too_many(rules, RULES, &path);
    let pods = at(spec, "/template/spec");
    let names: Vec<&str> = ["containers", "initContainers"]
        .iter()
        .flat_map(|field| list(pods, field))
        .map(|one| text(one, "name"))
        .collect();
    for (index, rule) in rules.iter().enumerate() {
        errors.extend(failure_rule(spec, rule, &names, &path.index(index)));
    }
    errors
}

fn failure_rule(spec: &Value, rule: &Value, names: &[&str], path: &Path) -> Vec<Error> {
    let (action, at) = (text(rule, "action"), path.child("action"));
    let mut errors = Vec::new();
    if action != "FailIndex" {
        errors.extend(required_one_of(action, &ACTIONS, &at));
    } else if get(spec, "backoffLimitPerIndex").is_none() {
        errors.invalid(&at, action, "requires the backoffLimitPerIndex to be set");
    }
    let (codes, conditions) = (get(rule, "onExitCodes"), list(rule, "onPodConditions"));
    if let Some(codes) = codes {
        errors.extend(exit_codes(codes, names, &path.child("onExitCodes")));
    }
    errors.extend(pod_conditions(conditions, &path.child("onPodConditions")));
    match (codes.is_some(), !conditions.is_empty()) {
        (true, true) => {
            errors.push(omitted(path, "specifying both OnExitCodes and OnPodConditions is not supported"));
        }
        (false, false) => {
            errors.push(omitted(path, "specifying one of OnExitCodes and OnPodConditions is required"));
        }
        _ => {}
    }
    errors
}

fn pod_conditions(conditions: &[Value], path: &Path) -> Vec<Error> {
    let mut errors = too_many(conditions, CONDITIONS, path);
    for (index, condition) in conditions.iter().enumerate() {
        let path = path.index(index);
        let (kind, at) = (text(condition, "type"), path.child("type"));
        errors.extend(name::qualified_name(kind).into_iter().map(|why| Error::invalid(&at, kind, why)));
        errors.extend(required_one_of(text(condition, "status"), &STATUSES, &path.child("status")));
    }
    errors
}

fn exit_codes(codes: &Value, names: &[&str], path: &Path) -> Vec<Error> {
    let operator = text(codes, "operator");
    let mut errors: Vec<Error> =
        required_one_of(operator, &OPERATORS, &path.child("operator")).into_iter().collect();
    if let Some(container) = get(codes, "containerName").and_then(Value::as_str)
        && !names.contains(&container)
    {
        let why = "must be one of the container or initContainer names in the pod template";
        errors.invalid(path.child("containerName"), container, why);
    }
    let (values, path) = (list(codes, "values"), path.child("values"));
    if values.is_empty() {
        let sent = codes.get("values").cloned().unwrap_or_default();
        errors.invalid(&path, sent, "at least one value is required");
    }
    errors.extend(too_many(values, EXIT_CODES, &path));
    for (index, (value, repeated)) in values.iter().zip(repeated(values)).enumerate() {
        let at = path.index(index);
        if operator == "In" && value.as_i64() == Some(0) {
            errors.invalid(&at, 0, "must not be 0 for the In operator");
        }
        if repeated {
            errors.duplicate(&at, value.clone());
        }
    }
    if !values.is_sorted_by_key(Value::as_i64) {
        errors.invalid(&path, values.to_vec(), "must be ordered");
    }
    errors
}

/// Validates the success policy of a Job.
pub(super) fn success(spec: &Value, policy: &Value, path: &Path) -> Vec<Error> {
    let (rules, path) = (list(policy, "rules"), path.child("rules"));
    let mut errors = Vec::new();
    if rules.is_empty() {
        let why = "at least one rules must be specified when the successPolicy is specified";
        errors.required(&path, why);
    }
    errors.extend(too_many(rules, RULES, &path));
    let completions = integer(spec, "completions").unwrap_or_default();
    for (index, rule) in rules.iter().enumerate() {
        errors.extend(success_rule(rule, completions, &path.index(index)));
    }
    errors
}

fn success_rule(rule: &Value, completions: i64, path: &Path) -> Vec<Error> {
    let indexes = get(rule, "succeededIndexes").and_then(Value::as_str);
    let count = integer(rule, "succeededCount");
    let mut errors = Vec::new();
    if indexes.is_none() && count.is_none() {
        let why = "at least one of succeededCount or succeededIndexes must be specified";
        errors.required(path, why);
    }
    let mut total = 0;
    if let Some(indexes) = indexes {
        let path = path.child("succeededIndexes");
        if indexes.len() > INDEXES {
            errors.too_long(&path, INDEXES);
        }
        match index::count(indexes, completions) {
            Ok(count) => total = count,
            Err(why) => {
                let why = format!("error parsing succeededIndexes: {why}");
                errors.invalid(&path, indexes, why);
            }
        }
    }
    let Some(count) = count else { return errors };
    errors.extend(not_negative(rule, "succeededCount", path));
    let path = path.child("succeededCount");
    if count > completions {
        let why =
            format!("must be less than or equal to {completions} (the number of specified completions)");
        errors.invalid(&path, count, why);
    }
    if indexes.is_some() && count > total {
        let why = format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        );
        errors.invalid(&path, count, why);
    }
    errors
}

/// Validates the pod replacement policy. With a pod failure policy, pods are replaced only after they have failed.
pub(super) fn pod_replacement(spec: &Value, path: &Path) -> Option<Error> {
    let policy = get(spec, "podReplacementPolicy").and_then(Value::as_str)?;
    let supported: &[&str] = if get(spec, "podFailurePolicy").is_some() {
        &["Failed"]
    } else {
        &["Failed", "TerminatingOrFailed"]
    };
    (!supported.contains(&policy)).then(|| Error::not_supported(path, policy, supported))
}

/// The error of a choice that is missing or unknown.
fn required_one_of(value: &str, supported: &[&str], path: &Path) -> Option<Error> {
    if value.is_empty() {
        let values: Vec<String> = supported.iter().map(|value| quote(value)).collect();
        return Some(Error::required(path, format!("valid values: [{}]", values.join(" "))));
    }
    (!supported.contains(&value)).then(|| Error::not_supported(path, value, supported))
}

fn too_many(items: &[Value], max: usize, path: &Path) -> Vec<Error> {
    if items.len() > max { vec![Error::too_many(path, items.len(), max)] } else { Vec::new() }
}
