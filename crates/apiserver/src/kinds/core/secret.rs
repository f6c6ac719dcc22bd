//! The kind Secret.

mod printer;
mod warnings;

use json_tree::Value;

use crate::kind::{Kind, Pass, Printer, passes};
use crate::kinds::core::config_map;
use apimachinery::selector::field::{SelectableFields, Source};
use field::Error;

/// The kind Secret.
pub(crate) struct Secret;

impl Kind for Secret {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "secrets";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> =
        Some(&SelectableFields::of(true, &[("type", Source::At("/type", ""))]));
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        config_map::create_secret(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        config_map::update_secret(object, old)
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::warn(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
