//! The status of a budget.

use std::time::Duration;

use json_tree::{Value, json};

use super::scale::Scale;
use crate::object::{self, list};

const DISRUPTION_ALLOWED: &str = "DisruptionAllowed";

/// Makes the status of a budget of which so many pods are healthy.
pub(super) fn calculate(
    budget: &Value,
    healthy: i64,
    scale: &Scale,
    disrupted: Value,
    now: Duration,
) -> Value {
    let allowed = if scale.expected > 0 { (healthy - scale.healthy).max(0) } else { 0 };
    let (is_allowed, reason) =
        if allowed > 0 { (true, "SufficientPods") } else { (false, "InsufficientPods") };
    let generation = object::generation(budget);
    let mut status = json!({
        "observedGeneration": generation,
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": scale.healthy,
        "expectedPods": scale.expected,
        "conditions": conditions(budget, is_allowed, (reason, ""), generation, now)
    });
    if disrupted.as_object().is_some_and(|pods| !pods.is_empty()) {
        object::set(&mut status, "disruptedPods", disrupted);
    }
    status
}

/// Makes the status of a budget whose pods cannot be counted.
pub(super) fn failed(budget: &Value, why: &str, now: Duration) -> Value {
    let mut status = budget.get("status").cloned().unwrap_or_default();
    if !status.is_object() {
        status = json!({"currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0});
    }
    let observed = object::int(budget, "/status/observedGeneration");
    let conditions = conditions(budget, false, ("SyncFailed", why), observed, now);
    object::set(&mut status, "disruptionsAllowed", 0.into());
    object::set(&mut status, "conditions", conditions);
    status
}

/// Returns the conditions with what is said of disruptions. The time of the last transition stays, unless the status changes.
fn conditions(
    budget: &Value,
    is_allowed: bool,
    (reason, message): (&str, &str),
    generation: i64,
    now: Duration,
) -> Value {
    let status = if is_allowed { "True" } else { "False" };
    let mut all = list(budget, "/status/conditions").to_vec();
    let known = all.iter().position(|one| one.text("type") == DISRUPTION_ALLOWED);
    let since = known.and_then(|at| all.get(at)).filter(|one| one.text("status") == status);
    let since = since.map_or_else(|| object::timestamp(now), |one| one.text("lastTransitionTime").to_owned());
    let mut condition = json!({"type": DISRUPTION_ALLOWED, "status": status});
    if generation > 0 {
        object::set(&mut condition, "observedGeneration", generation.into());
    }
    for (field, text) in [("lastTransitionTime", since.as_str()), ("reason", reason), ("message", message)] {
        object::set(&mut condition, field, text.into());
    }
    match known.and_then(|at| all.get_mut(at)) {
        Some(one) => *one = condition,
        None => all.push(condition),
    }
    Value::Array(all)
}
