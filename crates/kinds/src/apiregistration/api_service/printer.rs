//! The rows of tables of the kind APIService.

use json_tree::Value;

use crate::printing::row::{Row, condition, get, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Service||||The reference to the service that hosts this API endpoint.
Available||||Whether this service is available.
Age||||@created";

/// <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>
pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let service = get(row.object, "/spec/service").map_or_else(
        || "Local".to_owned(),
        |service| format!("{}/{}", text(service, "/namespace"), text(service, "/name")),
    );
    let available = match condition(row.list("/status/conditions"), "Available") {
        None => "Unknown".to_owned(),
        Some(condition) => match (text(condition, "/status"), text(condition, "/reason")) {
            (status @ "True", _) | (status, "") => status.to_owned(),
            (status, reason) => format!("{status} ({reason})"),
        },
    };
    vec![row.name(), service.into(), available.into(), row.age()]
}
