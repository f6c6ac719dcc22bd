//! The rows of tables of the kind StorageClass.

use json_tree::Value;

use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Provisioner||||provisioner indicates the type of the provisioner.
ReclaimPolicy||||reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.
VolumeBindingMode||||volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.
AllowVolumeExpansion||||allowVolumeExpansion shows whether the storage class allow volume expand.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
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

/// The name of a class, and whether an annotation makes it the default.
fn default_name(row: &Row<'_>, prefixes: &[&str]) -> String {
    let is_default = prefixes
        .iter()
        .any(|prefix| row.text(&format!("/metadata/annotations/{prefix}~1is-default-class")) == "true");
    format!("{}{}", row.text("/metadata/name"), if is_default { " (default)" } else { "" })
}
