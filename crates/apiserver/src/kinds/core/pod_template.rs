//! The kind PodTemplate.

mod printer;
mod warnings;

use crate::kind::{Checks, Kind, Printer, Strategy, TRACKED};
use crate::kinds::core::pod;

/// The kind PodTemplate.
pub(crate) struct PodTemplate;

impl Kind for PodTemplate {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "podtemplates";
    const STRATEGY: Strategy = Strategy { delete_answers_object: true, ..TRACKED };
    const POD_SPEC: Option<&'static str> = Some("/template/spec");

    fn checks() -> Checks {
        Checks::none()
            .validate(pod::create_template)
            .validate_update(pod::update_template)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
