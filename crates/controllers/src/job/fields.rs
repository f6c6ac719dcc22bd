//! The fields of a Job that say how it is to run.

use json_tree::Value;

use crate::object;

/// The finalizer by which pods stay until they are counted.
pub(super) const FINALIZER: &str = "batch.kubernetes.io/job-tracking";

/// The controller of Jobs that name none.
const JOB_CONTROLLER: &str = "kubernetes.io/job-controller";

/// Returns the number that a JSON Pointer leads to, if there is one.
pub(super) fn number(job: &Value, pointer: &str) -> Option<i64> {
    job.pointer(pointer)?.as_i64()
}

/// Returns how many pods are to succeed; `None` if one is enough, and says that there is no more to do.
pub(super) fn completions(job: &Value) -> Option<i64> {
    number(job, "/spec/completions")
}

/// Reports whether each pod has an index.
pub(super) fn is_indexed(job: &Value) -> bool {
    job.text_at("/spec/completionMode") == "Indexed"
}

/// Reports whether there are to be no pods for now.
pub(super) fn is_suspended(job: &Value) -> bool {
    job.pointer("/spec/suspend").and_then(Value::as_bool) == Some(true)
}

/// Returns how often a pod of each index may fail, if that is limited.
pub(super) fn backoff_limit_per_index(job: &Value) -> Option<i64> {
    number(job, "/spec/backoffLimitPerIndex")
}

/// Returns the policy of pods that fail, if there is one.
pub(super) fn failure_policy(job: &Value) -> Option<&Value> {
    job.pointer("/spec/podFailurePolicy").filter(|policy| !policy.is_null())
}

/// Reports whether a pod is replaced only once it has failed, and not when its deletion has begun.
pub(super) fn replaces_failed_only(job: &Value) -> bool {
    job.text_at("/spec/podReplacementPolicy") == "Failed" || failure_policy(job).is_some()
}

/// Reports whether another controller takes care of a Job.
pub(super) fn is_managed_elsewhere(job: &Value) -> bool {
    let manager = job.pointer("/spec/managedBy").and_then(Value::as_str);
    manager.is_some_and(|manager| manager != JOB_CONTROLLER)
}

/// Reports whether a pod is not counted yet.
pub(super) fn is_tracked(pod: &Value) -> bool {
    object::finalizers(pod).any(|finalizer| finalizer == FINALIZER)
}
