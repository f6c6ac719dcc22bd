//! The kind DeviceClass.

use json_tree::Value;

use crate::kind::{Kind, Pass, Printer, Strategy, TRACKED, passes};
use crate::kinds::resource::resource_claim;
use crate::printing::cells;
use field::Error;

/// The kind DeviceClass.
pub(crate) struct DeviceClass;

impl Kind for DeviceClass {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "deviceclasses";
    const STRATEGY: Strategy = Strategy { delete_answers_object: true, ..TRACKED };
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        resource_claim::create_class(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        resource_claim::update_class(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(cells::NAMED_COLUMNS, cells::named))
    }
}
