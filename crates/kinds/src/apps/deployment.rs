//! The kind Deployment.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/>.

mod printer;

use std::time::Duration;

use json_tree::Value;

use crate::core::workload::status::{Rules, with_collisions};
use crate::core::workload::{
    APPS, amount, complete, not_negatives, selector_and_template, selector_unchanged, warnings,
};
use crate::kind::{
    AnnotationInSpec, Checks, DEFAULT, Generation, Kind, Paths, Printer, Strategy, Subresource,
};
use crate::validation::internal;
use crate::validation::read::{at, get, integer, text};
use crate::validation::values::{above_hundred, int_or_percent};
use apimachinery::object::{self, METADATA_ORDER, Object, metadata_mut, set_in_order};
use apimachinery::typed_object::insert_sorted;
use field::{AddError, Error, Path};

/// The annotation with the revision to go back to.
pub(crate) const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

/// The kind Deployment.
pub(crate) struct Deployment;

impl Kind for Deployment {
    const GROUP: &'static str = "apps";
    const RESOURCE: &'static str = "deployments";
    const COUNTS_REPLICAS: bool = true;
    const STRATEGY: Strategy = Strategy {
        complete,
        generation: Generation::SpecOrAnnotations,
        status_keeps_labels: true,
        prepare_for_status_update: keep_rollback,
        ..DEFAULT
    };
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[("scale", Subresource::Scale)];
    const RESET_FIELDS: &'static [(&'static str, Paths)] =
        &[("status", &[&["spec"], &["metadata", "labels"]])];
    const ANNOTATION_IN_SPEC: Option<AnnotationInSpec> =
        Some(AnnotationInSpec { name: ROLLBACK_TO, in_empty: None });
    const POD_SPEC: Option<&'static str> = Some("/spec/template/spec");

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", update_status)
            .warn(warnings::named_workload)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Keeps the revision to go back to, which is a part of the spec.
fn keep_rollback(deployment: &mut Object, old: &Object, _: Duration) {
    let before = object::metadata(old, "annotations").and_then(|all| all.get(ROLLBACK_TO)).cloned();
    let metadata = metadata_mut(deployment);
    let mut annotations = match metadata.shift_remove("annotations") {
        Some(Value::Object(annotations)) => annotations,
        _ => Object::new(),
    };
    annotations.shift_remove(ROLLBACK_TO);
    if let Some(before) = before {
        insert_sorted(&mut annotations, ROLLBACK_TO, before);
    }
    if !annotations.is_empty() {
        set_in_order(metadata, "annotations", annotations.into(), METADATA_ORDER);
    }
}

/// Validates a Deployment.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = not_negatives(spec, &["replicas"], &path);
    errors.extend(selector_and_template(spec, &path));
    errors.extend(strategy(at(spec, "/strategy"), &path.child("strategy")));
    errors.extend(not_negatives(spec, &["minReadySeconds", "revisionHistoryLimit"], &path));
    errors.extend(rollback(object, &path.child("rollback")));
    errors.extend(not_negatives(spec, &["progressDeadlineSeconds"], &path));
    if let Some(deadline) = integer(spec, "progressDeadlineSeconds")
        && deadline <= integer(spec, "minReadySeconds").unwrap_or_default()
    {
        let why = "must be greater than minReadySeconds";
        errors.invalid(path.child("progressDeadlineSeconds"), deadline, why);
    }
    errors
}

/// Validates the revision to go back to, which was a field of the spec once.
fn rollback(object: &Value, path: &Path) -> Option<Error> {
    let sent = text(at(object, "/metadata/annotations"), ROLLBACK_TO);
    let revision = sent.parse::<i64>().ok().filter(|revision| *revision < 0)?;
    let why = "must be greater than or equal to 0";
    Some(Error::invalid(path.child("version"), revision, why))
}

/// Validates an updated Deployment.
pub(crate) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
    errors.extend(selector_unchanged(object, old));
    errors
}

