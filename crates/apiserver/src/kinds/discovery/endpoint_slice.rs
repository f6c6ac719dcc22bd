//! The kind EndpointSlice.

mod printer;
mod warnings;

use crate::kind::{Checks, DEFAULT, Generation, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::core::endpoints;

/// The kind EndpointSlice.
pub(crate) struct EndpointSlice;

impl Kind for EndpointSlice {
    const GROUP: &'static str = "discovery.k8s.io";
    const RESOURCE: &'static str = "endpointslices";
    const STRATEGY: Strategy = Strategy { generation: Generation::SpecOrLabels, ..DEFAULT };
    const CHECKS_NEW_METADATA: bool = false;
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn checks() -> Checks {
        Checks::none()
            .validate(endpoints::create_slice)
            .validate_update(endpoints::update_slice)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
