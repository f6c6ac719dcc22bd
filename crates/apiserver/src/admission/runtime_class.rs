//! A pod's RuntimeClass says what it costs to run it, and where it can run.
//!
//! <https://kubernetes.io/docs/concepts/containers/runtime-class/>

use json_tree::{Map, Value};

use super::Request;
use crate::defaults::object::{Object as Fields, insert_sorted};
use crate::status::Status;
use crate::storage::Object;

/// Takes overhead, node selector and tolerations over from the class of a new pod.
pub(super) fn pod(request: &Request<'_>, pod: &mut Object) -> Result<(), Box<Status>> {
    if request.old.is_some() {
        return Ok(());
    }
    let name = super::text(pod, "spec", "/runtimeClassName").to_owned();
    let class = if name.is_empty() { Object::new() } else { find(request, pod, &name)? };
    let field = |pointer: &str| class.get("overhead").and_then(|overhead| overhead.pointer(pointer));
    let own = pod.get("spec").and_then(|spec| spec.get("overhead")).cloned();
    let overhead = field("/podFixed").cloned();
    match (&own, &overhead) {
        (Some(_), None) => {
            let why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
            return Err(request.forbidden(pod, why));
        }
        (Some(own), Some(overhead)) if own != overhead => {
            let why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
            return Err(request.forbidden(pod, why));
        }
        _ => {}
    }
    let selector = selector(request, pod, &class)?;
    if let Some(mut pod) = Fields::builtin("k8s.io/api/core/v1", "Pod", pod)
        && let Some(mut spec) = pod.ensure("spec")
    {
        if let Some(overhead) = overhead {
            spec.set("overhead", overhead);
        }
        if let Some(selector) = selector {
            spec.set("nodeSelector", selector);
        }
        let added = scheduling(&class, "tolerations").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut tolerations = spec.list("tolerations").to_vec();
        let before = tolerations.len();
        tolerations.extend(added.into_iter().filter(|own| !spec.list("tolerations").contains(own)));
        if tolerations.len() > before {
            spec.set("tolerations", tolerations);
        }
    }
    Ok(())
}

fn find(request: &Request<'_>, pod: &Object, name: &str) -> Result<Object, Box<Status>> {
    request
        .find("runtimeclasses", name)
        .ok_or_else(|| request.forbidden(pod, &format!("pod rejected: RuntimeClass \"{name}\" not found")))
}

fn scheduling<'a>(class: &'a Object, field: &str) -> Option<&'a Value> {
    class.get("scheduling").and_then(|scheduling| scheduling.get(field))
}

/// The pod's node selector and the class's as one, if the class has one.
fn selector(
    request: &Request<'_>,
    pod: &Object,
    class: &Object,
) -> Result<Option<Map<String, Value>>, Box<Status>> {
    let Some(added) = scheduling(class, "nodeSelector").and_then(Value::as_object) else { return Ok(None) };
    let own = pod.get("spec").and_then(|spec| spec.get("nodeSelector")).and_then(Value::as_object);
    let mut selector = own.cloned().unwrap_or_default();
    for (key, value) in added {
        match selector.get(key) {
            Some(present) if present != value => {
                let plain = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let why = format!(
                    "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {}; pod.spec.nodeSelector[{key}] = {}",
                    plain(value),
                    plain(present)
                );
                return Err(request.forbidden(pod, &why));
            }
            _ => insert_sorted(&mut selector, key, value.clone()),
        }
    }
    Ok(Some(selector))
}
