//! The rows of tables of the kind Namespace.

use json_tree::Value;

use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Status||||The status of the namespace
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/status/phase").into(), row.age()]
}
