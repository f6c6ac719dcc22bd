//! The status of a CustomResourceDefinition: its conditions.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/>

use json_tree::{Value, json};

use apimachinery::object::{self, Object, metadata_mut};

/// Keeps a definition until its objects are gone.
pub const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";
/// The condition of a definition that is being deleted.
pub const TERMINATING: &str = "Terminating";

/// The keys of a definition's status, in the order of its type.
pub const STATUS_ORDER: &[&str] = &["conditions", "acceptedNames", "storedVersions"];

/// Reports whether a condition of this type is true.
pub fn has(definition: &Object, condition: &str) -> bool {
    conditions(definition).iter().any(|one| one["type"] == condition && one["status"] == "True")
}

/// The conditions of a definition.
pub fn conditions(definition: &Object) -> &[Value] {
    let conditions = definition.get("status").and_then(|status| status.get("conditions"));
    conditions.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Sets a condition: type, status, reason, message. Its time is that of the last change of its status.
pub fn set_condition(definition: &mut Object, now: &str, condition: [&str; 4]) {
    let [kind, status, reason, message] = condition;
    let mut all: Vec<Value> = conditions(definition).to_vec();
    let last = all.iter().position(|one| one["type"] == kind);
    let since = last.filter(|last| all[*last]["status"] == status);
    let since = since.and_then(|last| all[last]["lastTransitionTime"].as_str().map(str::to_owned));
    let new = json!({
        "type": kind,
        "status": status,
        "lastTransitionTime": since.unwrap_or_else(|| now.to_owned()),
        "reason": reason,
        "message": message,
    });
    match last {
        Some(last) => all[last] = new,
        None => all.push(new),
    }
    if let Some(Value::Object(status)) = definition.get_mut("status") {
        object::set_in_order(status, "conditions", all.into(), STATUS_ORDER);
    }
}

/// Says in the status of a definition whose deletion begins that it waits for its objects.
pub fn mark(definition: &mut Object) {
    let metadata = metadata_mut(definition);
    let since = metadata.get("deletionTimestamp").and_then(Value::as_str).unwrap_or_default().to_owned();
    let why = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    set_condition(definition, &since, [TERMINATING, "True", "InstanceDeletionPending", why]);
}
