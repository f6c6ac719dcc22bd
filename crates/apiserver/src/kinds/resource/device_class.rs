//! The kind DeviceClass.

use crate::kind::{Kind, Pass, Printer, Strategy, TRACKED, passes};
use field::Error;
use json_tree::Value;

/// The kind DeviceClass.
pub(crate) struct DeviceClass;

impl Kind for DeviceClass {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "deviceclasses";
    const STRATEGY: Strategy = Strategy { delete_answers_object: true, ..TRACKED };
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::resource::resource_claim::create_class(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::resource::resource_claim::update_class(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(crate::printing::cells::NAMED_COLUMNS, crate::printing::cells::named))
    }
}
