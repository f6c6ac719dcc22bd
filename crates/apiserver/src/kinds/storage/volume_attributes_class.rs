//! The kind VolumeAttributesClass.

mod printer;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Printer, Strategy};
use crate::kinds::storage::storage_class;

/// The kind VolumeAttributesClass.
pub(crate) struct VolumeAttributesClass;

impl Kind for VolumeAttributesClass {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "volumeattributesclasses";
    const STRATEGY: Strategy = ANSWERS_OBJECT;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Create, Pass::Update, Pass::Create];

    fn checks() -> Checks {
        Checks::none()
            .validate(storage_class::create_attributes)
            .validate_update(storage_class::update_attributes)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
