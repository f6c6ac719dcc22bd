//! The rows of tables of the kind CSIStorageCapacity.

use json_tree::Value;

use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = r#"Name||name||@name
StorageClassName||||storageClassName represents the name of the StorageClass that the reported capacity applies to. It must meet the same requirements as the name of a StorageClass object (non-empty, DNS subdomain). If that object no longer exists, the CSIStorageCapacity object is obsolete and should be removed by its creator. This field is immutable.
Capacity||||capacity is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and parameters that match the previous fields.\n\nThe semantic is currently (CSI spec 1.2) defined as: The available capacity, in bytes, of the storage that can be used to provision volumes. If not set, that information is currently unavailable."#;

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/storageClassName").into(), row.text_or("/capacity", "<unset>")]
}
