//! The kind VolumeAttachment.

mod printer;

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Kind, Pass, Paths, Printer, Strategy, keep_metadata};
use crate::kinds::storage::storage_class;
use field::Error;

/// The kind VolumeAttachment.
pub(crate) struct VolumeAttachment;

impl Kind for VolumeAttachment {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "volumeattachments";
    const STRATEGY: Strategy =
        Strategy { requires_version: true, prepare_for_status_update: keep_metadata, ..ANSWERS_OBJECT };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Create, Pass::Metadata, Pass::Change];

    fn validate(object: &Value) -> Vec<Error> {
        storage_class::create_attachment(object)
    }

    fn validate_new(object: &Value) -> Vec<Error> {
        storage_class::new_attachment(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        storage_class::update_attachment(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
