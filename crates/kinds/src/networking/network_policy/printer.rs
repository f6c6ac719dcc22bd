//! The rows of tables of the kind NetworkPolicy.

use json_tree::Value;

use crate::printing::row::{Row, get};
use crate::printing::selector::label_selector;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Pod-Selector||||podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple network policies can select the same set of pods. In this case, the ingress rules for each are combined additively. This field is optional. If it is not specified, it defaults to an empty selector.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), label_selector(get(row.object, "/spec/podSelector")).into(), row.age()]
}
