//! The kind EndpointSlice.

mod printer;
mod warnings;

use json_tree::Value;

use crate::kind::{DEFAULT, Generation, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::core::endpoints;
use field::Error;

/// The kind EndpointSlice.
pub(crate) struct EndpointSlice;

impl Kind for EndpointSlice {
    const GROUP: &'static str = "discovery.k8s.io";
    const RESOURCE: &'static str = "endpointslices";
    const STRATEGY: Strategy = Strategy { generation: Generation::SpecOrLabels, ..DEFAULT };
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn validate(object: &Value) -> Vec<Error> {
        endpoints::create_slice(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        endpoints::update_slice(object, old)
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::warn(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
