//! The kind VolumeAttributesClass.

mod printer;

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Kind, Pass, Printer, Strategy};
use crate::kinds::storage::storage_class;
use field::Error;

/// The kind VolumeAttributesClass.
pub(crate) struct VolumeAttributesClass;

impl Kind for VolumeAttributesClass {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "volumeattributesclasses";
    const STRATEGY: Strategy = ANSWERS_OBJECT;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Create, Pass::Update, Pass::Create];

    fn validate(object: &Value) -> Vec<Error> {
        storage_class::create_attributes(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        storage_class::update_attributes(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
