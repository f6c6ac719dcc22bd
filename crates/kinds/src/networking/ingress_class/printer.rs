//! The rows of tables of the kind IngressClass.

use json_tree::Value;

use crate::printing::row::{Row, get, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Controller||||Controller that is responsible for handling this class
Parameters||||A reference to a resource with additional parameters
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let parameters = get(row.object, "/spec/parameters").map_or_else(
        || "<none>".to_owned(),
        |parameters| {
            let mut kind = text(parameters, "/kind").to_owned();
            if let Some(group) = get(parameters, "/apiGroup").and_then(Value::as_str) {
                kind = format!("{kind}.{group}");
            }
            format!("{kind}/{}", text(parameters, "/name"))
        },
    );
    vec![row.name(), row.text("/spec/controller").into(), parameters.into(), row.age()]
}
