//! Volumes, and what provides them.
//!
//! <https://kubernetes.io/docs/concepts/storage/>

use json_tree::Value;

use crate::printing::row::{Row, get, list, strings, text};

/// Access modes with their short names, in the order they are shown in.
const ACCESS_MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

const CLASS_ANNOTATION: &str = "/metadata/annotations/volume.beta.kubernetes.io~1storage-class";

pub(crate) fn persistent_volume(row: &Row<'_>) -> Vec<Value> {
    let claim = get(row.object, "/spec/claimRef")
        .map_or_else(String::new, |claim| format!("{}/{}", text(claim, "/namespace"), text(claim, "/name")));
    vec![
        row.name(),
        row.text_or("/spec/capacity/storage", "0"),
        access_modes(row, "/spec/accessModes").into(),
        row.text("/spec/persistentVolumeReclaimPolicy").into(),
        phase(row).into(),
        claim.into(),
        class(row).into(),
        row.text_or("/spec/volumeAttributesClassName", "<unset>"),
        row.text("/status/reason").into(),
        row.age(),
        row.text_or("/spec/volumeMode", "<unset>"),
    ]
}

pub(crate) fn persistent_volume_claim(row: &Row<'_>) -> Vec<Value> {
    let bound = !row.text("/spec/volumeName").is_empty();
    let (capacity, modes) = match bound {
        true => (row.text_or("/status/capacity/storage", "0"), access_modes(row, "/status/accessModes")),
        false => ("".into(), String::new()),
    };
    vec![
        row.name(),
        phase(row).into(),
        row.text("/spec/volumeName").into(),
        capacity,
        modes.into(),
        class(row).into(),
        row.text_or("/spec/volumeAttributesClassName", "<unset>"),
        row.age(),
        row.text_or("/spec/volumeMode", "<unset>"),
    ]
}

fn phase<'a>(row: &Row<'a>) -> &'a str {
    if row.is_terminating() { "Terminating" } else { row.text("/status/phase") }
}

/// The storage class, by the annotation that was once the field.
fn class<'a>(row: &Row<'a>) -> &'a str {
    let annotation = get(row.object, CLASS_ANNOTATION).and_then(Value::as_str);
    annotation.unwrap_or_else(|| row.text("/spec/storageClassName"))
}

/// `RWO,ROX`
fn access_modes(row: &Row<'_>, path: &str) -> String {
    let modes = strings(row.object, path);
    let shown = ACCESS_MODES.iter().filter(|(mode, _)| modes.contains(mode)).map(|(_, short)| *short);
    shown.collect::<Vec<_>>().join(",")
}

pub(crate) fn storage_class(row: &Row<'_>) -> Vec<Value> {
    let annotations = ["storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"];
    vec![
        default_name(row, &annotations).into(),
        row.text("/provisioner").into(),
        row.text_or("/reclaimPolicy", "Delete"),
        row.text_or("/volumeBindingMode", "Immediate"),
        row.flag_or("/allowVolumeExpansion", false),
        row.age(),
    ]
}

pub(crate) fn volume_attributes_class(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/driverName").into(), row.age()]
}

/// The name of a class, and whether an annotation makes it the default.
fn default_name(row: &Row<'_>, prefixes: &[&str]) -> String {
    let is_default = prefixes
        .iter()
        .any(|prefix| row.text(&format!("/metadata/annotations/{prefix}~1is-default-class")) == "true");
    format!("{}{}", row.text("/metadata/name"), if is_default { " (default)" } else { "" })
}

pub(crate) fn volume_attachment(row: &Row<'_>) -> Vec<Value> {
    vec![
        row.name(),
        row.text("/spec/attacher").into(),
        row.text("/spec/source/persistentVolumeName").into(),
        row.text("/spec/nodeName").into(),
        row.flag_or("/status/attached", false),
        row.age(),
    ]
}

pub(crate) fn csi_node(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.len("/spec/drivers"), row.age()]
}

pub(crate) fn csi_driver(row: &Row<'_>) -> Vec<Value> {
    let tokens = get(row.object, "/spec/tokenRequests").map_or_else(
        || "<unset>".to_owned(),
        |_| {
            let audiences =
                list(row.object, "/spec/tokenRequests").iter().map(|request| text(request, "/audience"));
            audiences.collect::<Vec<_>>().join(",")
        },
    );
    let modes = strings(row.object, "/spec/volumeLifecycleModes").join(",");
    vec![
        row.name(),
        row.flag_or("/spec/attachRequired", true),
        row.flag_or("/spec/podInfoOnMount", false),
        row.flag_or("/spec/storageCapacity", false),
        tokens.into(),
        row.flag_or("/spec/requiresRepublish", false),
        if modes.is_empty() { "<none>".into() } else { modes.into() },
        row.age(),
    ]
}

pub(crate) fn csi_storage_capacity(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/storageClassName").into(), row.text_or("/capacity", "<unset>")]
}
