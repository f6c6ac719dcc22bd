//! The kind CSIStorageCapacity.

mod warnings;

use json_tree::Value;

use crate::core::resource_names::negative;
use crate::kind::{Checks, Kind, Pass, REQUIRES_VERSION, Strategy, passes};
use crate::validation::checks::{named, subdomain, unchanged};
use crate::validation::label_selector;
use crate::validation::read::{at, get, text};
use field::{Error, Path};

/// The kind CSIStorageCapacity.
pub(crate) struct CSIStorageCapacity;

impl Kind for CSIStorageCapacity {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csistoragecapacities";
    const STRATEGY: Strategy = REQUIRES_VERSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }
}

/// Validates a CSIStorageCapacity, a report of how much storage there is.
fn create(object: &Value) -> Vec<Error> {
    let root = Path::default();
    let mut errors = get(object, "nodeTopology")
        .map(|topology| label_selector::validate(topology, &root.child("nodeTopology")))
        .unwrap_or_default();
    errors.extend(named(text(object, "storageClassName"), subdomain, &root.child("storageClassName")));
    errors.extend(negative(at(object, "/capacity"), &root.child("capacity")));
    errors
}

/// Validates a changed CSIStorageCapacity: its topology and its storage class are immutable.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, &["nodeTopology", "storageClassName"], &Path::default())
}
