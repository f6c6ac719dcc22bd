//! ReplicaSet.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/>.

mod printer;

use json_tree::Value;

use crate::kind::{Kind, Pass, Printer, Strategy, Subresource, TRACKED, ValidateUpdate, passes};
use crate::kinds::core::workload::{
    not_negatives, selector_and_template, selector_unchanged, status, warnings,
};
use crate::validation::read::at;
use field::{Error, Path};

/// The kind ReplicaSet.
pub(crate) struct ReplicaSet;

impl Kind for ReplicaSet {
    const GROUP: &'static str = "apps";
    const RESOURCE: &'static str = "replicasets";
    const STRATEGY: Strategy = TRACKED;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[("scale", Subresource::Scale)];
    const POD_SPEC: Option<&'static str> = Some("/spec/template/spec");
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        create(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        update(object, old)
    }

    fn validate_part(subresource: &str) -> Option<ValidateUpdate> {
        match subresource {
            "status" => Some(status::update_replica_set),
            _ => None,
        }
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::named_workload(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a ReplicaSet.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = not_negatives(spec, &["replicas", "minReadySeconds"], &path);
    errors.extend(selector_and_template(spec, &path));
    errors
}

/// Validates an updated ReplicaSet, which has been checked as a new one already.
pub(crate) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
    errors.extend(selector_unchanged(object, old));
    errors
}
