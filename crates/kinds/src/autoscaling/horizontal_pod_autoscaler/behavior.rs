//! The behavior of an autoscaler: how fast it may scale.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#configurable-scaling-behavior>.

use json_tree::Value;
use schema::quantity::Quantity;

use crate::validation::read::{get, integer, list, text};
use crate::validation::values::one_of;
use field::{AddError, Error, Path};

const PERIOD: i64 = 1800;
const WINDOW: i64 = 3600;

/// Validates the scaling rules for one direction.
pub(super) fn check(rules: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if let Some(seconds) = integer(rules, "stabilizationWindowSeconds") {
        let at = path.child("stabilizationWindowSeconds");
        if seconds < 0 {
            errors.invalid(&at, seconds, "must be greater than or equal to zero");
        }
        if seconds > WINDOW {
            errors.invalid(&at, seconds, format!("must be less than or equal to {WINDOW}"));
        }
    }
    errors.extend(one_of(rules, "selectPolicy", &["Disabled", "Max", "Min"], path));
    let (policies, at) = (list(rules, "policies"), path.child("policies"));
    if policies.is_empty() {
        errors.required(&at, "must specify at least one Policy");
    }
    for (index, one) in policies.iter().enumerate() {
        errors.extend(policy(one, &at.index(index)));
    }
    if let Some(tolerance) = get(rules, "tolerance").and_then(Value::as_str)
        && Quantity::parse(tolerance).is_ok_and(|tolerance| Quantity::count(0).exceeds(&tolerance))
    {
        let why = "must be greater than or equal to 0";
        errors.invalid(path.child("tolerance"), tolerance, why);
    }
    errors
}

fn policy(policy: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let kind = text(policy, "type");
    if !matches!(kind, "Pods" | "Percent") {
        errors.not_supported(path.child("type"), kind, &["Percent", "Pods"]);
    }
    for (field, max) in [("value", None), ("periodSeconds", Some(PERIOD))] {
        let (number, at) = (integer(policy, field).unwrap_or_default(), path.child(field));
        if number <= 0 {
            errors.invalid(&at, number, "must be greater than zero");
        }
        if let Some(max) = max.filter(|max| number > *max) {
            errors.invalid(&at, number, format!("must be less than or equal to {max}"));
        }
    }
    errors
}
