//! The kind RuntimeClass.
//!
//! See <https://kubernetes.io/docs/concepts/containers/runtime-class/>.

mod printer;
mod warnings;

use json_tree::{Value, json};

use crate::core::pod::{resources, scheduling};
use crate::kind::{Checks, Kind, Pass, Printer, REQUIRES_VERSION, Strategy, passes};
use crate::validation::checks::repeated;
use crate::validation::metadata::{self, immutable};
use crate::validation::read::{at, get, list, map, text};
use crate::validation::{internal, name};
use field::{AddError, Error, Path};

/// The kind RuntimeClass.
pub(crate) struct RuntimeClass;

impl Kind for RuntimeClass {
    const GROUP: &'static str = "node.k8s.io";
    const RESOURCE: &'static str = "runtimeclasses";
    const STRATEGY: Strategy = Strategy { create_on_update: true, ..REQUIRES_VERSION };
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

fn create(object: &Value) -> Vec<Error> {
    let (handler, path) = (text(object, "handler"), Path::new("handler"));
    let mut errors = Vec::new();
    if handler.is_empty() {
        errors.required(&path, "");
    } else {
        errors.extend(name::label(handler).into_iter().map(|why| Error::invalid(&path, handler, why)));
    }
    if let Some(fixed) = get(at(object, "/overhead"), "podFixed") {
        resources::overhead(&json!({ "overhead": fixed }), &Path::default(), &mut errors);
    }
    let (scheduling, path) = (at(object, "/scheduling"), Path::new("scheduling"));
    if let Some(labels) = map(scheduling, "nodeSelector") {
        errors.extend(metadata::labels(labels, &path.child("nodeSelector")));
    }
    scheduling::tolerations(scheduling, &path, &mut errors);
    let (tolerations, path) = (list(scheduling, "tolerations"), path.child("tolerations"));
    for (index, (toleration, repeated)) in tolerations.iter().zip(repeated(tolerations)).enumerate() {
        if repeated {
            let value = internal::form(internal::CORE, "Toleration", toleration);
            errors.duplicate(path.index(index), value);
        }
    }
    errors
}

/// Validates an update of a RuntimeClass. Only its handler is checked.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let handler = text(object, "handler");
    if handler == text(old, "handler") {
        return Vec::new();
    }
    vec![immutable(&Path::new("handler"), handler.into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    #[test]
    fn classes() {
        check(&create(&json!({"handler": "a"})), "");
        check(&create(&json!({})), "handler: Required value");
        check(
            &create(
                &json!({"handler": "a", "overhead": {"podFixed": {"cpu": "-1", "x.io/y": "1500m", "pods": "1"}},
                "scheduling": {"tolerations": [{"key": "a"}, {"key": "a"}]}}),
            ),
            "[overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0, \
             overhead.limits[x.io/y]: Invalid value: \"1500m\": must be an integer, \
             overhead.limits[pods]: Invalid value: \"pods\": must be a standard resource for containers, \
             scheduling.tolerations[1]: Duplicate value: \
             {\"Key\":\"a\",\"Operator\":\"\",\"Value\":\"\",\"Effect\":\"\",\"TolerationSeconds\":null}]",
        );
        check(
            &update(&json!({"handler": "i"}), &json!({"handler": "h"})),
            "handler: Invalid value: \"i\": field is immutable",
        );
    }
}
