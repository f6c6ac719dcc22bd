//! The rows of tables of the kind ConfigMap.

use json_tree::Value;

use crate::printing::cells::entries;
use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Data||||Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), (entries(row, "/data") + entries(row, "/binaryData")).into(), row.age()]
}
