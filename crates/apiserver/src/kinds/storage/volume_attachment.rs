//! The kind VolumeAttachment.

mod printer;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Paths, Printer, Strategy, keep_metadata};
use crate::kinds::storage::storage_class;

/// The kind VolumeAttachment.
pub(crate) struct VolumeAttachment;

impl Kind for VolumeAttachment {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "volumeattachments";
    const STRATEGY: Strategy =
        Strategy { requires_version: true, prepare_for_status_update: keep_metadata, ..ANSWERS_OBJECT };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Create, Pass::Metadata, Pass::Change];

    fn checks() -> Checks {
        Checks::none()
            .validate(storage_class::create_attachment)
            .validate_new(storage_class::new_attachment)
            .validate_update(storage_class::update_attachment)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
