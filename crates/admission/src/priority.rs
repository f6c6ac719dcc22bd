//! Pods get the priority of their PriorityClass, or of the default one.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/>

use json_tree::Value;

use super::Request;
use apimachinery::object::{Object, metadata_text};
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;

/// Classes that every cluster has, and their values.
const SYSTEM: &[(&str, i64)] =
    &[("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

const LOWER: &str = "PreemptLowerPriority";

/// The fields that a pod gets from its priority class.
struct Class {
    name: String,
    value: i64,
    policy: String,
}

impl Class {
    fn of(object: &Object) -> Self {
        Self {
            name: metadata_text(object, "name").to_owned(),
            value: value_of(object),
            policy: object.get("preemptionPolicy").and_then(Value::as_str).unwrap_or(LOWER).to_owned(),
        }
    }
}

fn value_of(class: &Object) -> i64 {
    class.get("value").and_then(Value::as_i64).unwrap_or_default()
}

fn is_default(class: &Object) -> bool {
    class.get("globalDefault") == Some(&Value::Bool(true))
}

/// Sets the priority of a new pod; that of a stored one stays.
pub(super) fn pod(request: &Request<'_>, pod: &mut Object) -> Result<(), Box<Status>> {
    if let Some(old) = request.old {
        keep(pod, old);
        return Ok(());
    }
    let name = super::text(pod, "spec", "/priorityClassName").to_owned();
    let class = if name.is_empty() { Some(default_class(request)) } else { find(request, &name) };
    let Some(class) = class else {
        return Err(request.forbidden(pod, &format!("no PriorityClass with name {name} was found")));
    };
    let own = pod.get("spec").and_then(|spec| spec.get("priority")).and_then(Value::as_i64);
    if let Some(own) = own.filter(|own| *own != class.value) {
        let why = format!(
            "the integer value of priority ({own}) must not be provided in pod spec; priority admission controller \
             computed {} from the given PriorityClass name",
            class.value
        );
        return Err(request.forbidden(pod, &why));
    }
    let policy = pod.get("spec").and_then(|spec| spec.get("preemptionPolicy")).and_then(Value::as_str);
    if let Some(policy) = policy.filter(|policy| *policy != class.policy) {
        let why = format!(
            "the string value of PreemptionPolicy ({policy}) must not be provided in pod spec; priority admission \
             controller computed {} from the given PriorityClass name",
            class.policy
        );
        return Err(request.forbidden(pod, &why));
    }
    if let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod)
        && let Some(mut spec) = pod.ensure("spec")
    {
        if !class.name.is_empty() {
            spec.set("priorityClassName", class.name);
        }
        spec.set("priority", class.value);
        spec.set("preemptionPolicy", class.policy);
    }
    Ok(())
}

fn keep(pod: &mut Object, old: &Object) {
    let Some(was) = old.get("spec") else { return };
    let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod) else { return };
    let Some(mut spec) = pod.ensure("spec") else { return };
    for field in ["priority", "preemptionPolicy"] {
        if let Some(value) = was.get(field) {
            spec.default(field, value.clone());
        }
    }
}

fn find(request: &Request<'_>, name: &str) -> Option<Class> {
    let stored = request.find("priorityclasses", name).map(|object| Class::of(&object));
    stored.or_else(|| {
        let (name, value) = SYSTEM.iter().find(|(own, _)| *own == name)?;
        Some(Class { name: (*name).to_owned(), value: *value, policy: LOWER.to_owned() })
    })
}

/// The class that calls itself the default, the lowest if several do; without one, a class of no name.
fn default_class(request: &Request<'_>) -> Class {
    let classes = request.all("priorityclasses");
    let lowest = classes.iter().filter(|class| is_default(class)).min_by_key(|class| value_of(class));
    lowest.map_or_else(|| Class { name: String::new(), value: 0, policy: LOWER.to_owned() }, Class::of)
}

/// There is one default class at most.
pub(super) fn check_class(request: &Request<'_>, class: &Object) -> Result<(), Box<Status>> {
    if !is_default(class) {
        return Ok(());
    }
    let other = default_class(request).name;
    if other.is_empty() || request.old.is_some() && other == metadata_text(class, "name") {
        return Ok(());
    }
    let why = format!("PriorityClass {other} is already marked as default. Only one default can exist");
    Err(request.forbidden(class, &why))
}
