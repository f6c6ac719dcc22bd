//! The kind Job: its spec, and what may change of it. What is special to its policies, its template and its status has
//! files of its own.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/>.

mod index;
mod policy;
mod printer;
mod status;
mod strategy;
mod template;
pub(crate) mod warnings;

use json_tree::{Value, json};

use crate::core::pod;
use crate::core::workload::{invalid_struct, not_negatives, template_labels};
use crate::kind::{Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::metadata::immutable;
use crate::validation::read::{at, get, integer, is_true, same, text};
use crate::validation::{internal, label_selector, name};
use apimachinery::selector::field::{SelectableFields, Source, Unknown};
use field::{AddError, Error, Path};

/// The Go package of the types.
const BATCH: &str = "k8s.io/api/batch/v1";

/// The kind Job.
pub(crate) struct Job;

impl Kind for Job {
    const GROUP: &'static str = "batch";
    const RESOURCE: &'static str = "jobs";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields {
        unknown: Unknown::Of("Job"),
        ..SelectableFields::of(true, &[("status.successful", Source::At("/status/succeeded", "0"))])
    });
    const STRATEGY: Strategy = strategy::STRATEGY;
    const POD_SPEC: Option<&'static str> = Some("/spec/template/spec");
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", status::update)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// From here on, Kubernetes may lose track of single indexes.
const COMPLETIONS: i64 = 100_000;
const INDEXED_PARALLELISM: i64 = 100_000;
const FAILED_INDEXES: i64 = 100_000;
const PARALLELISM_OF_MANY: i64 = 10_000;
const FAILED_INDEXES_OF_MANY: i64 = 10_000;
const MANAGED_BY_LENGTH: usize = 63;

/// Fields of the spec that cannot change, after the template, and the type of those that are structs.
const FIXED: [(&str, &str); 5] = [
    ("completionMode", ""),
    ("podFailurePolicy", "PodFailurePolicy"),
    ("backoffLimitPerIndex", ""),
    ("managedBy", ""),
    ("successPolicy", "SuccessPolicy"),
];

/// Validates a Job.
fn create(object: &Value) -> Vec<Error> {
    let (spec, meta) = (at(object, "/spec"), at(object, "/metadata"));
    let mut errors = generated(object);
    errors.extend(whole_spec(spec));
    if let Some(completions) = integer(spec, "completions")
        && completions > 0
        && is_indexed(spec)
    {
        let name = text(meta, "name");
        let host = format!("{name}-{}", completions - 1);
        if !name::label(&host).is_empty() {
            let why = format!("will not able to create pod with invalid DNS label: {host}");
            errors.invalid(Path::new("metadata").child("name"), name, why);
        }
    }
    errors
}

/// Validates an updated Job, which has been checked as a new one already.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = whole_spec(spec);
    errors.extend(completions(spec, was, &path));
    errors.extend(crate::core::workload::unchanged(spec, was, "selector", &path));
    errors.extend(template::update(object, old));
    for (field, ty) in FIXED {
        if !same(get(spec, field), get(was, field)) {
            let value = get(spec, field).cloned().unwrap_or_default();
            let is_struct = !ty.is_empty() && !value.is_null();
            let value = if is_struct { internal::form(BATCH, ty, &value) } else { value };
            errors.push(immutable(&path.child(field), value));
        }
    }
    errors
}

/// Validates a selector that the server should have generated, and the labels that it selects.
fn generated(object: &Value) -> Vec<Error> {
    let (spec, meta) = (at(object, "/spec"), at(object, "/metadata"));
    let Some(selector) = get(spec, "selector").filter(|_| !is_true(spec, "manualSelector")) else {
        return Vec::new();
    };
    let (uid, name) = (text(meta, "uid"), text(meta, "name"));
    let mut errors = Vec::new();
    if uid.is_empty() {
        errors.required(Path::new("metadata").child("uid"), "");
    }
    let expected = [
        ("controller-uid", uid),
        ("job-name", name),
        ("batch.kubernetes.io/controller-uid", uid),
        ("batch.kubernetes.io/job-name", name),
    ];
    let labels = at(spec, "/template/metadata/labels");
    let path = Path::new("spec").child("template").child("metadata").child("labels");
    for (key, value) in expected {
        let (at, why) = (path.key(key), format!("must be '{value}'"));
        match labels.get(key).and_then(Value::as_str) {
            None => errors.required(&at, why),
            Some(label) if label != value => errors.invalid(&at, labels.clone(), why),
            Some(_) => {}
        }
    }
    let [a, b, c, d] = expected;
    let labels = json!({a.0: a.1, b.0: b.1, c.0: c.1, d.0: d.1});
    let path = Path::new("spec").child("selector");
    if label_selector::validate(selector, &path).is_empty() && !label_selector::matches(selector, &labels) {
        errors.invalid(&path, selector.clone(), "`selector` not auto-generated");
    }
    errors
}

/// Validates the spec of a Job, including its selector.
fn whole_spec(value: &Value) -> Vec<Error> {
    let path = Path::new("spec");
    let mut errors = spec(value, &path);
    let Some(selector) = get(value, "selector") else {
        errors.required(path.child("selector"), "");
        errors.extend(template_labels(value, &path));
        return errors;
    };
    let of_selector = label_selector::validate(selector, &path.child("selector"));
    let usable = of_selector.is_empty();
    errors.extend(of_selector);
    if usable {
        errors.extend(template_labels(value, &path));
    }
    errors
}

