//! The status of ReplicaSets and ReplicationControllers.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/replica-set-v1/#ReplicaSetStatus>.

use std::time::Duration;

use json_tree::{Value, json};

use super::{Kind, min_ready_seconds};
use crate::client::View;
use crate::controller::Context;
use crate::error::Error;
use crate::store::Shared;
use crate::{object, pod};

/// The type of the condition that says that pods could not be made or deleted.
const FAILURE: &str = "ReplicaFailure";

/// Calculates the status of an object from its pods.
pub(super) fn calculate(
    kind: &Kind,
    owner: &Value,
    active: &[Shared],
    terminating: usize,
    failure: Option<&Error>,
    now: Duration,
) -> Value {
    let count = |counts: &dyn Fn(&Value) -> bool| active.iter().filter(|pod| counts(pod)).count() as i64;
    let labels = owner.pointer("/spec/template/metadata/labels").and_then(Value::as_object);
    let is_labeled = |pod: &Value| {
        let own = object::meta(pod, "labels");
        labels.into_iter().flatten().all(|(key, value)| own.get(key) == Some(value))
    };
    let seconds = min_ready_seconds(owner);
    let mut status = json!({"replicas": active.len() as i64});
    let mut set = |key: &str, value: i64| {
        if value != 0 {
            object::set(&mut status, key, value.into());
        }
    };
    set("fullyLabeledReplicas", count(&is_labeled));
    set("readyReplicas", count(&pod::is_ready));
    set("availableReplicas", count(&|pod| pod::is_available(pod, seconds, now)));
    if kind.counts_terminating {
        object::set(&mut status, "terminatingReplicas", (terminating as i64).into());
    }
    let known = owner.pointer("/status/observedGeneration").and_then(Value::as_i64).unwrap_or_default();
    if known != 0 {
        object::set(&mut status, "observedGeneration", known.into());
    }
    let conditions = conditions(owner, active.len() as i64, failure, now);
    if !conditions.is_empty() {
        object::set(&mut status, "conditions", Value::Array(conditions));
    }
    status
}

/// Returns the conditions, of which one says what has failed.
fn conditions(owner: &Value, active: i64, failure: Option<&Error>, now: Duration) -> Vec<Value> {
    let known = owner.pointer("/status/conditions").and_then(Value::as_array);
    let mut conditions: Vec<Value> = known.into_iter().flatten().cloned().collect();
    let is_failure = |condition: &Value| condition.text("type") == FAILURE;
    match failure {
        Some(error) if !conditions.iter().any(is_failure) => {
            let reason = if active < object::replicas(owner) { "FailedCreate" } else { "FailedDelete" };
            conditions.push(json!({
                "type": FAILURE,
                "status": "True",
                "lastTransitionTime": object::timestamp(now),
                "reason": reason,
                "message": error.to_string()
            }));
        }
        Some(_) => {}
        None => conditions.retain(|condition| !is_failure(condition)),
    }
    conditions
}

/// Writes a status, unless it is there already. If somebody else has written the object meanwhile, it is tried once more. Returns
/// the object as it is then.
pub(super) async fn update(
    kind: &Kind,
    owner: &Value,
    mut status: Value,
    context: &Context<'_>,
) -> Result<Value, Error> {
    let generation = object::generation(owner);
    let known = owner.get("status").unwrap_or(&Value::Null);
    if object::int(owner, "/status/observedGeneration") == generation && is_same(known, &status) {
        return Ok(owner.clone());
    }
    object::set(&mut status, "observedGeneration", generation.into());
    let mut new = owner.clone();
    object::set(&mut new, "status", status.clone());
    if context.client.update(kind.resource, &new, "status").await.is_ok() {
        return Ok(new);
    }
    let (namespace, name) = (object::namespace(owner), object::name(owner));
    let mut latest = context.client.get(kind.resource, namespace, name, View::Whole).await?;
    object::set(&mut latest, "status", status);
    context.client.update(kind.resource, &latest, "status").await
}

/// Reports whether two statuses say the same, in whatever order.
fn is_same(a: &Value, b: &Value) -> bool {
    let zero = |value: &Value| value.as_i64() == Some(0);
    let contains = |a: &Value, b: &Value| {
        let fields = a.as_object().into_iter().flatten();
        fields
            .filter(|(key, value)| *key == "terminatingReplicas" || !zero(value))
            .all(|(key, value)| b.get(key) == Some(value))
    };
    contains(a, b) && contains(b, a)
}
