//! The rows of tables of the kind Scale.

use json_tree::Value;

use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||||@name
Desired|integer|||replicas is the desired number of instances for the scaled object.
Available|integer|||replicas is the actual number of observed instances of the scaled object.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.count("/spec/replicas"), row.count("/status/replicas"), row.age()]
}
