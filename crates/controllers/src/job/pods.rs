//! Pods of Jobs: whether they have failed, which index they have, and how they are made.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode>.

use json_tree::{Value, json};

use super::{fields, policies};
use crate::pod::COMPLETION_INDEX;
use crate::pods::Keeper;
use crate::resource::JOBS;
use crate::{object, pod};

/// The annotations that count how many pods of an index have failed before: those that count, and those that do not.
const FAILURE_COUNT: &str = "batch.kubernetes.io/job-index-failure-count";
const IGNORED_FAILURE_COUNT: &str = "batch.kubernetes.io/job-index-ignored-failure-count";

/// The variable of containers with the index of their pod.
const COMPLETION_INDEX_VARIABLE: &str = "JOB_COMPLETION_INDEX";

/// The longest prefix of a name to which five characters are added.
const LONGEST_PREFIX: usize = 58;

/// Reports whether a pod counts as failed: it is, or it is being deleted, unless the Job waits until it has ended.
pub(super) fn has_failed(pod: &Value, job: &Value) -> bool {
    let phase = pod::phase(pod);
    phase == "Failed"
        || !fields::replaces_failed_only(job) && object::is_being_deleted(pod) && phase != "Succeeded"
}

/// Returns the index of a pod, if it has one.
pub(super) fn index(pod: &Value) -> Option<i64> {
    object::annotation(pod, COMPLETION_INDEX)?.parse().ok().filter(|index| *index >= 0)
}

/// Returns the index of a pod, if it has one that is below the number of completions.
pub(super) fn valid_index(pod: &Value, job: &Value) -> Option<i64> {
    index(pod).filter(|index| *index < fields::completions(job).unwrap_or_default())
}

/// Returns how many pods of the same index had failed before.
pub(super) fn failures_before(pod: &Value) -> i64 {
    counted_before(pod).saturating_add(count(pod, IGNORED_FAILURE_COUNT))
}

fn counted_before(pod: &Value) -> i64 {
    count(pod, FAILURE_COUNT)
}

fn count(pod: &Value, annotation: &str) -> i64 {
    let count = object::annotation(pod, annotation).and_then(|count| count.parse::<i32>().ok());
    i64::from(count.unwrap_or_default().max(0))
}

/// Reports whether the index of a pod fails with it.
pub(super) fn fails_index(pod: &Value, job: &Value) -> bool {
    let limit = fields::backoff_limit_per_index(job).unwrap_or(i64::MAX);
    has_failed(pod, job)
        && match policies::judge(job, pod) {
            policies::Failure::FailsIndex => true,
            policies::Failure::Ignored => false,
            _ => counted_before(pod) >= limit,
        }
}

/// Makes a pod of a Job that has no index.
pub(super) fn plain(job: &Value) -> Value {
    let template = job.pointer("/spec/template").unwrap_or(&Value::Null);
    let mut pod = Keeper { owner: job, owners: &JOBS }.pod_of(template);
    let mut finalizers: Vec<Value> = object::finalizers(template).map(Value::from).collect();
    if !fields::is_tracked(template) {
        finalizers.push(fields::FINALIZER.into());
    }
    object::set(object::child(&mut pod, "metadata"), "finalizers", Value::Array(finalizers));
    pod
}

/// Makes a pod with an index. If it takes the place of one that has failed, it counts the failures.
pub(super) fn indexed(job: &Value, index: i64, replaced: Option<&Value>) -> Value {
    let mut pod = plain(job);
    for list in ["/spec/initContainers", "/spec/containers"] {
        let containers = pod.pointer_mut(list).and_then(Value::as_array_mut);
        containers.into_iter().flatten().for_each(add_variable);
    }
    let suffix = ["-", &index.to_string()].concat();
    let number = &suffix[1..];
    let metadata = object::child(&mut pod, "metadata");
    object::set(metadata, "generateName", generate_name(object::name(job), &suffix).into());
    object::set(object::child(metadata, "labels"), COMPLETION_INDEX, number.into());
    let annotations = object::child(metadata, "annotations");
    object::set(annotations, COMPLETION_INDEX, number.into());
    if fields::backoff_limit_per_index(job).is_some() {
        let (counted, ignored) = failures_with(job, replaced);
        object::set(annotations, FAILURE_COUNT, counted.to_string().into());
        if ignored > 0 {
            object::set(annotations, IGNORED_FAILURE_COUNT, ignored.to_string().into());
        }
    }
    let hostname = [object::name(job), &suffix].concat();
    object::set(object::child(&mut pod, "spec"), "hostname", hostname.into());
    pod
}

/// Returns how many pods of an index have failed, those that count and those that do not, with the one that is replaced.
fn failures_with(job: &Value, replaced: Option<&Value>) -> (i64, i64) {
    let Some(pod) = replaced else { return (0, 0) };
    let is_ignored = policies::judge(job, pod) == policies::Failure::Ignored;
    let (counted, ignored) = (counted_before(pod), count(pod, IGNORED_FAILURE_COUNT));
    (counted + i64::from(!is_ignored), ignored + i64::from(is_ignored))
}

/// Returns the prefix of the name of a pod, which ends with its index whatever the length of the Job's name.
fn generate_name(name: &str, suffix: &str) -> String {
    let room = LONGEST_PREFIX.saturating_sub(suffix.len() + 1);
    let name = if name.len() > room { name.get(..room).unwrap_or(name) } else { name };
    [name, suffix, "-"].concat()
}

/// Adds the variable with the index to a container, unless it has one of that name.
fn add_variable(container: &mut Value) {
    let variables = object::list(container, "/env");
    if variables.iter().any(|variable| variable.text("name") == COMPLETION_INDEX_VARIABLE) {
        return;
    }
    let path = ["metadata.labels['", COMPLETION_INDEX, "']"].concat();
    let mut variables = variables.to_vec();
    variables.push(json!({
        "name": COMPLETION_INDEX_VARIABLE,
        "valueFrom": {"fieldRef": {"fieldPath": path}}
    }));
    object::set(container, "env", Value::Array(variables));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pods_keep_their_index() {
        let long = "a".repeat(63);
        for (name, suffix, expected) in [
            ("job", "-7", "job-7-".to_owned()),
            (&long[..55], "-7", format!("{}-7-", &long[..55])),
            (&long[..56], "-7", format!("{}-7-", &long[..55])),
            (&long, "-12345", format!("{}-12345-", &long[..51])),
        ] {
            assert_eq!(generate_name(name, suffix), expected);
            assert!(expected.len() <= LONGEST_PREFIX);
        }
    }

    #[test]
    fn counts_that_make_no_sense_are_none() {
        for (text, expected) in
            [("3", 3), ("-3", 0), ("x", 0), ("2147483648", 0), ("2147483647", 2_147_483_647)]
        {
            let pod =
                json!({"metadata": {"annotations": {"batch.kubernetes.io/job-index-failure-count": text}}});
            assert_eq!(failures_before(&pod), expected, "{text}");
        }
    }
}
