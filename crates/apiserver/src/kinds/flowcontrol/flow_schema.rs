//! The kind FlowSchema.

mod printer;

use json_tree::Value;

use crate::kind::{Kind, Pass, Paths, Printer, Strategy, TRACKED, ValidateUpdate, keep_metadata, passes};
use crate::kinds::flowcontrol::priority_level_configuration;
use field::Error;

/// The kind FlowSchema.
pub(crate) struct FlowSchema;

impl Kind for FlowSchema {
    const GROUP: &'static str = "flowcontrol.apiserver.k8s.io";
    const RESOURCE: &'static str = "flowschemas";
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..TRACKED };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        priority_level_configuration::create_schema(object)
    }

    fn validate_part(subresource: &str) -> Option<ValidateUpdate> {
        match subresource {
            "status" => Some(priority_level_configuration::update_status),
            _ => None,
        }
    }

    fn printer() -> Option<Printer> {
        Some(Printer { order: Some(printer::order), ..Printer::of(printer::COLUMNS, printer::cells) })
    }
}
