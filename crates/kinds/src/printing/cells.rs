//! Cells that the tables of several kinds have.

use json_tree::{Map, Value};

use super::row::{Row, get};

/// The columns: name, type, format, priority and description.
pub(crate) const NAMED_COLUMNS: &str = "Name||name||@name
Age||||@created";

pub(crate) fn entries(row: &Row<'_>, path: &str) -> usize {
    get(row.object, path).and_then(Value::as_object).map_or(0, Map::len)
}

/// A name and an age.
pub(crate) fn named(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.age()]
}

/// How many hosts, ports or endpoints are shown.
pub(crate) const SHOWN: usize = 3;
