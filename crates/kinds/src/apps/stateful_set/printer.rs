//! The rows of tables of the kind StatefulSet.

use json_tree::Value;

use crate::core::workload::printer::containers;
use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Ready||||Number of the pod with ready state
Age||||@created
Containers|||1|Names of each container in the template.
Images|||1|Images referenced by each container in the template.";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    let ready = format!("{}/{}", row.number("/status/readyReplicas"), row.number("/spec/replicas"));
    vec![row.name(), ready.into(), row.age(), names, images]
}