fn strategy(strategy: &Value, path: &Path) -> Vec<Error> {
    let at = path.child("rollingUpdate");
    match (text(strategy, "type"), get(strategy, "rollingUpdate")) {
        ("" | "RollingUpdate", Some(rolling)) => rolling_update(rolling, &at),
        ("" | "Recreate", None) => Vec::new(),
        ("RollingUpdate", None) => {
            vec![Error::required(&at, "this should be defaulted and never be nil")]
        }
        ("Recreate", Some(_)) => {
            vec![Error::forbidden(&at, "may not be specified when strategy `type` is 'Recreate'")]
        }
        _ => {
            let value = internal::form(APPS, "DeploymentStrategy", strategy);
            vec![Error::not_supported(path, value, &["Recreate", "RollingUpdate"])]
        }
    }
}

fn rolling_update(rolling: &Value, path: &Path) -> Vec<Error> {
    let fields = ["maxUnavailable", "maxSurge"];
    let mut errors: Vec<Error> =
        fields.iter().filter_map(|field| int_or_percent(rolling, field, path)).collect();
    let value = at(rolling, "/maxUnavailable");
    if amount(value) == 0 && amount(at(rolling, "/maxSurge")) == 0 {
        let why = "may not be 0 when `maxSurge` is 0";
        errors.invalid(path.child("maxUnavailable"), value.clone(), why);
    }
    errors.extend(above_hundred(rolling, "maxUnavailable", path));
    errors
}

/// The numbers in the status.
const STATUS: Rules = Rules {
    counts: &[
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ],
    within: &["updatedReplicas", "readyReplicas", "availableReplicas"],
    ready: "readyReplicas",
};

/// Validates the status of a Deployment.
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
    fn revisions_to_go_back_to() {
        let check_revision = |revision: &str, expected: &str| {
            let deployment = json!({"metadata": {"annotations": {ROLLBACK_TO: revision}}});
            check(&Vec::from_iter(rollback(&deployment, &Path::new("r"))), expected);
        };
        check_revision("0", "");
        check_revision("-1", "r.version: Invalid value: -1: must be greater than or equal to 0");
    }

    #[test]
    fn numbers_fit_together() {
        let deployment = |status: Value, expected: &str| {
            let old = json!({"status": {"collisionCount": 2}});
            check(&update_status(&json!({ "status": status }), &old), expected);
        };
        deployment(
            json!({"replicas": 2, "readyReplicas": 2, "availableReplicas": 1, "collisionCount": 2}),
            "",
        );
        deployment(
            json!({"replicas": -1, "collisionCount": 3}),
            "[status.replicas: Invalid value: -1: must be greater than or equal to 0, \
             status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas, \
             status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas, \
             status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas]",
        );
        deployment(
            json!({"replicas": 2, "availableReplicas": 1, "collisionCount": 1}),
            "[status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas, \
             status.collisionCount: Invalid value: 1: cannot be decremented]",
        );
    }

    #[test]
    fn deployments() {
        let deployment = |more: Value, expected: &str| check(&create(&workload(more)), expected);
        deployment(
            json!({"template": null}),
            "[spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]",
        );
        deployment(
            json!({"strategy": {"type": "Blue"}}),
            "spec.strategy: Unsupported value: {\"Type\":\"Blue\",\"RollingUpdate\":null}: supported values: \"Recreate\", \"RollingUpdate\"",
        );
        deployment(
            json!({"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}),
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
        );
        deployment(
            json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}}),
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
        );
        deployment(
            json!({"strategy": {"rollingUpdate": {"maxSurge": "lots", "maxUnavailable": "150%"}}}),
            "[spec.strategy.rollingUpdate.maxSurge: Invalid value: \"lots\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%'), \
             spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"150%\": must not be greater than 100%]",
        );
        deployment(
            json!({"replicas": -1, "revisionHistoryLimit": -5, "minReadySeconds": 5, "progressDeadlineSeconds": 5}),
            "[spec.replicas: Invalid value: -1: must be greater than or equal to 0, \
             spec.revisionHistoryLimit: Invalid value: -5: must be greater than or equal to 0, \
             spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds]",
        );
        let old = workload(json!({}));
        check(&update(&old, &old), "");
    }
}
