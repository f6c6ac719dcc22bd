//! The rows of tables of the kind PodTemplate.

use json_tree::Value;

use crate::core::workload::printer::containers;
use crate::printing::row::{Row, get};
use crate::printing::selector::labels;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Containers||||Names of each container in the template.
Images||||Images referenced by each container in the template.
Pod Labels||||The labels for the pod template.";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/template");
    vec![row.name(), names, images, labels(get(row.object, "/template/metadata/labels")).into()]
}
