//! The progress of rollouts, and when there is none.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds>.

use std::time::Duration;

use golang::strconv::quote;
use json_tree::Value;

use super::conditions::{Condition, PROGRESSING, REPLICA_FAILURE};
use super::status::Status;
use super::{Rollout, Sets};
use crate::controller::Context;
use crate::error::Error;
use crate::object;

const COMPLETE: &str = "NewReplicaSetAvailable";
const TIMED_OUT: &str = "ProgressDeadlineExceeded";
const PAUSED: &str = "DeploymentPaused";

/// The number that means that there is no limit.
pub(super) const UNLIMITED: i64 = i32::MAX as i64;

impl Rollout {
    /// Returns the time in which something has to come of a rollout, if there is a limit.
    fn progress_deadline(&self) -> Option<Duration> {
        let seconds = self.deployment.pointer("/spec/progressDeadlineSeconds").and_then(Value::as_i64)?;
        (seconds != UNLIMITED).then(|| Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
    }

    pub(super) fn has_progress_deadline(&self) -> bool {
        self.progress_deadline().is_some()
    }

    /// Reports whether all pods are of the new template, and available.
    pub(super) fn is_complete(&self, status: &Status) -> bool {
        let wanted = self.replicas();
        [status.updated, status.replicas, status.available] == [wanted; 3]
            && status.observed_generation >= object::generation(&self.deployment)
    }

    /// Says in a condition that a Deployment has been paused or resumed, so that the time between does not count.
    pub(super) async fn check_paused(&mut self, context: &Context<'_>) -> Result<(), Error> {
        let mut status = self.status();
        let reason = status.condition(PROGRESSING).map(|condition| condition.reason.clone());
        if !self.has_progress_deadline() || reason.as_deref() == Some(TIMED_OUT) {
            return Ok(());
        }
        let was_paused = reason.as_deref() == Some(PAUSED);
        let (reason, message) = match (self.is_paused(), was_paused) {
            (true, false) => (PAUSED, "Deployment is paused"),
            (false, true) => ("DeploymentResumed", "Deployment is resumed"),
            _ => return Ok(()),
        };
        status.set(Condition::new(PROGRESSING, "Unknown", reason, message.to_owned(), context.now()));
        self.set_status(&status);
        self.write_status(context).await.map(drop)
    }

    /// Brings the status up to date during a rollout, with what can be said about its progress.
    pub(super) async fn sync_rollout_status(
        &mut self,
        sets: &Sets,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let now = context.now();
        let mut status = self.calculate_status(sets, now);
        if !self.has_progress_deadline() {
            status.remove(PROGRESSING);
        }
        let old = self.status();
        let current = old.condition(PROGRESSING);
        let was_complete = status.replicas == status.updated
            && current.is_some_and(|condition| condition.reason == COMPLETE);
        if let (Some(deadline), false) = (self.progress_deadline(), was_complete) {
            let subject = match &sets.new {
                Some(new) => format!("ReplicaSet {}", quote(object::name(new))),
                None => format!("Deployment {}", quote(object::name(&self.deployment))),
            };
            let condition = |state, reason, text: &str| {
                Condition::new(PROGRESSING, state, reason, format!("{subject} {text}"), now)
            };
            if self.is_complete(&status) {
                status.set(condition("True", COMPLETE, "has successfully progressed."));
            } else if has_progressed(&old, &status) {
                let mut condition = condition("True", "ReplicaSetUpdated", "is progressing.");
                // It is renewed, though nothing else of it may be new.
                if let Some(current) = current {
                    if current.status == "True" {
                        condition.last_transition = current.last_transition.clone();
                    }
                    status.remove(PROGRESSING);
                }
                status.set(condition);
            } else if has_timed_out(&status, deadline, now) {
                status.set(condition("False", TIMED_OUT, "has timed out progressing."));
            }
        }
        match replica_failure(sets) {
            Some(failure) => status.set(failure),
            None => status.remove(REPLICA_FAILURE),
        }
        if !self.replace_status(&status, context).await? {
            self.queue_progress_check(&status, context);
        }
        Ok(())
    }

    /// Has the Deployment looked at again when its time is over.
    fn queue_progress_check(&self, status: &Status, context: &mut Context<'_>) {
        let (Some(deadline), Some(current)) = (self.progress_deadline(), status.condition(PROGRESSING))
        else {
            return;
        };
        if self.is_complete(status) || current.reason == TIMED_OUT {
            return;
        }
        let (key, now) = (object::key(&self.deployment), context.now());
        let since = object::time(&Value::from(current.last_update.as_str())).unwrap_or_default();
        let left = since.saturating_add(deadline).saturating_sub(now);
        if left < Duration::from_secs(1) {
            context.queue.add_rate_limited(&key, now);
        } else {
            context.queue.add_at(key, now.saturating_add(left).saturating_add(Duration::from_secs(1)));
        }
    }
}

/// Reports whether a rollout has come further.
fn has_progressed(old: &Status, new: &Status) -> bool {
    new.updated > old.updated
        || new.replicas - new.updated < old.replicas - old.updated
        || new.ready > old.ready
        || new.available > old.available
}

/// Reports whether nothing has come of a rollout for too long.
fn has_timed_out(status: &Status, deadline: Duration, now: Duration) -> bool {
    let Some(condition) = status.condition(PROGRESSING).filter(|condition| condition.reason != COMPLETE)
    else {
        return false;
    };
    let since = object::time(&Value::from(condition.last_update.as_str())).unwrap_or_default();
    condition.reason == TIMED_OUT || since.saturating_add(deadline) < now
}

/// Returns the condition that says that pods cannot be made or deleted; that of the new ReplicaSet first.
fn replica_failure(sets: &Sets) -> Option<Condition> {
    let conditions = |set: &Value| set.pointer("/status/conditions").and_then(Value::as_array).cloned();
    let mut all = sets.new.iter().chain(sets.old.iter()).filter_map(|set| conditions(set)).flatten();
    let failure = all.find(|condition| condition.text("type") == REPLICA_FAILURE)?;
    Some(Condition::read_of_replica_set(&failure))
}
