//! The rows of tables of the kind ReplicaSet.

use json_tree::Value;

use crate::core::workload::printer::replicas;
use crate::printing::row::{Row, get};
use crate::printing::selector::label_selector;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Desired|integer|||Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset
Current|integer|||Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset
Ready|integer|||The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.
Age||||@created
Containers|||1|Names of each container in the template.
Images|||1|Images referenced by each container in the template.
Selector|||1|Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to be controlled by this replica set. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    replicas(row, label_selector(get(row.object, "/spec/selector")))
}
