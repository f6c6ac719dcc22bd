//! Conditions of Jobs, and how a Job ends.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions>.

use std::time::Duration;

use json_tree::{Value, json};

use crate::object;

pub(super) const COMPLETE: &str = "Complete";
pub(super) const FAILED: &str = "Failed";
pub(super) const SUCCESS_CRITERIA_MET: &str = "SuccessCriteriaMet";
pub(super) const FAILURE_TARGET: &str = "FailureTarget";
pub(super) const SUSPENDED: &str = "Suspended";

/// The reasons for which a Job fails.
pub(super) const POD_FAILURE_POLICY: &str = "PodFailurePolicy";
pub(super) const BACKOFF_LIMIT_EXCEEDED: &str = "BackoffLimitExceeded";
pub(super) const DEADLINE_EXCEEDED: &str = "DeadlineExceeded";
pub(super) const MAX_FAILED_INDEXES_EXCEEDED: &str = "MaxFailedIndexesExceeded";
pub(super) const FAILED_INDEXES: &str = "FailedIndexes";

/// The end of a Job: the type of the condition that tells of it, with its reason and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) kind: &'static str,
    pub(super) reason: String,
    pub(super) message: String,
}

impl End {
    /// Makes the end that has a condition of this type.
    pub(super) fn new(kind: &'static str, reason: &str, message: &str) -> Self {
        Self { kind, reason: reason.to_owned(), message: message.to_owned() }
    }

    /// Makes the end that a known condition tells of, with another type.
    pub(super) fn of(kind: &'static str, condition: &Value) -> Self {
        Self::new(kind, condition.text("reason"), condition.text("message"))
    }

    /// Reports whether the Job has succeeded.
    pub(super) fn is_success(&self) -> bool {
        [COMPLETE, SUCCESS_CRITERIA_MET].contains(&self.kind)
    }

    /// Returns the reason as events have it. One that no controller gives is told of as `Failed`.
    pub(super) fn event_reason(&self) -> &'static str {
        let all = [
            POD_FAILURE_POLICY,
            BACKOFF_LIMIT_EXCEEDED,
            DEADLINE_EXCEEDED,
            MAX_FAILED_INDEXES_EXCEEDED,
            FAILED_INDEXES,
        ];
        all.into_iter().find(|reason| *reason == self.reason).unwrap_or(FAILED)
    }
}

/// Returns the condition of a type, if it is there.
fn find<'a>(job: &'a Value, kind: &str) -> Option<&'a Value> {
    object::list(job, "/status/conditions").iter().find(|condition| condition.text("type") == kind)
}

/// Returns the condition of a type, if it is true.
pub(super) fn find_true<'a>(job: &'a Value, kind: &str) -> Option<&'a Value> {
    find(job, kind).filter(|condition| condition.text("status") == "True")
}

/// Returns the condition that says that a Job has finished, if it has.
pub(crate) fn finished(job: &Value) -> Option<&Value> {
    object::list(job, "/status/conditions").iter().find(|condition| {
        [COMPLETE, FAILED].contains(&condition.text("type")) && condition.text("status") == "True"
    })
}

/// Adds a condition that is true.
pub(super) fn add(job: &mut Value, end: &End, now: Duration) {
    push(job, condition((end.kind, true), &end.reason, &end.message, now));
}

/// Sets a condition, and reports whether that has changed anything. One that is not there is not made to be false.
pub(super) fn set(
    job: &mut Value,
    (kind, is_true): (&str, bool),
    reason: &str,
    message: &str,
    now: Duration,
) -> bool {
    let new = condition((kind, is_true), reason, message, now);
    let known = job.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    match known.into_iter().flatten().find(|condition| condition.text("type") == kind) {
        Some(known) => {
            let is_other = ["status", "reason", "message"].iter().any(|key| known.text(key) != new.text(key));
            if is_other {
                *known = new;
            }
            is_other
        }
        None => {
            if is_true {
                push(job, new);
            }
            is_true
        }
    }
}

fn condition((kind, is_true): (&str, bool), reason: &str, message: &str, now: Duration) -> Value {
    let now = object::timestamp(now);
    json!({
        "type": kind,
        "status": if is_true { "True" } else { "False" },
        "lastProbeTime": now.as_str(),
        "lastTransitionTime": now.as_str(),
        "reason": reason,
        "message": message
    })
}

fn push(job: &mut Value, condition: Value) {
    let status = object::child(job, "status");
    match status.get_mut("conditions").and_then(Value::as_array_mut) {
        Some(conditions) => conditions.push(condition),
        None => object::set(status, "conditions", json!([condition])),
    }
}
