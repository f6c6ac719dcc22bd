//! The rows of tables of the kind CSINode.

use json_tree::Value;

use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Drivers|integer|||Drivers indicates the number of CSI drivers registered on the node
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.len("/spec/drivers"), row.age()]
}
