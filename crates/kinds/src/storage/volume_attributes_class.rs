//! The kind VolumeAttributesClass.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/>.

mod printer;

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::storage::storage_class::{parameters, provisioner};
use crate::validation::read::{get, same};
use field::{Error, Path};

/// The kind VolumeAttributesClass.
pub(crate) struct VolumeAttributesClass;

impl Kind for VolumeAttributesClass {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "volumeattributesclasses";
    const STRATEGY: Strategy = ANSWERS_OBJECT;
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a VolumeAttributesClass.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = provisioner(object, "driverName");
    errors.extend(parameters(object, false));
    errors
}

/// Validates an update of a VolumeAttributesClass.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let changed = |field: &&str| !same(get(object, field), get(old, field));
    let forbidden = |field| Error::forbidden(Path::new(field), format!("updates to {field} are forbidden."));
    ["driverName", "parameters"].into_iter().filter(changed).map(forbidden).collect()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn attributes() {
        check(&create(&json!({"driverName": "d", "parameters": {"a": "b"}})), "");
        check(
            &create(&json!({"driverName": "d"})),
            "parameters: Required value: must contain at least one key/value pair",
        );
        check(
            &update(&json!({"driverName": "e", "parameters": {"a": "c"}}), &json!({"driverName": "d"})),
            "[driverName: Forbidden: updates to driverName are forbidden., parameters: Forbidden: updates to parameters are forbidden.]",
        );
    }
}
