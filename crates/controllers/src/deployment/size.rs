//! Numbers of pods: how many there are to be.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-unavailable>.

use std::num::Wrapping;

use json_tree::Value;

use super::Sets;
use crate::error::Error;
use crate::store::Shared;
use crate::{intstr, object};

/// A number of pods. It is one of 32 bits, and wraps around where Go's does.
pub(super) type Count = Wrapping<i32>;

/// No pods.
pub(super) const NONE: Count = Wrapping(0);

/// Returns the number of pods that a JSON Pointer leads to; 0 if there is none.
pub(super) fn count(object: &Value, pointer: &str) -> Count {
    Wrapping(object::int(object, pointer) as i32)
}

/// Returns the number of pods that an object wants.
pub(super) fn replicas(object: &Value) -> Count {
    Wrapping(object::replicas(object) as i32)
}

/// Reports whether a Deployment replaces its pods little by little.
pub(super) fn is_rolling(deployment: &Value) -> bool {
    deployment.text_at("/spec/strategy/type") == "RollingUpdate"
}

/// Returns the numbers of pods that may be too many and too few.
fn fenceposts(deployment: &Value) -> (Count, Count) {
    let total = replicas(deployment);
    let limit = |name: &str, up| intstr::scaled(deployment.pointer(name), i64::from(total.0), up);
    let surge = limit("/spec/strategy/rollingUpdate/maxSurge", true);
    let unavailable = limit("/spec/strategy/rollingUpdate/maxUnavailable", false);
    match (surge, unavailable) {
        // One of them must be there, or nothing could ever move.
        (Ok(0), Ok(0)) => (NONE, Wrapping(1)),
        (Ok(surge), Ok(unavailable)) => (Wrapping(surge as i32), Wrapping(unavailable as i32)),
        _ => (NONE, NONE),
    }
}

/// Returns how many pods there may be beyond those that are wanted.
pub(super) fn max_surge(deployment: &Value) -> Count {
    if is_rolling(deployment) { fenceposts(deployment).0 } else { NONE }
}

/// Returns how many of the pods that are wanted may not be available.
pub(super) fn max_unavailable(deployment: &Value) -> Count {
    if is_rolling(deployment) && replicas(deployment) != NONE {
        fenceposts(deployment).1.min(replicas(deployment))
    } else {
        NONE
    }
}

/// Returns how many pods there may be in all.
pub(super) fn max_replicas(deployment: &Value) -> Count {
    replicas(deployment) + max_surge(deployment)
}

/// Returns how many pods must be available.
pub(super) fn min_available(deployment: &Value) -> Count {
    replicas(deployment) - max_unavailable(deployment)
}

/// Returns how many pods the new ReplicaSet is to have.
pub(super) fn of_new_set(deployment: &Value, all: &[&Value], new: &Value) -> Result<Count, Error> {
    let wanted = replicas(deployment);
    if !is_rolling(deployment) {
        return Ok(wanted);
    }
    let surge = deployment.pointer("/spec/strategy/rollingUpdate/maxSurge");
    let surge = intstr::scaled(surge, i64::from(wanted.0), true)?;
    let current: Count = all.iter().map(|set| replicas(set)).sum();
    let (most, own) = (wanted + Wrapping(surge as i32), replicas(new));
    Ok(if current >= most { own } else { own + (most - current).min(wanted - own) })
}

/// Returns the sum of a number of ReplicaSets.
pub(super) fn sum<'a>(sets: impl IntoIterator<Item = &'a Shared>, pointer: &str) -> Count {
    sets.into_iter().map(|set| count(set, pointer)).sum()
}

/// Returns the ReplicaSets that want pods.
pub(super) fn active<'a>(sets: impl IntoIterator<Item = &'a Shared>) -> Vec<Shared> {
    sets.into_iter().filter(|set| replicas(set) > NONE).cloned().collect()
}

/// Returns the numbers of pods that all ReplicaSets want, and that are available.
pub(super) fn totals(sets: &Sets) -> (Count, Count) {
    (sum(sets.all(), "/spec/replicas"), sum(sets.all(), "/status/availableReplicas"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use json_tree::json;

    #[track_caller]
    fn check(replicas: i64, surge: &str, unavailable: &str, expected: (i32, i32)) {
        let [surge, unavailable] =
            [surge, unavailable].map(|text| text.parse::<i64>().map_or(text.into(), Value::from));
        let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}});
        let deployment = json!({"spec": {"replicas": replicas, "strategy": strategy}});
        assert_eq!((max_surge(&deployment).0, max_unavailable(&deployment).0), expected);
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

    #[test]
    fn numbers_are_of_32_bits() {
        let strategy =
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}});
        let deployment = json!({"spec": {"replicas": i32::MAX, "strategy": strategy}});
        assert_eq!(max_replicas(&deployment).0, -1_610_612_737);
        let new = json!({"spec": {"replicas": 0}});
        assert_eq!(of_new_set(&deployment, &[&new], &new), Ok(NONE));
        check(i64::from(i32::MAX), "300%", "0", (2_147_483_645, 0));
    }
}
