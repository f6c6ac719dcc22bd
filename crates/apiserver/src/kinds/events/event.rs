//! The kind Event.

use crate::kind::{Kind, Pass, Printer};
use crate::validation::name::NameRule;
use field::Error;
use json_tree::Value;

/// The kind Event.
pub(crate) struct Event;

impl Kind for Event {
    const GROUP: &'static str = "events.k8s.io";
    const RESOURCE: &'static str = "events";
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Change];

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::core::event::create(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::core::event::update(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(
            crate::kinds::core::event::printer::COLUMNS,
            crate::kinds::core::event::printer::cells,
        ))
    }
}
