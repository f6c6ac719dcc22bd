//! The behavior that an autoscaler is to have: how fast it may scale, and how long it waits.
//!
//! See <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#configurable-scaling-behavior>.

use std::time::Duration;

use json_tree::Value;
use schema::quantity::Quantity;

use super::replicas::Tolerances;
use crate::object::{int, list};
use crate::pod::seconds;

/// The time for which the highest recommendation counts, unless a behavior says otherwise.
pub(super) const STABILIZATION: Duration = Duration::from_secs(300);

/// The part of the wanted usage by which it may be missed, unless a behavior says otherwise.
const TOLERANCE: f64 = 0.1;

/// A change of the number of replicas that is allowed in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Pods(i64),
    Percent(i64),
}

/// The choice among policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Select {
    /// The one that allows the largest change.
    Most,
    /// The one that allows the smallest change.
    Least,
    /// None: there is no change.
    Disabled,
}

/// The rules of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// The time for which the most cautious recommendation counts.
    pub(super) window: Duration,
    pub(super) select: Select,
    /// The changes that are allowed in times.
    pub(super) policies: Vec<(Change, Duration)>,
}

impl Rules {
    fn of(rules: Option<&Value>, window: Duration, default: &[(Change, u64)]) -> Self {
        let rules = rules.unwrap_or(&Value::Null);
        let known = rules.get("stabilizationWindowSeconds").and_then(Value::as_i64);
        let policy = |policy: &Value| {
            let value = int(policy, "/value");
            let change =
                if policy.text("type") == "Pods" { Change::Pods(value) } else { Change::Percent(value) };
            (change, seconds(int(policy, "/periodSeconds")))
        };
        let mut policies: Vec<_> = list(rules, "/policies").iter().map(policy).collect();
        if policies.is_empty() {
            policies =
                default.iter().map(|(change, period)| (*change, Duration::from_secs(*period))).collect();
        }
        let select = match rules.text("selectPolicy") {
            "Disabled" => Select::Disabled,
            "Min" => Select::Least,
            _ => Select::Most,
        };
        Self { window: known.map_or(window, seconds), select, policies }
    }

    /// Returns the longest time that a policy is about.
    pub(super) fn longest_period(&self) -> Duration {
        self.policies.iter().map(|(_, period)| *period).max().unwrap_or_default()
    }
}

/// The behavior in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Behavior {
    pub(super) up: Rules,
    pub(super) down: Rules,
}

/// Returns the behavior of an autoscaler that has one of its own.
pub(super) fn of(autoscaler: &Value) -> Option<Behavior> {
    let behavior = autoscaler.pointer("/spec/behavior").filter(|behavior| behavior.is_object())?;
    let up = [(Change::Pods(4), 15), (Change::Percent(100), 15)];
    Some(Behavior {
        up: Rules::of(behavior.get("scaleUp"), Duration::ZERO, &up),
        down: Rules::of(behavior.get("scaleDown"), STABILIZATION, &[(Change::Percent(100), 15)]),
    })
}

/// Returns the tolerances of an autoscaler.
pub(super) fn tolerances(autoscaler: &Value) -> Tolerances {
    let tolerance = |pointer: &str| {
        autoscaler.pointer(pointer).and_then(Quantity::of).map_or(TOLERANCE, |tolerance| tolerance.as_float())
    };
    Tolerances {
        down: tolerance("/spec/behavior/scaleDown/tolerance"),
        up: tolerance("/spec/behavior/scaleUp/tolerance"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[track_caller]
    fn check(behavior: &str, expected: Option<(Rules, Rules)>) {
        let autoscaler = format!(r#"{{"spec": {{"behavior": {behavior}}}}}"#);
        let found = of(&serde_json::from_str(&autoscaler).unwrap());
        assert_eq!(found, expected.map(|(up, down)| Behavior { up, down }), "{behavior}");
    }

    #[test]
    fn behaviors_are_read() {
        let up = Rules {
            window: Duration::ZERO,
            select: Select::Most,
            policies: vec![(Change::Pods(4), SECOND * 15), (Change::Percent(100), SECOND * 15)],
        };
        let down = Rules {
            window: STABILIZATION,
            select: Select::Most,
            policies: vec![(Change::Percent(100), SECOND * 15)],
        };
        check("null", None);
        check("{}", Some((up.clone(), down.clone())));
        check(
            r#"{"scaleUp": {
                "stabilizationWindowSeconds": 30, "selectPolicy": "Min",
                "policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]
            }, "scaleDown": {"selectPolicy": "Disabled", "stabilizationWindowSeconds": 0}}"#,
            Some((
                Rules {
                    window: SECOND * 30,
                    select: Select::Least,
                    policies: vec![(Change::Pods(2), SECOND * 60)],
                },
                Rules { window: Duration::ZERO, select: Select::Disabled, ..down },
            )),
        );
        check(
            r#"{"scaleUp": {"policies": [{"type": "Percent", "value": -2, "periodSeconds": -1}]}, "scaleDown": 7}"#,
            Some((
                Rules { policies: vec![(Change::Percent(-2), Duration::ZERO)], ..up },
                Rules {
                    window: STABILIZATION,
                    select: Select::Most,
                    policies: vec![(Change::Percent(100), SECOND * 15)],
                },
            )),
        );
    }
}
