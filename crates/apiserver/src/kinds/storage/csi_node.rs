//! The kind CSINode.

pub(crate) mod printer;

use crate::kind::{ANSWERS_OBJECT, Kind, Pass, Printer, Strategy, passes};
use field::Error;
use json_tree::Value;

/// The kind CSINode.
pub(crate) struct CSINode;

impl Kind for CSINode {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csinodes";
    const STRATEGY: Strategy = Strategy { requires_version: true, ..ANSWERS_OBJECT };
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::storage::csi::create_node(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::storage::csi::update_node(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
