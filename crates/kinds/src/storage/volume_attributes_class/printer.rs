//! The rows of tables of the kind VolumeAttributesClass.

use json_tree::Value;

use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
DriverName||||Name of the CSI driver This field is immutable.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/driverName").into(), row.age()]
}
