//! The template of the claim that an ephemeral volume makes.
//!
//! See <https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes>.

use serde_json::Value;

use super::super::check::{Errors, child, named, required, set_choice};
use super::super::resources::quantity_value;
use crate::defaults::quantity::Quantity;
use crate::field::{Error, Path};
use crate::validation::{
    kinds::{
        label_selector,
        read::{at, get, list, map, text},
    },
    metadata, name,
};

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const ONE_POD: &str = "ReadWriteOncePod";

/// Labels and annotations are all the metadata that such a claim has.
pub(super) fn template(template: &Value, path: &Path, errors: &mut Errors) {
    if let Some((meta, path)) = child(template, "metadata", path) {
        if let Some(annotations) = map(meta, "annotations") {
            errors.extend(metadata::annotations(annotations, &path.child("annotations")));
        }
        if let Some(labels) = map(meta, "labels") {
            errors.extend(metadata::labels(labels, &path.child("labels")));
        }
        let others = meta
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, value)| !matches!(key.as_str(), "annotations" | "labels") && !value.is_null());
        errors.extend(others.map(|(key, _)| Error::forbidden(&path.child(key), "cannot be set")));
    }
    spec(at(template, "/spec"), &path.child("spec"), errors);
}

fn spec(spec: &Value, path: &Path, errors: &mut Errors) {
    let (modes, at_modes) = (list(spec, "accessModes"), path.child("accessModes"));
    if modes.is_empty() {
        errors.push(Error::required(&at_modes, "at least 1 access mode is required"));
    }
    if let Some((selector, path)) = child(spec, "selector", path) {
        errors.extend(label_selector::validate(selector, &path));
    }
    let known = |mode: &&Value| mode.as_str().is_some_and(|mode| ACCESS_MODES.contains(&mode));
    for mode in modes.iter().filter(|mode| !known(mode)) {
        errors.push(Error::not_supported(&at_modes, mode.clone(), &ACCESS_MODES));
    }
    let one = |mode: &&Value| *mode == ONE_POD;
    if modes.iter().any(|mode| one(&mode)) && modes.iter().any(|mode| known(&mode) && !one(&mode)) {
        errors.push(Error::forbidden(&at_modes, "may not use ReadWriteOncePod with other access modes"));
    }
    storage(spec, &path.child("resources").key("storage"), errors);
    named(spec, "storageClassName", name::subdomain, path, errors);
    set_choice(spec, "volumeMode", &["Block", "Filesystem"], path, errors);
    for field in ["dataSource", "dataSourceRef"] {
        let Some((source, path)) = child(spec, field, path) else { continue };
        required(source, &["name", "kind"], &path, errors);
        let kind = text(source, "kind");
        if text(source, "apiGroup").is_empty() && kind != "PersistentVolumeClaim" {
            let why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
            errors.push(Error::invalid(&path, kind, why));
        }
        named(source, "apiGroup", name::subdomain, &path, errors);
        named(source, "namespace", name::label, &path, errors);
    }
    named(spec, "volumeAttributesClassName", name::subdomain, path, errors);
}

fn storage(spec: &Value, path: &Path, errors: &mut Errors) {
    let amount = get(at(spec, "/resources/requests"), "storage").and_then(Value::as_str);
    let Some(amount) = amount.and_then(Quantity::parse) else {
        errors.push(Error::required(path, ""));
        return;
    };
    if amount.is_positive() {
        quantity_value("storage", Some(amount), path, errors);
    } else {
        errors.push(Error::invalid(path, amount.to_text(), "must be greater than zero"));
    }
}
