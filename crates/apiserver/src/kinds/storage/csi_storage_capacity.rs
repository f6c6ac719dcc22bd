//! The kind CSIStorageCapacity.

mod printer;
mod warnings;

use crate::kind::{Checks, Kind, Pass, Printer, REQUIRES_VERSION, Strategy, passes};
use crate::kinds::storage::csi;

/// The kind CSIStorageCapacity.
pub(crate) struct CSIStorageCapacity;

impl Kind for CSIStorageCapacity {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csistoragecapacities";
    const STRATEGY: Strategy = REQUIRES_VERSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none()
            .validate(csi::create_capacity)
            .validate_update(csi::update_capacity)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
