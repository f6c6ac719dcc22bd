//! StorageClass, VolumeAttributesClass and VolumeAttachment.
//!
//! See <https://kubernetes.io/docs/concepts/storage/storage-classes/> and
//! <https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/>.

mod printer;
mod warnings;

use std::collections::{BTreeMap, HashMap};

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::core::persistent_volume;
use crate::validation::checks::{
    driver_name, go_value, named, repeated, required_choice, subdomain, texts, unchanged,
};
use crate::validation::name;
use crate::validation::read::{at, get, integer, list, map, same, text};
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
const MAX_SIZE: usize = 256 * 1024;
/// How many errors are told of a class whose terms are alike.
const MAX_DUPLICATES: usize = 20_000;
const MAX_MESSAGE: usize = 1024;

/// Validates a StorageClass.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = provisioner(object, "provisioner");
    errors.extend(parameters(object, true));
    let root = Path::default();
    errors.extend(one_of(object, "reclaimPolicy", &["Delete", "Retain"], &root));
    errors.extend(required_choice(object, "volumeBindingMode", &BINDING_MODES, &root));
    errors.extend(topologies(list(object, "allowedTopologies"), &Path::new("allowedTopologies")));
    errors
}

/// Validates an update of a StorageClass.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, &FIELDS, &Path::default())
}

fn provisioner(object: &Value, field: &str) -> Vec<Error> {
    let (this, path) = (text(object, field), Path::new(field));
    if this.is_empty() {
        return vec![Error::required(&path, "")];
    }
    named(&this.to_ascii_lowercase(), name::qualified_name, &path)
}

fn parameters(object: &Value, may_be_empty: bool) -> Vec<Error> {
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

/// Validates a VolumeAttributesClass.
pub(crate) fn create_attributes(object: &Value) -> Vec<Error> {
    let mut errors = provisioner(object, "driverName");
    errors.extend(parameters(object, false));
    errors
}

/// Validates an update of a VolumeAttributesClass.
pub(crate) fn update_attributes(object: &Value, old: &Value) -> Vec<Error> {
    let changed = |field: &&str| !same(get(object, field), get(old, field));
    let forbidden = |field| Error::forbidden(Path::new(field), format!("updates to {field} are forbidden."));
    ["driverName", "parameters"].into_iter().filter(changed).map(forbidden).collect()
}

/// Validates a VolumeAttachment.
pub(crate) fn create_attachment(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    if text(spec, "attacher").is_empty() {
        errors.required(path.child("attacher"), "");
    }
    errors.extend(source(at(spec, "/source"), &path.child("source")));
    errors.extend(named(text(spec, "nodeName"), subdomain, &path.child("nodeName")));
    errors.extend(attachment_status(at(object, "/status")));
    errors
}

/// Validates a new VolumeAttachment: the checks that are made on creation only.
pub(crate) fn new_attachment(object: &Value) -> Vec<Error> {
    let spec = at(object, "/spec");
    let mut errors = driver_name(text(spec, "attacher"), &Path::new("spec.attacher"));
    if let Some(volume) = get(at(spec, "/source"), "persistentVolumeName") {
        let path = Path::new("spec.source.persistentVolumeName");
        errors.extend(named(volume.as_str().unwrap_or_default(), subdomain, &path));
    }
    errors
}

/// Validates an update of a VolumeAttachment.
pub(crate) fn update_attachment(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create_attachment(object);
    if !same(get(object, "spec"), get(old, "spec")) {
        let spec = at(object, "/spec");
        let source = at(spec, "/source");
        let value = json_tree::json!({"Attacher": text(spec, "attacher"),
            "Source": {"PersistentVolumeName": go_value(source, "persistentVolumeName"),
                "InlineVolumeSpec": go_value(source, "inlineVolumeSpec")},
            "NodeName": text(spec, "nodeName")});
        errors.invalid(Path::new("spec"), value, "field is immutable");
    }
    errors
}

fn source(source: &Value, path: &Path) -> Vec<Error> {
    const ONE: &str = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    match (get(source, "inlineVolumeSpec"), get(source, "persistentVolumeName")) {
        (None, None) => vec![Error::required(path, ONE)],
        (Some(_), Some(_)) => vec![Error::forbidden(path, ONE)],
        (None, Some(volume)) if volume == "" => {
            let why = "must specify non empty persistentVolumeName";
            vec![Error::required(path.child("persistentVolumeName"), why)]
        }
        (None, Some(_)) => Vec::new(),
        (Some(spec), None) => persistent_volume::inline(spec, &path.child("inlineVolumeSpec")),
    }
}

fn attachment_status(status: &Value) -> Vec<Error> {
    let path = Path::new("status");
    let mut errors = Vec::new();
    let metadata = map(status, "attachmentMetadata");
    let at = path.child("attachmentMetadata");
    if metadata.is_some_and(|metadata| metadata.contains_key("")) {
        errors.invalid(&at, "", "field can not be empty.");
    }
    let size = |(key, value): (&String, &Value)| key.len() + value.as_str().map_or(0, str::len);
    if metadata.into_iter().flatten().map(size).sum::<usize>() > MAX_SIZE {
        errors.too_long(&at, MAX_SIZE);
    }
    for field in ["attachError", "detachError"] {
        let (error, path) = (self::at(status, &format!("/{field}")), path.child(field));
        if text(error, "message").len() > MAX_MESSAGE {
            // So the API server says, which means the other limit.
            errors.too_long(path.child("message"), MAX_SIZE);
        }
        if let Some(code) = integer(error, "errorCode").filter(|code| *code < 0) {
            let why = "must be between 0 and 2147483647, inclusive";
            errors.invalid(path.child("errorCode"), code, why);
        }
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

    #[test]
    fn attributes() {
        check(&create_attributes(&json!({"driverName": "d", "parameters": {"a": "b"}})), "");
        check(
            &create_attributes(&json!({"driverName": "d"})),
            "parameters: Required value: must contain at least one key/value pair",
        );
        check(
            &update_attributes(
                &json!({"driverName": "e", "parameters": {"a": "c"}}),
                &json!({"driverName": "d"}),
            ),
            "[driverName: Forbidden: updates to driverName are forbidden., parameters: Forbidden: updates to parameters are forbidden.]",
        );
    }

    #[test]
    fn attachments() {
        let attachment =
            |source: Value| json!({"spec": {"attacher": "a", "nodeName": "n", "source": source}});
        check(&create_attachment(&attachment(json!({"persistentVolumeName": "v"}))), "");
        let mut failed = attachment(json!({"persistentVolumeName": "v"}));
        failed["status"] = json!({"attachError": {"message": "x".repeat(1025), "errorCode": -1}});
        check(
            &create_attachment(&failed),
            "[status.attachError.message: Too long: may not be more than 262144 bytes, \
             status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive]",
        );
        check(
            &create_attachment(&attachment(json!({}))),
            "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
        );
        check(
            &update_attachment(
                &attachment(json!({"persistentVolumeName": "w"})),
                &attachment(json!({"persistentVolumeName": "v"})),
            ),
            "spec: Invalid value: {\"Attacher\":\"a\",\"Source\":{\"PersistentVolumeName\":\"w\",\"InlineVolumeSpec\":null},\"NodeName\":\"n\"}: field is immutable",
        );
    }
}
