//! The rows of tables of the kind PersistentVolumeClaim.

use json_tree::Value;

use crate::core::persistent_volume::printer::{access_modes, class, phase};
use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Status||||phase represents the current phase of PersistentVolumeClaim.
Volume||||volumeName is the binding reference to the PersistentVolume backing this claim.
Capacity||||capacity represents the actual resources of the underlying volume.
Access Modes||||accessModes contains the actual access modes the volume backing the PVC has. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1
StorageClass||||StorageClass of the pvc
VolumeAttributesClass||||VolumeAttributesClass of the pvc
Age||||@created
VolumeMode|||1|volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
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
