//! A new node is not ready, and says so.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#taintnodesbycondition>

use json_tree::json;

use super::Request;
use apimachinery::object::Object;
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;

const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// Adds the taint to a new node.
pub(super) fn taint(request: &Request<'_>, node: &mut Object) -> Result<(), Box<Status>> {
    if request.old.is_none()
        && let Some(mut node) = TypedObject::builtin("k8s.io/api/core/v1", "Node", node)
        && let Some(mut spec) = node.ensure("spec")
    {
        let mut taints = spec.list("taints").to_vec();
        if !taints.iter().any(|taint| taint["key"] == NOT_READY && taint["effect"] == "NoSchedule") {
            taints.push(json!({ "key": NOT_READY, "effect": "NoSchedule" }));
            spec.set("taints", taints);
        }
    }
    Ok(())
}
