//! The kind Secret.

pub(crate) mod warnings;

pub(crate) mod printer;

use crate::kind::{Kind, Pass, Printer, passes};
use apimachinery::selector::field::{SelectableFields, Source};
use field::Error;
use json_tree::Value;

/// The kind Secret.
pub(crate) struct Secret;

impl Kind for Secret {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "secrets";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> =
        Some(&SelectableFields::of(true, &[("type", Source::At("/type", ""))]));
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::core::config_map::create_secret(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::core::config_map::update_secret(object, old)
    }

    fn warn(object: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::secret(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
