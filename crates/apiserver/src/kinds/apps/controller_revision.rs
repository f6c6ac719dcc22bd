//! The kind ControllerRevision.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/>.

mod printer;

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Printer};
use crate::kinds::core::workload::{not_negatives, unchanged};
use crate::validation::read::get;
use field::{Error, Path};

/// The kind ControllerRevision.
pub(crate) struct ControllerRevision;

impl Kind for ControllerRevision {
    const GROUP: &'static str = "apps";
    const RESOURCE: &'static str = "controllerrevisions";
    const UPDATE_PASSES: &'static [Pass] = &[Pass::MetadataUpdate, Pass::Create, Pass::Change];

    fn checks() -> Checks {
        Checks::none().validate(create).validate_new(only_new).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a ControllerRevision, new or changed.
fn create(object: &Value) -> Vec<Error> {
    not_negatives(object, &["revision"], &Path::default())
}

/// Validates the data of a new ControllerRevision.
fn only_new(object: &Value) -> Vec<Error> {
    let why = match get(object, "data") {
        Some(Value::Object(_)) => return Vec::new(),
        Some(_) => "data must be a valid JSON object",
        None => "data is mandatory",
    };
    vec![Error::required(Path::new("data"), why)]
}

/// Validates an update of a ControllerRevision. Its data is immutable.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, "data", &Path::default()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn controller_revisions() {
        let revision = |data: Value, revision: i64| json!({"metadata": {"name": "a", "namespace": "b"}, "data": data, "revision": revision});
        check(
            &create(&revision(json!({"a": 1}), -1)),
            "revision: Invalid value: -1: must be greater than or equal to 0",
        );
        let data = |data: Value, expected: &str| check(&only_new(&revision(data, 1)), expected);
        data(json!({"a": 1}), "");
        data(Value::Null, "data: Required value: data is mandatory");
        data(json!([1]), "data: Required value: data must be a valid JSON object");
        check(
            &update(&revision(json!({"b": {"a": 1}}), 2), &revision(json!({}), 1)),
            "data: Invalid value: {\"b\":{\"a\":1}}: field is immutable",
        );
    }
}
