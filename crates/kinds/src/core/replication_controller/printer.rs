//! The rows of tables of the kind ReplicationController.

use json_tree::Value;

use crate::core::workload::printer::replicas;
use crate::printing::row::{Row, get};
use crate::printing::selector::labels;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Desired|integer|||Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller
Current|integer|||Replicas is the most recently observed number of replicas. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller
Ready|integer|||The number of ready replicas for this replication controller.
Age||||@created
Containers|||1|Names of each container in the template.
Images|||1|Images referenced by each container in the template.
Selector|||1|Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication controller, if empty defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    replicas(row, labels(get(row.object, "/spec/selector")))
}
