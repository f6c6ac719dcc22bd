//! A pod's RuntimeClass says what it costs to run it, and where it can run.
//!
//! <https://kubernetes.io/docs/concepts/containers/runtime-class/>

use json_tree::{Map, Value};

use super::Request;
use apimachinery::object::Object;
use apimachinery::status::Status;
use apimachinery::typed_object::{TypedObject, extend_sorted};
use field::{name, quote};

/// Takes overhead, node selector and tolerations over from the class of a new pod.
pub(super) fn pod(request: &Request<'_>, pod: &mut Object) -> Result<(), Box<Status>> {
    if request.old.is_some() {
        return Ok(());
    }
    let name = pod.get("spec").and_then(|spec| spec.get("runtimeClassName")?.as_str()).map(str::to_owned);
    let class = name.map_or_else(|| Ok(Object::new()), |name| find(request, pod, &name))?;
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
    if let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod)
        && let Some(mut spec) = pod.ensure("spec")
    {
        if let Some(overhead) = overhead {
            spec.set("overhead", overhead);
        }
        if let Some(selector) = selector {
            spec.set("nodeSelector", selector);
        }
        if class.get("scheduling").is_some() {
            let added = scheduling(&class, "tolerations").and_then(Value::as_array);
            let all = [spec.list("tolerations"), added.map_or(&[], Vec::as_slice)].concat();
            let merged = merged(&all);
            if !merged.is_empty() {
                spec.set("tolerations", merged);
            }
        }
    }
    Ok(())
}

/// The tolerations without those that others make needless; of equal ones the first stays.
fn merged(all: &[Value]) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::new();
    for (index, own) in all.iter().enumerate() {
        let later = &all[index + 1..];
        let needless = merged.iter().any(|other| includes(other, own))
            || later.iter().any(|other| other != own && includes(other, own));
        if !needless {
            merged.push(own.clone());
        }
    }
    merged
}

/// Reports whether one toleration tolerates whatever the other does.
fn includes(one: &Value, other: &Value) -> bool {
    let text = |toleration: &Value, field: &str| {
        toleration.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let [(key, operator, effect), (other_key, other_operator, other_effect)] =
        [one, other].map(|own| (text(own, "key"), text(own, "operator"), text(own, "effect")));
    if one == other {
        return true;
    }
    let any_key = key.is_empty() && operator == "Exists";
    if key != other_key && !any_key || effect != other_effect && !effect.is_empty() {
        return false;
    }
    let seconds = |toleration: &Value| toleration.get("tolerationSeconds").and_then(Value::as_i64);
    if effect == "NoExecute"
        && let Some(longest) = seconds(one)
        && seconds(other).is_none_or(|own| own > longest)
    {
        return false;
    }
    match operator.as_str() {
        "Equal" | "" => other_operator == "Equal" && text(one, "value") == text(other, "value"),
        operator => operator == "Exists",
    }
}

/// Finds the class of a name. kube-apiserver looks it up through its own API, whose client refuses names that are no path segment.
fn find(request: &Request<'_>, pod: &Object, name: &str) -> Result<Object, Box<Status>> {
    if name.is_empty() {
        return Err(Status::unclassified("resource name may not be empty"));
    }
    let complaints = name::path_segment(name);
    if !complaints.is_empty() {
        let why = format!("invalid resource name {}: [{}]", quote(name), complaints.join(" "));
        return Err(Status::unclassified(why));
    }
    request.find("runtimeclasses", name).ok_or_else(|| {
        request.forbidden(pod, &format!("pod rejected: RuntimeClass {} not found", quote(name)))
    })
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
    let mut missing = Vec::new();
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
            Some(_) => {}
            None => missing.push((key.clone(), value.clone())),
        }
    }
    extend_sorted(&mut selector, missing);
    Ok(Some(selector))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(tolerations: &[Value], left: &[usize]) {
        let left: Vec<Value> = left.iter().map(|index| tolerations[*index].clone()).collect();
        assert_eq!(merged(tolerations), left);
    }

    #[test]
    fn tolerations() {
        let equal =
            |value: &str| json!({"key": "a", "operator": "Equal", "value": value, "effect": "NoSchedule"});
        let exists = json!({"key": "a", "operator": "Exists"});
        let all = json!({"operator": "Exists"});
        let short = json!({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 3});
        let long = json!({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5});
        check(&[], &[]);
        check(&[equal("x"), equal("y"), equal("x")], &[0, 1]);
        check(&[equal("x"), exists.clone()], &[1]);
        check(&[exists.clone(), short.clone(), all], &[2]);
        check(&[short.clone(), long.clone()], &[1]);
        check(&[long, short], &[0]);
    }
}
