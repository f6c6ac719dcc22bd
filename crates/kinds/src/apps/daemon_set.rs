//! The kind DaemonSet.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/>.

mod printer;
mod strategy;

use json_tree::Value;

use crate::core::pod;
use crate::core::workload::status::{Rules, with_collisions};
use crate::core::workload::{
    APPS, amount, amounts, not_negatives, runs_always, selector_unchanged, template_labels, warnings,
};
use crate::kind::{AnnotationInSpec, Checks, Kind, Printer, Strategy};
use crate::validation::read::{at, get, text};
use crate::validation::{internal, label_selector};
use field::{AddError, Error, Path};

pub(crate) use strategy::TEMPLATE_GENERATION;

/// The kind DaemonSet.
pub(crate) struct DaemonSet;

impl Kind for DaemonSet {
    const GROUP: &'static str = "apps";
    const RESOURCE: &'static str = "daemonsets";
    const STRATEGY: Strategy = strategy::STRATEGY;
    const ANNOTATION_IN_SPEC: Option<AnnotationInSpec> =
        Some(AnnotationInSpec { name: TEMPLATE_GENERATION, in_empty: Some("0") });
    const POD_SPEC: Option<&'static str> = Some("/spec/template/spec");

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", update_status)
            .warn(warnings::workload)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a DaemonSet.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (selector, at_selector) = (get(spec, "selector"), path.child("selector"));
    let mut errors =
        selector.map(|selector| label_selector::validate(selector, &at_selector)).unwrap_or_default();
    if errors.is_empty() {
        errors.extend(template_labels(spec, &path));
    }
    if let Some(selector) = selector.filter(|selector| label_selector::is_empty(selector)) {
        let why = "empty selector is invalid for daemonset";
        errors.invalid(&at_selector, selector.clone(), why);
    }
    errors.extend(pod::template(at(spec, "/template"), &path.child("template")));
    errors.extend(runs_always(spec, &path, "DaemonSet"));
    errors.extend(not_negatives(spec, &["minReadySeconds"], &path));
    errors.extend(strategy(at(spec, "/updateStrategy"), &path.child("updateStrategy")));
    errors.extend(not_negatives(spec, &["revisionHistoryLimit"], &path));
    errors
}

/// Validates an updated DaemonSet.
pub(crate) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors: Vec<Error> = selector_unchanged(object, old).into_iter().collect();
    errors.extend(create(object));
    errors
}

fn strategy(strategy: &Value, path: &Path) -> Vec<Error> {
    let at = path.child("rollingUpdate");
    match (text(strategy, "type"), get(strategy, "rollingUpdate")) {
        ("OnDelete", _) | ("", None) => Vec::new(),
        ("" | "RollingUpdate", Some(rolling)) => rolling_update(rolling, &at),
        ("RollingUpdate", None) => vec![Error::required(&at, "")],
        _ => {
            let value = internal::form(APPS, "DaemonSetUpdateStrategy", strategy);
            vec![Error::not_supported(path, value, &["RollingUpdate", "OnDelete"])]
        }
    }
}

/// One of the two numbers is zero, and the other is not.
fn rolling_update(rolling: &Value, path: &Path) -> Vec<Error> {
    let mut errors = amounts(rolling, &["maxUnavailable", "maxSurge"], path);
    let surge = at(rolling, "/maxSurge");
    match (amount(at(rolling, "/maxUnavailable")) != 0, amount(surge) != 0) {
        (true, true) => {
            let why = "may not be set when maxUnavailable is non-zero";
            errors.invalid(path.child("maxSurge"), surge.clone(), why);
        }
        (false, false) => {
            errors.required(path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0");
        }
        _ => {}
    }
    errors
}

/// The numbers in the status.
const STATUS: Rules = Rules {
    counts: &[
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ],
    within: &[],
    ready: "",
};

/// Validates the status of a DaemonSet.
fn update_status(object: &Value, old: &Value) -> Vec<Error> {
    with_collisions(STATUS.check(object), object, old)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::core::workload::tests::workload;
    use crate::validation::check;

    #[test]
    fn daemon_sets() {
        let strategy = |strategy: Value, expected: &str| {
            check(&create(&workload(json!({ "updateStrategy": strategy }))), expected);
        };
        strategy(json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}), "");
        strategy(json!({"type": "OnDelete"}), "");
        strategy(json!({"type": "RollingUpdate"}), "spec.updateStrategy.rollingUpdate: Required value");
        strategy(
            json!({"type": "Later"}),
            "spec.updateStrategy: Unsupported value: {\"Type\":\"Later\",\"RollingUpdate\":null}: supported values: \"RollingUpdate\", \"OnDelete\"",
        );
        strategy(
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%", "maxSurge": "200%"}}),
            "[spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: \"200%\": must not be greater than 100%, \
             spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: \"200%\": may not be set when maxUnavailable is non-zero]",
        );
        strategy(
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 0}}),
            "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
        );
    }

    #[test]
    fn the_selector_of_a_daemon_set_comes_first() {
        let (old, mut new) = (workload(json!({})), workload(json!({"minReadySeconds": -1})));
        new["spec"]["selector"]["matchLabels"] = json!({"app": "a", "b": "c"});
        new["spec"]["template"]["metadata"]["labels"]["b"] = "c".into();
        check(
            &update(&new, &old),
            "[spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"a\",\"b\":\"c\"}}: field is immutable, \
             spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0]",
        );
    }
}
