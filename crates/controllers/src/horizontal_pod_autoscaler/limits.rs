//! Limits: what a recommendation comes to, by what there may be, how fast it may be scaled, and what was recommended before.

use std::time::Duration;

use super::behavior::{Behavior, Change, Rules, STABILIZATION, Select};
use super::memory::Memory;

/// A reason and a message of a condition.
pub(super) type Told = (&'static str, &'static str);

const READY: Told = ("ReadyForNewScale", "recommended size matches current size");
const LOWER: Told = (
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
);
const HIGHER: Told = (
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
);
const WITHIN: Told = ("DesiredWithinRange", "the desired count is within the acceptable range");
const TOO_FEW: Told = ("TooFewReplicas", "the desired replica count is less than the minimum replica count");
const TOO_MANY: Told =
    ("TooManyReplicas", "the desired replica count is more than the maximum replica count");
const TOO_FAST_UP: Told =
    ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate");
const TOO_FAST_DOWN: Told =
    ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate");

/// The numbers of replicas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) current: i64,
    pub(super) desired: i64,
    pub(super) least: i64,
    pub(super) most: i64,
}

/// The number of replicas that there are to be, and what conditions say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limited {
    pub(super) replicas: i64,
    pub(super) able: Told,
    pub(super) is_limited: bool,
    pub(super) limit: Told,
}

/// Limits a recommendation.
pub(super) fn limit(
    numbers: Numbers,
    behavior: Option<&Behavior>,
    memory: &mut Memory,
    now: Duration,
) -> Limited {
    let Numbers { current, desired, .. } = numbers;
    let Some(behavior) = behavior else {
        let stable = memory.highest(desired, STABILIZATION, now);
        let able = if stable == desired { READY } else { HIGHER };
        let (replicas, limit) = by_rule(Numbers { desired: stable, ..numbers });
        return Limited { replicas, able, is_limited: replicas != stable, limit };
    };
    let stable = memory.nearest((current, desired), behavior, now);
    let able = match desired {
        _ if stable == desired => READY,
        _ if desired >= current => LOWER,
        _ => HIGHER,
    };
    let (replicas, limit) = by_behavior(Numbers { desired: stable, ..numbers }, behavior, memory, now);
    Limited { replicas, able, is_limited: replicas != stable, limit }
}

/// Limits a number where no behavior is told: twice as many replicas are allowed, or four.
fn by_rule(Numbers { current, desired, least, most }: Numbers) -> (i64, Told) {
    let fastest = current.saturating_mul(2).max(4);
    let (highest, why) = if most > fastest { (fastest, TOO_FAST_UP) } else { (most, TOO_MANY) };
    if desired < least {
        (least, TOO_FEW)
    } else if desired > highest {
        (highest, why)
    } else {
        (desired, WITHIN)
    }
}

/// Limits a number as a behavior says.
fn by_behavior(
    Numbers { current, desired, least, most }: Numbers,
    behavior: &Behavior,
    memory: &Memory,
    now: Duration,
) -> (i64, Told) {
    if desired > current {
        let fastest = fastest(current, &behavior.up, true, memory, now).max(current);
        let (highest, why) = if most > fastest { (fastest, TOO_FAST_UP) } else { (most, TOO_MANY) };
        if desired > highest {
            return (highest, why);
        }
    } else if desired < current {
        let fastest = fastest(current, &behavior.down, false, memory, now).min(current);
        let (lowest, why) = if least < fastest { (fastest, TOO_FAST_DOWN) } else { (least, TOO_FEW) };
        if desired < lowest {
            return (lowest, why);
        }
    }
    (desired, WITHIN)
}

/// Returns the number to which rules allow to scale up or down.
fn fastest(current: i64, rules: &Rules, up: bool, memory: &Memory, now: Duration) -> i64 {
    let allowed = rules.policies.iter().map(|(change, period)| {
        let (added, removed) = (memory.ups.within(*period, now), memory.downs.within(*period, now));
        let begin = current.saturating_sub(added).saturating_add(removed);
        let sign = if up { 1 } else { -1 };
        match change {
            Change::Pods(count) => begin.saturating_add(count.saturating_mul(sign)),
            Change::Percent(percent) => {
                let factor = 1.0 + (percent.saturating_mul(sign)) as f64 / 100.0;
                let scaled = begin as f64 * factor;
                // Rounded up, so that one replica can become more.
                i64::from((if up { scaled.ceil() } else { scaled }) as i32)
            }
        }
    });
    let chosen = match (rules.select, up) {
        (Select::Disabled, _) => None,
        (Select::Most, true) | (Select::Least, false) => allowed.max(),
        (Select::Most, false) | (Select::Least, true) => allowed.min(),
    };
    chosen.unwrap_or(current)
}

