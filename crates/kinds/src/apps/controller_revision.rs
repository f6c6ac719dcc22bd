//! The kind ControllerRevision.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/>.

mod printer;

use json_tree::Value;

use crate::core::workload::not_negatives;
use crate::kind::{Checks, Kind, Pass, Printer};
use crate::validation::metadata::immutable;
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

/// Validates an update of a ControllerRevision. Its data is immutable: Kubernetes compares the bytes, so the order of keys, too.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let [data, old] = [object, old].map(|object| get(object, "data").unwrap_or(&Value::Null));
    if is_written_alike(data, old) { Vec::new() } else { vec![immutable(&Path::new("data"), data.clone())] }
}

/// Returns whether two values are the same, with their keys in the same order.
fn is_written_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut fields = one.iter().zip(other.iter());
            one.len() == other.len()
                && fields.all(|((key, one), (name, other))| key == name && is_written_alike(one, other))
        }
        (Value::Array(one), Value::Array(other)) => {
            let mut items = one.iter().zip(other);
            one.len() == other.len() && items.all(|(one, other)| is_written_alike(one, other))
        }
        // A whole float is stored without its fraction.
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => a.as_f64() == b.as_f64(),
        _ => one == other,
    }
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
        let [one, other] = [json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})].map(|data| revision(data, 1));
        check(&update(&one, &one), "");
        check(&update(&revision(json!({"a": 1000.0}), 1), &revision(json!({"a": 1000}), 1)), "");
        check(&update(&one, &other), "data: Invalid value: {\"a\":1,\"b\":2}: field is immutable");
    }
}
