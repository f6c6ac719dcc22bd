//! The kind CSIStorageCapacity.

mod printer;
mod warnings;

use json_tree::Value;

use crate::kind::{Kind, Pass, Printer, REQUIRES_VERSION, Strategy, passes};
use crate::kinds::storage::csi;
use field::Error;

/// The kind CSIStorageCapacity.
pub(crate) struct CSIStorageCapacity;

impl Kind for CSIStorageCapacity {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csistoragecapacities";
    const STRATEGY: Strategy = REQUIRES_VERSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        csi::create_capacity(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        csi::update_capacity(object, old)
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::warn(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
