//! The rows of tables of the kind DaemonSet.

use json_tree::Value;

use crate::core::workload::printer::containers;
use crate::printing::row::{Row, get};
use crate::printing::selector::{label_selector, labels};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Desired|integer|||The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
Current|integer|||The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
Ready|integer|||numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition.
Up-to-date|integer|||The total number of nodes that are running updated daemon pod
Available|integer|||The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)
Node Selector||||NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/
Age||||@created
Containers|||1|Names of each container in the template.
Images|||1|Images referenced by each container in the template.
Selector|||1|A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    vec![
        row.name(),
        row.count("/status/desiredNumberScheduled"),
        row.count("/status/currentNumberScheduled"),
        row.count("/status/numberReady"),
        row.count("/status/updatedNumberScheduled"),
        row.count("/status/numberAvailable"),
        labels(get(row.object, "/spec/template/spec/nodeSelector")).into(),
        row.age(),
        names,
        images,
        label_selector(get(row.object, "/spec/selector")).into(),
    ]
}
