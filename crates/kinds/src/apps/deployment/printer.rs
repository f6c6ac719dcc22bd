//! The rows of tables of the kind Deployment.

use json_tree::Value;

use crate::core::workload::printer::containers;
use crate::printing::row::{Row, get};
use crate::printing::selector::plain_label_selector;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Ready||||Number of the pod with ready state
Up-to-date||||Total number of non-terminating pods targeted by this deployment that have the desired template spec.
Available||||Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.
Age||||@created
Containers|||1|Names of each container in the template.
Images|||1|Images referenced by each container in the template.
Selector|||1|Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment. It must match the pod template's labels.";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    let ready = format!("{}/{}", row.number("/status/readyReplicas"), row.number("/spec/replicas"));
    vec![
        row.name(),
        ready.into(),
        row.count("/status/updatedReplicas"),
        row.count("/status/availableReplicas"),
        row.age(),
        names,
        images,
        plain_label_selector(get(row.object, "/spec/selector")).into(),
    ]
}
