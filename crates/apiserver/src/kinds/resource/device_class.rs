//! The kind DeviceClass.

use crate::kind::{Checks, Kind, Pass, Printer, Strategy, TRACKED, passes};
use crate::kinds::resource::resource_claim;
use crate::printing::cells;

/// The kind DeviceClass.
pub(crate) struct DeviceClass;

impl Kind for DeviceClass {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "deviceclasses";
    const STRATEGY: Strategy = Strategy { delete_answers_object: true, ..TRACKED };
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(resource_claim::create_class).validate_update(resource_claim::update_class)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(cells::NAMED_COLUMNS, cells::named))
    }
}
