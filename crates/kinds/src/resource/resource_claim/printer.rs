//! The rows of tables of the kind ResourceClaim.

use json_tree::Value;

use crate::printing::row::{Row, get};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
State||||A summary of the current state (allocated, pending, reserved, etc.).
Age||||@created";

/// <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>
pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let mut states = Vec::new();
    let terminating = row.is_terminating();
    if terminating {
        states.push("deleted");
    }
    if get(row.object, "/status/allocation").is_some() {
        states.push("allocated");
        if !row.list("/status/reservedFor").is_empty() {
            states.push("reserved");
        }
    } else if !terminating {
        states.push("pending");
    }
    vec![row.name(), states.join(",").into(), row.age()]
}
