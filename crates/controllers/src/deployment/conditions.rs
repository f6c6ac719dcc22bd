//! The conditions of Deployments.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status>.

use std::time::Duration;

use json_tree::{Value, json};

use crate::object;

pub(super) const AVAILABLE: &str = "Available";
pub(super) const PROGRESSING: &str = "Progressing";
pub(super) const REPLICA_FAILURE: &str = "ReplicaFailure";

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) last_update: String,
    pub(super) last_transition: String,
    pub(super) reason: String,
    message: String,
}

impl Condition {
    /// Makes a condition that begins now.
    pub(super) fn new(kind: &str, status: &str, reason: &str, message: String, now: Duration) -> Self {
        let now = object::timestamp(now);
        Self {
            kind: kind.to_owned(),
            status: status.to_owned(),
            last_update: now.clone(),
            last_transition: now,
            reason: reason.to_owned(),
            message,
        }
    }

    /// Reads a condition of a Deployment.
    pub(super) fn read(condition: &Value) -> Self {
        let text = |key: &str| condition.text(key).to_owned();
        Self {
            kind: text("type"),
            status: text("status"),
            last_update: text("lastUpdateTime"),
            last_transition: text("lastTransitionTime"),
            reason: text("reason"),
            message: text("message"),
        }
    }

    /// Reads a condition of a ReplicaSet, which was last updated when it began.
    pub(super) fn read_of_replica_set(condition: &Value) -> Self {
        let read = Self::read(condition);
        Self { last_update: read.last_transition.clone(), ..read }
    }

    /// Returns the condition as a Deployment has it.
    pub(super) fn to_value(&self) -> Value {
        json!({
            "type": self.kind.as_str(),
            "status": self.status.as_str(),
            "lastUpdateTime": self.last_update.as_str(),
            "lastTransitionTime": self.last_transition.as_str(),
            "reason": self.reason.as_str(),
            "message": self.message.as_str()
        })
    }
}
