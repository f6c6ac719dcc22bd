//! The kind DeviceClass.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#deviceclass>.

use json_tree::Value;

use crate::core::resource_names;
use crate::kind::{Checks, Kind, Pass, Printer, Strategy, TRACKED, passes};
use crate::printing::cells;
use crate::resource::device::{MAX_ITEMS, configuration, selectors};
use crate::validation::checks::each;
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, list};
use field::{AddError, Error, Path};

/// The kind DeviceClass.
pub(crate) struct DeviceClass;

impl Kind for DeviceClass {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "deviceclasses";
    const STRATEGY: Strategy = Strategy { delete_answers_object: true, ..TRACKED };
    const NAME: NameRule = NameRule::LongName;
    const CHECKS_GENERATE_NAME: bool = false;
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(cells::NAMED_COLUMNS, cells::named))
    }
}

/// Validates a DeviceClass.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = selectors(spec, &path);
    errors.extend(each(list(spec, "config"), MAX_ITEMS, &path.child("config"), |config, path| {
        configuration(config, path)
    }));
    if let Some(resource) = get(spec, "extendedResourceName").and_then(Value::as_str)
        && !resource_names::is_extended(resource)
    {
        let at = path.child("extendedResourceName");
        errors.invalid(&at, resource, "must be a valid extended resource name");
    }
    errors
}

/// Validates an updated DeviceClass as a new one.
fn update(object: &Value, _: &Value) -> Vec<Error> {
    create(object)
}
