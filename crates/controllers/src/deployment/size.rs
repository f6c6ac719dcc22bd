//! Numbers of pods: how many there are to be.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-unavailable>.

use json_tree::Value;

use super::Sets;
use crate::error::Error;
use crate::object;
use crate::store::Shared;

/// Returns the number of pods that an object wants.
pub(super) fn replicas(object: &Value) -> i64 {
    object::int(object, "/spec/replicas")
}

/// Reports whether a Deployment replaces its pods little by little.
pub(super) fn is_rolling(deployment: &Value) -> bool {
    deployment.text_at("/spec/strategy/type") == "RollingUpdate"
}

/// Returns the number that an integer or a percentage comes to, rounded up or down.
fn scaled(value: Option<&Value>, total: i64, up: bool) -> Result<i64, Error> {
    match value {
        None | Some(Value::Null) => Ok(0),
        Some(Value::String(text)) => {
            let percent = text.strip_suffix('%').and_then(|number| number.parse::<i64>().ok());
            let percent = percent.ok_or_else(|| {
                let quoted = golang::strconv::quote(text);
                Error::Other(format!(
                    "invalid value for IntOrString: invalid type: string is not a percentage: {quoted}"
                ))
            })?;
            let product = percent.saturating_mul(total);
            Ok(if up { product.saturating_add(99).div_euclid(100) } else { product.div_euclid(100) })
        }
        Some(number) => Ok(number.as_i64().unwrap_or_default()),
    }
}

/// Returns the numbers of pods that may be too many and too few.
fn fenceposts(deployment: &Value) -> (i64, i64) {
    let total = replicas(deployment);
    let limit = |name: &str, up| scaled(deployment.pointer(name), total, up);
    let surge = limit("/spec/strategy/rollingUpdate/maxSurge", true);
    let unavailable = limit("/spec/strategy/rollingUpdate/maxUnavailable", false);
    match (surge, unavailable) {
        // One of them must be there, or nothing could ever move.
        (Ok(0), Ok(0)) => (0, 1),
        (Ok(surge), Ok(unavailable)) => (surge, unavailable),
        _ => (0, 0),
    }
}

/// Returns how many pods there may be beyond those that are wanted.
pub(super) fn max_surge(deployment: &Value) -> i64 {
    if is_rolling(deployment) { fenceposts(deployment).0 } else { 0 }
}

/// Returns how many of the pods that are wanted may not be available.
pub(super) fn max_unavailable(deployment: &Value) -> i64 {
    if is_rolling(deployment) && replicas(deployment) != 0 {
        fenceposts(deployment).1.min(replicas(deployment))
    } else {
        0
    }
}

/// Returns how many pods the new ReplicaSet is to have.
pub(super) fn of_new_set(deployment: &Value, all: &[&Value], new: &Value) -> Result<i64, Error> {
    let wanted = replicas(deployment);
    if !is_rolling(deployment) {
        return Ok(wanted);
    }
    let surge = scaled(deployment.pointer("/spec/strategy/rollingUpdate/maxSurge"), wanted, true)?;
    let current: i64 = all.iter().map(|set| replicas(set)).sum();
    let room = wanted + surge - current;
    let own = replicas(new);
    Ok(if room <= 0 { own } else { own + room.min(wanted - own) })
}

/// Returns the sum of a field of ReplicaSets.
pub(super) fn sum<'a>(sets: impl IntoIterator<Item = &'a Shared>, pointer: &str) -> i64 {
    sets.into_iter().map(|set| object::int(set, pointer)).sum()
}

/// Returns the ReplicaSets that want pods.
pub(super) fn active<'a>(sets: impl IntoIterator<Item = &'a Shared>) -> Vec<Shared> {
    sets.into_iter().filter(|set| replicas(set) > 0).cloned().collect()
}

/// Returns the numbers of pods that all ReplicaSets want, and that are available.
pub(super) fn totals(sets: &Sets) -> (i64, i64) {
    (sum(sets.all(), "/spec/replicas"), sum(sets.all(), "/status/availableReplicas"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use json_tree::json;

    #[track_caller]
    fn check(replicas: i64, surge: &str, unavailable: &str, expected: (i64, i64)) {
        let [surge, unavailable] =
            [surge, unavailable].map(|text| text.parse::<i64>().map_or(text.into(), Value::from));
        let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}});
        let deployment = json!({"spec": {"replicas": replicas, "strategy": strategy}});
        assert_eq!((max_surge(&deployment), max_unavailable(&deployment)), expected);
    }

    #[test]
    fn percentages_are_rounded_up_for_surge_and_down_for_unavailability() {
        check(10, "25%", "25%", (3, 2));
        check(1, "25%", "25%", (1, 0));
        check(2, "0%", "1%", (0, 1));
        check(3, "0", "5", (0, 3));
        check(0, "1", "1", (1, 0));
        check(10, "x", "1", (0, 0));
    }
}
