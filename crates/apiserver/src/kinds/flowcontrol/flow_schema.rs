//! The kind FlowSchema.

mod printer;

use crate::kind::{Checks, Kind, Pass, Paths, Printer, Strategy, TRACKED, keep_metadata, passes};
use crate::kinds::flowcontrol::priority_level_configuration;

/// The kind FlowSchema.
pub(crate) struct FlowSchema;

impl Kind for FlowSchema {
    const GROUP: &'static str = "flowcontrol.apiserver.k8s.io";
    const RESOURCE: &'static str = "flowschemas";
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..TRACKED };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none()
            .validate(priority_level_configuration::create_schema)
            .validate_part("status", priority_level_configuration::update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer { order: Some(printer::order), ..Printer::of(printer::COLUMNS, printer::cells) })
    }
}
