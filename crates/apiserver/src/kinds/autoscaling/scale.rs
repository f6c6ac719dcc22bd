//! The kind Scale.

mod printer;

use crate::kind::{Checks, Kind, Printer};
use crate::kinds::autoscaling::horizontal_pod_autoscaler;

/// The kind Scale.
pub(crate) struct Scale;

impl Kind for Scale {
    const GROUP: &'static str = "autoscaling";
    const RESOURCE: &'static str = "scales";

    fn checks() -> Checks {
        Checks::none().validate(horizontal_pod_autoscaler::create_scale)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
