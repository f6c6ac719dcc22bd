//! The kind Scale.

mod printer;

use json_tree::Value;

use crate::kind::{Checks, Kind, Printer};
use crate::validation::read::at;
use crate::validation::values::not_negative;
use field::{Error, Path};

/// The kind Scale.
pub(crate) struct Scale;

impl Kind for Scale {
    const GROUP: &'static str = "autoscaling";
    const RESOURCE: &'static str = "scales";

    fn checks() -> Checks {
        Checks::none().validate(create)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates the scale of a workload.
fn create(object: &Value) -> Vec<Error> {
    not_negative(at(object, "/spec"), "replicas", &Path::new("spec")).into_iter().collect()
}
