//! The kind CSINode.

mod printer;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::storage::csi;

/// The kind CSINode.
pub(crate) struct CSINode;

impl Kind for CSINode {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csinodes";
    const STRATEGY: Strategy = Strategy { requires_version: true, ..ANSWERS_OBJECT };
    const CHECKS_NEW_METADATA: bool = false;
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn checks() -> Checks {
        Checks::none().validate(csi::create_node).validate_update(csi::update_node)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
