//! The kind PodTemplate.

mod printer;
mod warnings;

use json_tree::Value;

use crate::kind::{Kind, Printer, Strategy, TRACKED};
use crate::kinds::core::pod;
use field::Error;

/// The kind PodTemplate.
pub(crate) struct PodTemplate;

impl Kind for PodTemplate {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "podtemplates";
    const STRATEGY: Strategy = Strategy { delete_answers_object: true, ..TRACKED };
    const POD_SPEC: Option<&'static str> = Some("/template/spec");

    fn validate(object: &Value) -> Vec<Error> {
        pod::create_template(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        pod::update_template(object, old)
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::warn(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
