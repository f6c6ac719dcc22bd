//! The kind ComponentStatus.

mod printer;

use crate::kind::{Action, Kind, Printer, Subresource};

/// The kind ComponentStatus.
pub(crate) struct ComponentStatus;

impl Kind for ComponentStatus {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "componentstatuses";
    const DEPRECATION: Option<&'static str> = Some("v1 ComponentStatus is deprecated in v1.19+");
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::ComponentStatuses))];

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
