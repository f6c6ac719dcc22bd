//! The kind EndpointSlice.

pub(crate) mod warnings;

pub(crate) mod printer;

use crate::kind::{DEFAULT, Generation, Kind, Pass, Printer, Strategy, passes};
use field::Error;
use json_tree::Value;

/// The kind EndpointSlice.
pub(crate) struct EndpointSlice;

impl Kind for EndpointSlice {
    const GROUP: &'static str = "discovery.k8s.io";
    const RESOURCE: &'static str = "endpointslices";
    const STRATEGY: Strategy = Strategy { generation: Generation::SpecOrLabels, ..DEFAULT };
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::core::endpoints::create_slice(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::core::endpoints::update_slice(object, old)
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::endpoint_slice(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
