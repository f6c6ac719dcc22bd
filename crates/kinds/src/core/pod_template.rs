//! The kind PodTemplate: a template of pods that is an object of its own.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/>.

mod printer;
mod warnings;

use json_tree::Value;

use crate::core::pod;
use crate::kind::{Checks, Kind, Printer, Strategy, TRACKED};
use crate::validation::read::at;
use field::{Error, Path};

/// The kind PodTemplate.
pub(crate) struct PodTemplate;

impl Kind for PodTemplate {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "podtemplates";
    const STRATEGY: Strategy = Strategy { delete_answers_object: true, ..TRACKED };
    const POD_SPEC: Option<&'static str> = Some("/template/spec");

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a PodTemplate.
fn create(object: &Value) -> Vec<Error> {
    pod::template(at(object, "/template"), &Path::new("template"))
}

/// Validates an updated PodTemplate as a new one.
fn update(object: &Value, _: &Value) -> Vec<Error> {
    create(object)
}
