//! The rows of tables of the kind ComponentStatus.

use json_tree::Value;

use crate::printing::row::{Row, condition, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Status||||Status of the component conditions
Message||||Message of the component conditions
Error||||Error of the component conditions";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let healthy = condition(row.list("/conditions"), "Healthy");
    let status = match healthy.map(|condition| text(condition, "/status")) {
        Some("True") => "Healthy",
        Some(_) => "Unhealthy",
        None => "Unknown",
    };
    let says = |path: &str| healthy.map_or("", |condition| text(condition, path)).into();
    vec![row.name(), status.into(), says("/message"), says("/error")]
}
