//! Nodes: their range of pod addresses stands in them twice, by itself and as the first of a list.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/#NodeSpec>

use json_tree::{Value, json};

use apimachinery::object::Object;
use apimachinery::typed_object::TypedObject;

/// The single range comes before a list that does not begin with it; without one, it is the first of the list.
pub(crate) fn align_ranges(node: &mut Object) {
    if node.get("spec").is_none_or(Value::is_null) {
        return;
    }
    let Some(mut node) = TypedObject::builtin("k8s.io/api/core/v1", "Node", node) else { return };
    let Some(mut spec) = node.ensure("spec") else { return };
    let range = spec.text("podCIDR").to_owned();
    let first = spec.list("podCIDRs").first().and_then(Value::as_str).map(str::to_owned);
    match first {
        Some(first) if range.is_empty() => spec.set("podCIDR", first),
        first if !range.is_empty() && first.as_deref() != Some(&range) => {
            spec.set("podCIDRs", json!([range]));
        }
        _ => {}
    }
}