/// Validates the spec of a Job, except for its selector. CronJobs contain such a spec too.
pub(crate) fn spec(spec: &Value, path: &Path) -> Vec<Error> {
    let numbers = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    let mut errors = not_negatives(spec, &numbers, path);
    if get(spec, "maxFailedIndexes").is_some() && get(spec, "backoffLimitPerIndex").is_none() {
        errors
            .push(Error::required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
    }
    if let Some(manager) = get(spec, "managedBy").and_then(Value::as_str) {
        errors.extend(managed_by(manager, &path.child("managedBy")));
    }
    let mode = get(spec, "completionMode").and_then(Value::as_str);
    match mode {
        Some("Indexed") => errors.extend(indexed(spec, path)),
        None | Some("NonIndexed") => {
            for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if let Some(number) = integer(spec, field) {
                    let why = "requires indexed completion mode";
                    errors.invalid(path.child(field), number, why);
                }
            }
        }
        Some(mode) => errors.not_supported(path.child("completionMode"), mode, &["NonIndexed", "Indexed"]),
    }
    if let Some(policy) = get(spec, "podFailurePolicy") {
        errors.extend(policy::pod_failure(spec, policy, &path.child("podFailurePolicy")));
    }
    if let Some(policy) = get(spec, "successPolicy") {
        let at = path.child("successPolicy");
        if is_indexed(spec) {
            errors.extend(policy::success(spec, policy, &at));
        } else {
            let ty = (BATCH, "SuccessPolicy");
            errors.push(invalid_struct(&at, ty, policy, "requires indexed completion mode"));
        }
    }
    errors.extend(policy::pod_replacement(spec, &path.child("podReplacementPolicy")));
    let template = path.child("template");
    errors.extend(pod::template(at(spec, "/template"), &template));
    errors.extend(restart_policy(spec, &template.child("spec").child("restartPolicy")));
    errors
}

/// A domain and a path in it, such as `example.com/controller`.
fn managed_by(manager: &str, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    match manager.split_once('/') {
        _ if manager.is_empty() => errors.required(path, ""),
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => {
            errors.extend(name::subdomain(host).into_iter().map(|why| Error::invalid(path, host, why)));
            let known = |b: u8| b.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&b);
            if !rest.bytes().all(known) {
                let why = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
                errors.invalid(path, rest, why);
            }
        }
        _ => {
            let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            errors.invalid(path, manager, why);
        }
    }
    if manager.len() > MANAGED_BY_LENGTH {
        errors.too_long(path, MANAGED_BY_LENGTH);
    }
    errors
}

/// Validates the numbers of a Job whose pods have indexes.
fn indexed(spec: &Value, path: &Path) -> Vec<Error> {
    let number = |field: &str| integer(spec, field);
    let mut errors = Vec::new();
    if number("completions").is_none() {
        errors.required(path.child("completions"), "when completion mode is Indexed");
    }
    let mut limit = |field: &str, max: i64, why: String| {
        if let Some(number) = number(field).filter(|number| *number > max) {
            errors.invalid(path.named(field), number, why);
        }
    };
    let at_most = |max: i64| format!("must be less than or equal to {max}");
    let mode = format!("{} when completion mode is Indexed", at_most(INDEXED_PARALLELISM));
    limit("parallelism", INDEXED_PARALLELISM, mode);
    let completions = number("completions");
    if let Some(completions) = completions {
        limit("maxFailedIndexes", completions, "must be less than or equal to completions".to_owned());
    }
    limit("maxFailedIndexes", FAILED_INDEXES, at_most(FAILED_INDEXES));
    if completions.is_some_and(|completions| completions > COMPLETIONS)
        && number("backoffLimitPerIndex").is_some()
    {
        let many = |max: i64| {
            format!(
                "{} when completions are above {COMPLETIONS} and used with backoff limit per index",
                at_most(max)
            )
        };
        let unlimited = number("maxFailedIndexes").is_none();
        limit("parallelism", PARALLELISM_OF_MANY, many(PARALLELISM_OF_MANY));
        limit("maxFailedIndexes", FAILED_INDEXES_OF_MANY, many(FAILED_INDEXES_OF_MANY));
        if unlimited {
            let why = format!("must be specified when completions is above {COMPLETIONS}");
            let error = Error::required(path.child("maxFailedIndexes"), why);
            let above = number("parallelism").is_some_and(|number| number > PARALLELISM_OF_MANY);
            errors.insert(errors.len() - usize::from(above), error);
        }
    }
    errors
}

fn restart_policy(spec: &Value, path: &Path) -> Option<Error> {
    match text(at(spec, "/template/spec"), "restartPolicy") {
        "" | "Always" => Some(Error::required(path, "valid values: \"OnFailure\", \"Never\"")),
        "Never" => None,
        "OnFailure" => get(spec, "podFailurePolicy").map(|_| {
            let why = "only \"Never\" is supported when podFailurePolicy is specified";
            Error::invalid(path, "OnFailure", why)
        }),
        other => Some(Error::not_supported(path, other, &["OnFailure", "Never"])),
    }
}

/// The error of a number of completions that has changed. A Job whose pods have indexes can be scaled with it.
fn completions(spec: &Value, was: &Value, path: &Path) -> Option<Error> {
    if !is_indexed(spec) {
        return crate::core::workload::unchanged(spec, was, "completions", path);
    }
    let completions = integer(spec, "completions")?;
    let kept = integer(was, "completions") == Some(completions);
    if kept || integer(spec, "parallelism") == Some(completions) {
        return None;
    }
    let why = "can only be modified in tandem with spec.parallelism";
    Some(Error::invalid(path.child("completions"), completions, why))
}

/// Returns whether each pod of the Job has an index.
fn is_indexed(spec: &Value) -> bool {
    text(spec, "completionMode") == "Indexed"
}

#[cfg(test)]
mod tests;
