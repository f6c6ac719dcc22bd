//! The kind ReplicationController.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/>.

mod printer;

use json_tree::{Map, Value};

use crate::core::pod;
use crate::core::workload::{mismatch, not_negatives, runs_always, status, warnings};
use crate::kind::{Checks, Dependents, Kind, Printer, Strategy, Subresource, TRACKED};
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, map};
use apimachinery::selector::field::{SelectableFields, Source};
use field::{AddError, Error, Path};

/// The kind ReplicationController.
pub(crate) struct ReplicationController;

impl Kind for ReplicationController {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "replicationcontrollers";
    const STORAGE_PREFIX: Option<&'static str> = Some("controllers");
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> =
        Some(&SelectableFields::of(true, &[("status.replicas", Source::At("/status/replicas", "0"))]));
    const STRATEGY: Strategy = Strategy { dependents: Dependents::Orphan, ..TRACKED };
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[("scale", Subresource::Scale)];
    const POD_SPEC: Option<&'static str> = Some("/spec/template/spec");
    const NAME: NameRule = NameRule::LongName;
    const CHECKS_GENERATE_NAME: bool = false;

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", status::update_replica_set)
            .warn(warnings::named_workload)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a ReplicationController.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = not_negatives(spec, &["minReadySeconds"], &path);
    let selector = map(spec, "selector").filter(|selector| !selector.is_empty());
    if selector.is_none() {
        errors.required(path.child("selector"), "");
    }
    errors.extend(not_negatives(spec, &["replicas"], &path));
    let Some(template) = get(spec, "template") else {
        errors.required(path.child("template"), "");
        return errors;
    };
    if let Some(selector) = selector {
        let labels = at(template, "/metadata/labels");
        if !selects(selector, labels) {
            errors.push(mismatch(labels, &path));
        }
    }
    errors.extend(pod::template(template, &path.child("template")));
    errors.extend(runs_always(spec, &path, "ReplicationController"));
    errors
}

/// Validates an updated ReplicationController.
fn update(object: &Value, _old: &Value) -> Vec<Error> {
    create(object)
}

fn selects(selector: &Map<String, Value>, labels: &Value) -> bool {
    selector.iter().all(|(key, value)| labels.get(key) == Some(value))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::core::workload::tests::{with, workload};
    use crate::validation::check;

    #[test]
    fn replication_controllers() {
        let controller = |more: Value, expected: &str| {
            let spec = with(workload(json!({"selector": {"app": "a"}}))["spec"].clone(), more);
            check(&create(&spec), expected);
        };
        controller(json!({}), "");
        controller(
            json!({"selector": null, "template": null, "replicas": -1, "minReadySeconds": -1}),
            "[spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0, spec.selector: Required value, \
             spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template: Required value]",
        );
        controller(
            json!({"selector": {"app": "b"}}),
            "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`",
        );
    }
}
