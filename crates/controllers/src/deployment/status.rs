//! The status of Deployments.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/#DeploymentStatus>.

use std::num::Wrapping;
use std::time::Duration;

use json_tree::{Value, json};

use super::conditions::{AVAILABLE, Condition};
use super::size::{self, Count, NONE};
use super::{Rollout, Sets};
use crate::controller::Context;
use crate::error::Error;
use crate::object;

/// A status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) observed_generation: i64,
    pub(super) replicas: Count,
    pub(super) updated: Count,
    pub(super) ready: Count,
    pub(super) available: Count,
    unavailable: Count,
    /// `None` if a ReplicaSet does not tell.
    terminating: Option<Count>,
    collision_count: Option<i64>,
    pub(super) conditions: Vec<Condition>,
}

impl Status {
    fn read(deployment: &Value) -> Self {
        let status = deployment.get("status").unwrap_or(&Value::Null);
        let int = |key: &str| status.get(key).and_then(Value::as_i64);
        let count = |key| Wrapping(int(key).unwrap_or_default() as i32);
        let conditions = status.get("conditions").and_then(Value::as_array);
        Self {
            observed_generation: int("observedGeneration").unwrap_or_default(),
            replicas: count("replicas"),
            updated: count("updatedReplicas"),
            ready: count("readyReplicas"),
            available: count("availableReplicas"),
            unavailable: count("unavailableReplicas"),
            terminating: int("terminatingReplicas").map(|count| Wrapping(count as i32)),
            collision_count: int("collisionCount"),
            conditions: conditions.into_iter().flatten().map(Condition::read).collect(),
        }
    }

    fn to_value(&self) -> Value {
        let mut status = json!({});
        let fields = [
            ("observedGeneration", self.observed_generation),
            ("replicas", self.replicas.0.into()),
            ("updatedReplicas", self.updated.0.into()),
            ("readyReplicas", self.ready.0.into()),
            ("availableReplicas", self.available.0.into()),
            ("unavailableReplicas", self.unavailable.0.into()),
        ];
        let present = fields.into_iter().filter(|(_, value)| *value != 0);
        let optional = [
            ("terminatingReplicas", self.terminating.map(|count| count.0.into())),
            ("collisionCount", self.collision_count),
        ];
        let optional = optional.into_iter().filter_map(|(key, value)| Some((key, value?)));
        for (key, value) in present.chain(optional) {
            object::set(&mut status, key, value.into());
        }
        if !self.conditions.is_empty() {
            object::set(&mut status, "conditions", self.conditions.iter().map(Condition::to_value).collect());
        }
        status
    }

    /// Returns the condition of a type.
    pub(super) fn condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }

    /// Sets a condition, unless there is one with the same status and reason. The time of the last transition stays where the status
    /// does.
    pub(super) fn set(&mut self, mut condition: Condition) {
        if let Some(known) = self.condition(&condition.kind).filter(|known| known.status == condition.status)
        {
            if known.reason == condition.reason {
                return;
            }
            condition.last_transition = known.last_transition.clone();
        }
        self.remove(&condition.kind.clone());
        self.conditions.push(condition);
    }

    /// Removes the condition of a type.
    pub(super) fn remove(&mut self, kind: &str) {
        self.conditions.retain(|condition| condition.kind != kind);
    }
}

impl Rollout {
    /// Returns the status of the Deployment.
    pub(super) fn status(&self) -> Status {
        Status::read(&self.deployment)
    }

    /// Sets the status of the Deployment.
    pub(super) fn set_status(&mut self, status: &Status) {
        object::set(&mut self.deployment, "status", status.to_value());
    }

    /// Calculates the status from the ReplicaSets.
    pub(super) fn calculate_status(&self, sets: &Sets, now: Duration) -> Status {
        let (wanted, available) = size::totals(sets);
        let old = self.status();
        let mut status = Status {
            observed_generation: object::generation(&self.deployment),
            replicas: size::sum(sets.all(), "/status/replicas"),
            updated: size::sum(&sets.new, "/status/replicas"),
            ready: size::sum(sets.all(), "/status/readyReplicas"),
            available,
            unavailable: (wanted - available).max(NONE),
            terminating: terminating(sets),
            collision_count: old.collision_count,
            conditions: old.conditions,
        };
        let (state, reason, message) = if available >= size::min_available(&self.deployment) {
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        } else {
            ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        };
        status.set(Condition::new(AVAILABLE, state, reason, message.to_owned(), now));
        status
    }

    /// Writes the status, if it has changed. Nothing is said about progress.
    pub(super) async fn sync_status(&mut self, sets: &Sets, context: &Context<'_>) -> Result<(), Error> {
        let status = self.calculate_status(sets, context.now());
        self.replace_status(&status, context).await.map(drop)
    }

    /// Writes a status, and reports whether it is another one.
    pub(super) async fn replace_status(
        &mut self,
        status: &Status,
        context: &Context<'_>,
    ) -> Result<bool, Error> {
        if self.status() == *status {
            return Ok(false);
        }
        self.set_status(status);
        self.write_status(context).await.map(|_| true)
    }
}

/// Returns the number of pods that are about to be deleted; `None` if a ReplicaSet that was looked at does not tell.
fn terminating(sets: &Sets) -> Option<Count> {
    let mut total = NONE;
    for set in sets.all() {
        match set.pointer("/status/terminatingReplicas").and_then(Value::as_i64) {
            Some(count) => total += Wrapping(count as i32),
            None if object::int(set, "/status/observedGeneration") == 0 => {}
            None => return None,
        }
    }
    Some(total)
}
