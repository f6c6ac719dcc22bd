//! The kind ResourceClaim. What claims have in common with their templates is in `claim.rs`.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>.

mod printer;
mod status;
pub(crate) mod strategy;

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Paths, Printer, Strategy, passes};
use crate::resource::claim::{devices, spec_changed};
use crate::validation::read::at;
use field::{Error, Path};

/// The kind ResourceClaim.
pub(crate) struct ResourceClaim;

impl Kind for ResourceClaim {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "resourceclaims";
    const STRATEGY: Strategy = strategy::STRATEGY;
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).validate_part("status", status::update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a ResourceClaim.
fn create(object: &Value) -> Vec<Error> {
    devices(at(object, "/spec/devices"), &Path::new("spec").child("devices"))
}

/// Validates an update of a ResourceClaim: its spec is immutable.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    spec_changed(object, old, "ResourceClaimSpec").into_iter().collect()
}
