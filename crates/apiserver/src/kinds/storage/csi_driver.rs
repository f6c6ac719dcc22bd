//! The kind CSIDriver.

mod printer;
mod warnings;

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Printer, Strategy};
use crate::kinds::storage::csi;
use crate::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};

/// The kind CSIDriver.
pub(crate) struct CSIDriver;

impl Kind for CSIDriver {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csidrivers";
    const STRATEGY: Strategy = Strategy { requires_version: true, prepare_for_update, ..ANSWERS_OBJECT };

    fn checks() -> Checks {
        Checks::none().validate(csi::create_driver).validate_update(csi::update_driver).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// A driver of which something changes is another generation of it; the first has no number.
fn prepare_for_update(driver: &mut Object, old: &Object) {
    if driver.get("spec") == old.get("spec") {
        return;
    }
    let metadata = metadata_mut(driver);
    let generation = metadata.get("generation").and_then(Value::as_i64).unwrap_or_default();
    set_in_order(metadata, "generation", (generation + 1).into(), METADATA_ORDER);
}
