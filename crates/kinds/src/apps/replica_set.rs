//! The kind ReplicaSet.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/>.

mod printer;

use json_tree::Value;

use crate::core::workload::{
    complete, not_negatives, selector_and_template, selector_unchanged, status, warnings,
};
use crate::kind::{Checks, Kind, Printer, Strategy, Subresource, TRACKED};
use crate::validation::read::at;
use field::{Error, Path};

/// The kind ReplicaSet.
pub(crate) struct ReplicaSet;

impl Kind for ReplicaSet {
    const GROUP: &'static str = "apps";
    const RESOURCE: &'static str = "replicasets";
    const STRATEGY: Strategy = Strategy { complete, ..TRACKED };
    const COUNTS_REPLICAS: bool = true;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[("scale", Subresource::Scale)];
    const POD_SPEC: Option<&'static str> = Some("/spec/template/spec");

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

/// Validates a ReplicaSet.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = not_negatives(spec, &["replicas", "minReadySeconds"], &path);
    errors.extend(selector_and_template(spec, &path));
    errors
}

/// Validates an updated ReplicaSet.
pub(crate) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
    errors.extend(selector_unchanged(object, old));
    errors
}
