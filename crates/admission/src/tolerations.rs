//! Pods tolerate a node that is lost for five minutes, unless they say otherwise.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds>

use json_tree::{Value, json};

use super::Request;
use apimachinery::object::Object;
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;

const TAINTS: &[&str] = &["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

const SECONDS: i64 = 300;

/// Adds what is missing, to new pods and to changed ones.
pub(super) fn pod(_: &Request<'_>, pod: &mut Object) -> Result<(), Box<Status>> {
    if let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod)
        && let Some(mut spec) = pod.ensure("spec")
    {
        let mut tolerations = spec.list("tolerations").to_vec();
        for taint in TAINTS {
            if !tolerations.iter().any(|toleration| tolerates(toleration, taint)) {
                tolerations.push(json!({
                    "key": taint,
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": SECONDS,
                }));
            }
        }
        spec.set("tolerations", tolerations);
    }
    Ok(())
}

/// Reports whether a toleration is about the taint: an empty key or effect means all.
fn tolerates(toleration: &Value, taint: &str) -> bool {
    let text = |name: &str| toleration.get(name).and_then(Value::as_str).unwrap_or_default();
    [taint, ""].contains(&text("key")) && ["NoExecute", ""].contains(&text("effect"))
}
