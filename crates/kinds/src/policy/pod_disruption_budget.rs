//! The kind PodDisruptionBudget.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/disruptions/>.

mod printer;

use json_tree::Value;

use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, list};
use crate::validation::values::{above_hundred, int_or_percent, not_negative, one_of};
use crate::validation::{condition, internal, label_selector};
use field::{AddError, Error, Path};

/// The kind PodDisruptionBudget.
pub(crate) struct PodDisruptionBudget;

impl Kind for PodDisruptionBudget {
    const GROUP: &'static str = "policy";
    const RESOURCE: &'static str = "poddisruptionbudgets";
    const STRATEGY: Strategy = ADMISSION;
    const NAME: NameRule = NameRule::PathSegment;
    const CHECKS_NEW_METADATA: bool = false;
    const UPDATE_PASSES: &'static [Pass] = passes::SPEC;

    fn checks() -> Checks {
        Checks::none().validate(create_budget).validate_part_alone("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a PodDisruptionBudget.
fn create_budget(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    if get(spec, "minAvailable").is_some() && get(spec, "maxUnavailable").is_some() {
        let value = internal::form("k8s.io/api/policy/v1", "PodDisruptionBudgetSpec", spec);
        errors.invalid(&path, value, "minAvailable and maxUnavailable cannot be both set");
    }
    for field in ["minAvailable", "maxUnavailable"] {
        errors.extend(int_or_percent(spec, field, &path));
        errors.extend(above_hundred(spec, field, &path));
    }
    errors.extend(label_selector::validate(at(spec, "/selector"), &path.child("selector")));
    let policies = ["AlwaysAllow", "IfHealthyBudget"];
    errors.extend(one_of(spec, "unhealthyPodEvictionPolicy", &policies, &path));
    errors
}

/// Validates the status of a PodDisruptionBudget.
fn update_status(object: &Value, _old: &Value) -> Vec<Error> {
    let (status, path) = (at(object, "/status"), Path::new("status"));
    let mut errors = condition::validate(list(status, "conditions"), &path.child("conditions"));
    let counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];
    errors.extend(counts.iter().filter_map(|field| not_negative(status, field, &path)));
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn budgets() {
        let budget = |spec: Value| create_budget(&json!({"spec": spec}));
        check(&budget(json!({"selector": {}, "minAvailable": "50%"})), "");
        check(
            &budget(json!({"selector": {"matchLabels": {"a": "b"}}, "minAvailable": 1, "maxUnavailable": 1})),
            "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":{\"matchLabels\":{\"a\":\"b\"}},\"MaxUnavailable\":1,\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both set",
        );
        check(
            &budget(json!({"minAvailable": "150%"})),
            "spec.minAvailable: Invalid value: \"150%\": must not be greater than 100%",
        );
        check(
            &budget(json!({"maxUnavailable": -1, "unhealthyPodEvictionPolicy": "Whenever"})),
            "[spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0, \
             spec.unhealthyPodEvictionPolicy: Unsupported value: \"Whenever\": supported values: \"AlwaysAllow\", \"IfHealthyBudget\"]",
        );
    }
}
