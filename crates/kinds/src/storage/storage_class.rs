//! The kind StorageClass.
//!
//! See <https://kubernetes.io/docs/concepts/storage/storage-classes/>.

mod printer;
mod warnings;

use std::collections::{BTreeMap, HashMap};

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::checks::{given_choice, named, repeated, texts, unchanged};
use crate::validation::name;
use crate::validation::read::{list, map, text};
use crate::validation::values::one_of;
use field::{AddError, Error, Path};

/// The kind StorageClass.
pub(crate) struct StorageClass;

impl Kind for StorageClass {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "storageclasses";
    const STRATEGY: Strategy = ANSWERS_OBJECT;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const FIELDS: [&str; 4] = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"];
const BINDING_MODES: [&str; 2] = ["Immediate", "WaitForFirstConsumer"];
const MAX_PARAMETERS: usize = 512;
pub(super) const MAX_SIZE: usize = 256 * 1024;
/// The number of errors that are told of a class whose terms are alike.
const MAX_DUPLICATES: usize = 20_000;

/// Validates a StorageClass.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = provisioner(object, "provisioner");
    errors.extend(parameters(object, true));
    let root = Path::default();
    if !text(object, "reclaimPolicy").is_empty() {
        errors.extend(one_of(object, "reclaimPolicy", &["Delete", "Retain"], &root));
    }
    errors.extend(given_choice(object, "volumeBindingMode", &BINDING_MODES, &root));
    errors.extend(topologies(list(object, "allowedTopologies"), &Path::new("allowedTopologies")));
    errors
}

/// Validates an update of a StorageClass.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, &FIELDS, &Path::default())
}

pub(super) fn provisioner(object: &Value, field: &str) -> Vec<Error> {
    let (this, path) = (text(object, field), Path::new(field));
    if this.is_empty() {
        return vec![Error::required(&path, "")];
    }
    named(&this.to_ascii_lowercase(), name::qualified_name, &path)
}

pub(super) fn parameters(object: &Value, may_be_empty: bool) -> Vec<Error> {
    let path = Path::new("parameters");
    let Some(parameters) = map(object, "parameters").filter(|parameters| !parameters.is_empty()) else {
        let error = || Error::required(&path, "must contain at least one key/value pair");
        return if may_be_empty { Vec::new() } else { vec![error()] };
    };
    if parameters.len() > MAX_PARAMETERS {
        return vec![Error::too_long(&path, MAX_PARAMETERS)];
    }
    let mut errors = Vec::new();
    if parameters.contains_key("") {
        errors.invalid(&path, "", "field can not be empty.");
    }
    let size = |(key, value): (&String, &Value)| key.len() + value.as_str().map_or(0, str::len);
    if parameters.iter().map(size).sum::<usize>() > MAX_SIZE {
        errors.too_long(&path, MAX_SIZE);
    }
    errors
}

fn topologies(terms: &[Value], path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen: HashMap<Vec<(&str, Vec<&str>)>, usize> = HashMap::new();
    for (index, term) in terms.iter().enumerate() {
        let path = path.index(index).child("matchLabelExpressions");
        let mut expressions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (index, expression) in list(term, "matchLabelExpressions").iter().enumerate() {
            let path = path.index(index);
            let (key, mut values) = (text(expression, "key"), texts(expression, "values"));
            let at = path.child("values");
            if values.is_empty() {
                errors.required(&at, "");
            }
            for (index, (value, repeated)) in values.iter().zip(repeated(&values)).enumerate() {
                if repeated {
                    errors.duplicate(at.index(index), *value);
                }
            }
            errors.extend(named(key, name::qualified_name, &path.child("key")));
            schema::sort_once(&mut values);
            if expressions.insert(key, values).is_some() {
                errors.duplicate(path.child("key"), key);
            }
        }
        let expressions: Vec<_> = expressions.into_iter().collect();
        // A term that says nothing is compared with as many other empty ones as there are terms.
        let empty = if expressions.is_empty() { terms.len() } else { 0 };
        let same = seen.entry(expressions).or_insert(0);
        // Each pair of terms makes an error. Nobody has read the first thousands.
        let room = MAX_DUPLICATES.saturating_sub(errors.len());
        errors.extend((0..(*same + empty).min(room)).map(|_| Error::duplicate(&path, "")));
        *same += 1;
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn classes() {
        let class = |more: Value| {
            let mut class =
                json!({"provisioner": "X.io/y", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"});
            if let (Some(class), Value::Object(more)) = (class.as_object_mut(), more) {
                class.extend(more);
            }
            class
        };
        check(&create(&class(json!({}))), "");
        check(
            &create(&json!({"reclaimPolicy": "Hoard", "volumeBindingMode": "Never"})),
            "[provisioner: Required value, \
             reclaimPolicy: Unsupported value: \"Hoard\": supported values: \"Delete\", \"Retain\", \
             volumeBindingMode: Unsupported value: \"Never\": supported values: \"Immediate\", \"WaitForFirstConsumer\"]",
        );
        let zone = |values: Value| json!({"matchLabelExpressions": [{"key": "zone", "values": values}]});
        check(&create(&class(json!({"allowedTopologies": [zone(json!(["a"])), zone(json!(["b"]))]}))), "");
        check(
            &create(&class(
                json!({"allowedTopologies": [zone(json!(["a", "b"])), zone(json!(["b", "a", "a"]))]}),
            )),
            "[allowedTopologies[1].matchLabelExpressions[0].values[2]: Duplicate value: \"a\", \
             allowedTopologies[1].matchLabelExpressions: Duplicate value: \"\"]",
        );
        check(
            &update(&json!({"provisioner": "q", "parameters": {"a": "b"}}), &json!({"provisioner": "p"})),
            "[parameters: Invalid value: {\"a\":\"b\"}: field is immutable, provisioner: Invalid value: \"q\": field is immutable]",
        );
    }
}
