//! The rows of tables of the kind PersistentVolume.

use apimachinery::storage_class::OLD_CLASS;
use json_tree::Value;

use crate::printing::row::{Row, get, strings, text};

/// The columns: name, type, format, priority and description.
pub(crate) const COLUMNS: &str = "Name||name||@name
Capacity||||capacity is the description of the persistent volume's resources and capacity. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity
Access Modes||||accessModes contains all ways the volume can be mounted. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes
Reclaim Policy||||persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming
Status||||phase indicates if a volume is available, bound to a claim, or released by a claim. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase
Claim||||claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding
StorageClass||||StorageClass of the pv
VolumeAttributesClass||||VolumeAttributesClass of the pv
Reason||||reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI.
Age||||@created
VolumeMode|||1|volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of Filesystem is implied when not included in spec.";

pub(crate) fn cells(row: &Row<'_>) -> Vec<Value> {
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

/// Access modes with their short names, in the order they are shown in.
const ACCESS_MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

/// Returns the phase of a volume or a claim.
pub(in crate::core) fn phase<'a>(row: &Row<'a>) -> &'a str {
    if row.is_terminating() { "Terminating" } else { row.text("/status/phase") }
}

/// Returns the storage class, by the annotation that was once the field.
pub(in crate::core) fn class<'a>(row: &Row<'a>) -> &'a str {
    let annotation = row.object["metadata"]["annotations"][OLD_CLASS].as_str();
    annotation.unwrap_or_else(|| row.text("/spec/storageClassName"))
}

/// Returns the access modes at a path as they are shown: `RWO,ROX`.
pub(in crate::core) fn access_modes(row: &Row<'_>, path: &str) -> String {
    let modes = strings(row.object, path);
    let shown = ACCESS_MODES.iter().filter(|(mode, _)| modes.contains(mode)).map(|(_, short)| *short);
    shown.collect::<Vec<_>>().join(",")
}