#[cfg(test)]
mod tests {
    use json_tree::{Value, json};

    use super::*;
    use crate::horizontal_pod_autoscaler::behavior;

    const NOW: Duration = Duration::from_secs(1000);

    /// Compares what `desired` comes to, with `current` replicas of 2 to 20, under a behavior after some changes 30 seconds ago.
    #[track_caller]
    fn check(
        behavior: &Value,
        changes: &[(i64, i64)],
        (current, desired): (i64, i64),
        expected: (i64, Told, bool, Told),
    ) {
        let behavior = behavior::of(&json!({"spec": {"behavior": behavior}}));
        let mut memory = Memory::default();
        for (before, after) in changes {
            memory.scaled(*before, *after, behavior.as_ref().unwrap(), NOW - Duration::from_secs(30));
        }
        let numbers = Numbers { current, desired, least: 2, most: 20 };
        let found = limit(numbers, behavior.as_ref(), &mut memory, NOW);
        let (replicas, able, is_limited, limit) = expected;
        assert_eq!(found, Limited { replicas, able, is_limited, limit }, "{behavior:?} {current} {desired}");
    }

    #[test]
    fn numbers_are_limited_without_a_behavior() {
        let none = Value::Null;
        check(&none, &[], (3, 3), (3, READY, false, WITHIN));
        check(&none, &[], (3, 1), (2, READY, true, TOO_FEW));
        check(&none, &[], (3, 9), (6, READY, true, TOO_FAST_UP));
        check(&none, &[], (1, 9), (4, READY, true, TOO_FAST_UP));
        check(&none, &[], (15, 99), (20, READY, true, TOO_MANY));
    }

    #[test]
    fn numbers_are_limited_by_policies() {
        let default = json!({});
        check(&default, &[], (3, 99), (7, READY, true, TOO_FAST_UP));
        check(&default, &[], (10, 99), (20, READY, true, TOO_MANY));
        check(&default, &[], (10, 1), (2, READY, true, TOO_FEW));
        check(&default, &[], (10, 10), (10, READY, false, WITHIN));
        let policy = |kind: &str, value: i64| json!({"type": kind, "value": value, "periodSeconds": 60});
        let slow = json!({
            "scaleUp": {"selectPolicy": "Min", "policies": [policy("Pods", 3), policy("Percent", 10)]},
            "scaleDown": {"selectPolicy": "Min", "policies": [policy("Pods", 3), policy("Percent", 10)]}
        });
        check(&slow, &[], (5, 9), (6, READY, true, TOO_FAST_UP));
        check(&slow, &[(4, 5)], (5, 9), (5, READY, true, TOO_FAST_UP));
        check(&slow, &[(9, 5)], (5, 9), (9, READY, false, WITHIN));
        check(&slow, &[], (19, 4), (17, READY, true, TOO_FAST_DOWN));
        check(&slow, &[(20, 19)], (19, 4), (18, READY, true, TOO_FAST_DOWN));
        let never =
            json!({"scaleUp": {"selectPolicy": "Disabled"}, "scaleDown": {"selectPolicy": "Disabled"}});
        check(&never, &[], (5, 9), (5, READY, true, TOO_FAST_UP));
        check(&never, &[], (5, 3), (5, READY, true, TOO_FAST_DOWN));
    }

    #[test]
    fn no_number_is_too_large() {
        let policy = json!({"type": "Percent", "value": i64::MAX, "periodSeconds": i64::MAX});
        let huge = json!({"scaleUp": {"policies": [policy]}, "scaleDown": {"policies": [policy]}});
        check(&huge, &[], (i64::MAX, i64::MAX), (i64::MAX, READY, false, WITHIN));
        check(&huge, &[(i64::MAX, i64::MIN)], (3, i64::MAX), (20, READY, true, TOO_MANY));
        check(&huge, &[(i64::MIN, i64::MAX)], (30, i64::MIN), (30, READY, true, TOO_FAST_DOWN));
    }
}
