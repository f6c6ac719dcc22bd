//! The status of an autoscaler: numbers, metrics and conditions.

use std::time::Duration;

use json_tree::{Map, Value, json};

use crate::object::{self, list};

/// A status that is being changed.
pub(super) struct Status {
    before: Value,
    now: Value,
    time: Duration,
}

impl Status {
    /// Begins with the status that an autoscaler has.
    pub(super) fn of(autoscaler: &Value, time: Duration) -> Self {
        let known = autoscaler.get("status").and_then(Value::as_object);
        let mut status = json!({"currentReplicas": 0, "desiredReplicas": 0, "currentMetrics": null});
        for (key, value) in known.into_iter().flatten() {
            object::set(&mut status, key, value.clone());
        }
        Self { before: plain(&status), now: status, time }
    }

    /// Sets a condition. The time of its last transition stays, if it was as true before.
    pub(super) fn set_condition(&mut self, kind: &str, is_true: bool, reason: &str, message: &str) {
        let status = if is_true { "True" } else { "False" };
        let mut conditions = list(&self.now, "/conditions").to_vec();
        let known = conditions.iter().position(|one| one.text("type") == kind);
        let since = known
            .and_then(|index| conditions.get(index))
            .filter(|one| one.text("status") == status)
            .and_then(|one| one.get("lastTransitionTime"));
        let condition = json!({
            "type": kind,
            "status": status,
            "lastTransitionTime": since.cloned().unwrap_or_else(|| object::timestamp(self.time).into()),
            "reason": reason,
            "message": message
        });
        match known.and_then(|index| conditions.get_mut(index)) {
            Some(known) => *known = condition,
            None => conditions.push(condition),
        }
        object::set(&mut self.now, "conditions", Value::Array(conditions));
    }

    /// Removes a condition.
    pub(super) fn remove_condition(&mut self, kind: &str) {
        if let Some(conditions) = self.now.get_mut("conditions").and_then(Value::as_array_mut) {
            conditions.retain(|condition| condition.text("type") != kind);
        }
    }

    /// Returns the number of replicas that there are to be.
    pub(super) fn desired(&self) -> i64 {
        object::int(&self.now, "/desiredReplicas")
    }

    /// Sets the numbers of replicas and the metrics, and whether the number has just been changed. Conditions stay, all else does not.
    pub(super) fn set(
        &mut self,
        (current, desired): (i64, i64),
        metrics: Option<Vec<Value>>,
        is_rescaled: bool,
    ) {
        let mut status = json!({});
        let since = if is_rescaled {
            Some(Value::from(object::timestamp(self.time)))
        } else {
            self.now.get("lastScaleTime").cloned()
        };
        if let Some(since) = since {
            object::set(&mut status, "lastScaleTime", since);
        }
        object::set(&mut status, "currentReplicas", current.into());
        object::set(&mut status, "desiredReplicas", desired.into());
        object::set(&mut status, "currentMetrics", metrics.map_or(Value::Null, Value::Array));
        if let Some(conditions) = self.now.get("conditions") {
            object::set(&mut status, "conditions", conditions.clone());
        }
        self.now = status;
    }

    /// Returns the status, if it says something else than before.
    pub(super) fn changed(self) -> Option<Value> {
        (plain(&self.now) != self.before).then_some(self.now)
    }
}

/// Leaves out what says nothing.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (key.clone(), plain(value)));
            Value::Object(entries.filter(|(_, value)| !is_nothing(value)).collect::<Map<String, Value>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        other => other.clone(),
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(60);

    #[track_caller]
    fn check(status: &str, change: fn(&mut Status), expected: Option<&str>) {
        let autoscaler = format!(r#"{{"status": {status}}}"#);
        let mut found = Status::of(&serde_json::from_str(&autoscaler).unwrap(), NOW);
        change(&mut found);
        assert_eq!(found.changed(), expected.map(|text| serde_json::from_str(text).unwrap()), "{status}");
    }

    #[test]
    fn only_a_change_is_one() {
        check("null", |_| {}, None);
        check("null", |status| status.set((0, 0), Some(Vec::new()), false), None);
        check(
            r#"{"desiredReplicas": 2, "currentMetrics": []}"#,
            |status| status.set((0, 2), None, false),
            None,
        );
        let condition = |time: &str, is_true: &str, reason: &str| {
            format!(
                r#"{{"type": "AbleToScale", "status": "{is_true}", "lastTransitionTime": "1970-01-01T00:{time}Z",
                    "reason": "{reason}", "message": "m"}}"#
            )
        };
        let with = |condition: &str| {
            format!(
                r#"{{"currentReplicas": 1, "desiredReplicas": 0, "currentMetrics": null, "conditions": [{condition}]}}"#
            )
        };
        let known = with(&condition("00:07", "True", "A"));
        check(&known, |status| status.set_condition("AbleToScale", true, "A", "m"), None);
        check(
            &known,
            |status| status.set_condition("AbleToScale", true, "B", "m"),
            Some(&with(&condition("00:07", "True", "B"))),
        );
        check(
            &known,
            |status| status.set_condition("AbleToScale", false, "B", "m"),
            Some(&with(&condition("01:00", "False", "B"))),
        );
        check(&known, |status| status.remove_condition("ScaledToZero"), None);
        check(
            r#"{"observedGeneration": 3, "lastScaleTime": "x", "desiredReplicas": 1}"#,
            |status| status.set((1, 1), None, false),
            Some(
                r#"{"lastScaleTime": "x", "currentReplicas": 1, "desiredReplicas": 1, "currentMetrics": null}"#,
            ),
        );
        check(
            "null",
            |status| status.set((1, 2), None, true),
            Some(
                r#"{"lastScaleTime": "1970-01-01T00:01:00Z", "currentReplicas": 1, "desiredReplicas": 2, "currentMetrics": null}"#,
            ),
        );
    }
}
