//! The kind CSIStorageCapacity.

pub(crate) mod warnings;

pub(crate) mod printer;

use crate::kind::{Kind, Pass, Printer, REQUIRES_VERSION, Strategy, passes};
use field::Error;
use json_tree::Value;

/// The kind CSIStorageCapacity.
pub(crate) struct CSIStorageCapacity;

impl Kind for CSIStorageCapacity {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csistoragecapacities";
    const STRATEGY: Strategy = REQUIRES_VERSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::storage::csi::create_capacity(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::storage::csi::update_capacity(object, old)
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::capacity(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
