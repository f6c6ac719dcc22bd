//! The kind VolumeAttachment.

mod printer;

use json_tree::Value;

use crate::core::persistent_volume;
use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Paths, Printer, Strategy, keep_metadata, passes};
use crate::storage::storage_class::MAX_SIZE;
use crate::validation::checks::{driver_name, go_value, named, subdomain};
use crate::validation::read::{at, get, integer, map, same, text};
use field::{AddError, Error, Path};

/// The kind VolumeAttachment.
pub(crate) struct VolumeAttachment;

impl Kind for VolumeAttachment {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "volumeattachments";
    const STRATEGY: Strategy =
        Strategy { requires_version: true, prepare_for_status_update: keep_metadata, ..ANSWERS_OBJECT };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const MAX_MESSAGE: usize = 1024;

/// Validates a VolumeAttachment.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = driver_name(text(spec, "attacher"), &path.child("attacher"));
    errors.extend(source(at(spec, "/source"), &path.child("source")));
    errors.extend(named(text(spec, "nodeName"), subdomain, &path.child("nodeName")));
    errors.extend(attachment_status(at(object, "/status")));
    if let Some(volume) = get(at(spec, "/source"), "persistentVolumeName") {
        let path = Path::new("spec.source.persistentVolumeName");
        errors.extend(named(volume.as_str().unwrap_or_default(), subdomain, &path));
    }
    errors
}

/// Validates an update of a VolumeAttachment.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
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
    fn attachments() {
        let attachment =
            |source: Value| json!({"spec": {"attacher": "a", "nodeName": "n", "source": source}});
        check(&create(&attachment(json!({"persistentVolumeName": "v"}))), "");
        let mut failed = attachment(json!({"persistentVolumeName": "v"}));
        failed["status"] = json!({"attachError": {"message": "x".repeat(1025), "errorCode": -1}});
        check(
            &create(&failed),
            "[status.attachError.message: Too long: may not be more than 262144 bytes, \
             status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive]",
        );
        check(
            &create(&attachment(json!({}))),
            "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
        );
        check(
            &update(
                &attachment(json!({"persistentVolumeName": "w"})),
                &attachment(json!({"persistentVolumeName": "v"})),
            ),
            "spec: Invalid value: {\"Attacher\":\"a\",\"Source\":{\"PersistentVolumeName\":\"w\",\"InlineVolumeSpec\":null},\"NodeName\":\"n\"}: field is immutable",
        );
    }
}
