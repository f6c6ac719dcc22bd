//! The kind VolumeAttributesClass.

pub(crate) mod printer;

use crate::kind::{ANSWERS_OBJECT, Kind, Pass, Printer, Strategy};
use field::Error;
use json_tree::Value;

/// The kind VolumeAttributesClass.
pub(crate) struct VolumeAttributesClass;

impl Kind for VolumeAttributesClass {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "volumeattributesclasses";
    const STRATEGY: Strategy = ANSWERS_OBJECT;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Create, Pass::Update, Pass::Create];

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::storage::storage_class::create_attributes(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::storage::storage_class::update_attributes(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
