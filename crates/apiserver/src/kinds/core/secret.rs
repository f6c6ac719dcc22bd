//! The kind Secret.

mod printer;
mod warnings;

use crate::kind::{Checks, Kind, Pass, Printer, passes};
use crate::kinds::core::config_map;
use apimachinery::selector::field::{SelectableFields, Source};

/// The kind Secret.
pub(crate) struct Secret;

impl Kind for Secret {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "secrets";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> =
        Some(&SelectableFields::of(true, &[("type", Source::At("/type", ""))]));
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none()
            .validate(config_map::create_secret)
            .validate_update(config_map::update_secret)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
