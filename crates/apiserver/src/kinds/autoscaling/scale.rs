//! The kind Scale.

mod printer;

use json_tree::Value;

use crate::kind::{Kind, Printer};
use crate::kinds::autoscaling::horizontal_pod_autoscaler;
use field::Error;

/// The kind Scale.
pub(crate) struct Scale;

impl Kind for Scale {
    const GROUP: &'static str = "autoscaling";
    const RESOURCE: &'static str = "scales";

    fn validate(object: &Value) -> Vec<Error> {
        horizontal_pod_autoscaler::create_scale(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
