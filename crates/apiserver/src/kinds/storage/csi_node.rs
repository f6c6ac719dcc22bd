//! The kind CSINode.

mod printer;

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::storage::csi;
use field::Error;

/// The kind CSINode.
pub(crate) struct CSINode;

impl Kind for CSINode {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csinodes";
    const STRATEGY: Strategy = Strategy { requires_version: true, ..ANSWERS_OBJECT };
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn validate(object: &Value) -> Vec<Error> {
        csi::create_node(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        csi::update_node(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
