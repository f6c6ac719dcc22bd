//! The condition `Dangling` of FlowSchemas: whether the priority level that one names is there.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#flowschema>

use std::sync::Arc;

use golang::strconv::quote;
use json_tree::{Value, json};
use store::{Guard, KeyRange};

use crate::clock::Clock;
use crate::field_management;
use crate::resource;
use crate::storage::Storage;
use crate::stored::Stored;
use apimachinery::object::Object;
use apimachinery::time;
use kinds::flowcontrol::initial::{LEVELS, SCHEMAS};

/// The part of kube-apiserver that finds it out.
const CONSUMER: &str = "api-priority-and-fairness-config-consumer-v1";

/// Sets the condition of each FlowSchema whose condition says something else.
pub(crate) fn follow(storage: &mut Storage, clock: &dyn Clock) {
    let Some(row) = resource::find("flowcontrol.apiserver.k8s.io", "flowschemas") else { return };
    let stored = storage.store.range(&KeyRange::prefix(SCHEMAS)).map(|entry| Arc::clone(&entry.value));
    for stored in stored.collect::<Vec<_>>() {
        let old = stored.tree();
        let Some(level) = old.get("spec").and_then(|spec| spec.pointer("/priorityLevelConfiguration/name"))
        else {
            continue;
        };
        let level = level.as_str().unwrap_or_default();
        let is_there = storage.store.get(&[LEVELS, level].concat()).is_some();
        let condition = dangling(level, is_there, &time::rfc3339(clock.now()));
        if says(&old, &condition) {
            continue;
        }
        let config = json!({ "status": { "conditions": [condition] } });
        let Some(new) = field_management::apply_own_status(row, clock, CONSUMER, &old, &config) else {
            continue;
        };
        let key = [SCHEMAS, &stored.name].concat();
        // The lock is held: nobody else has written it.
        let _ = storage.store.put(&key, Guard::ModRevision(stored.revision()), |revision| {
            Arc::new(Stored::new(row, new, revision))
        });
    }
}

/// Returns the condition of a FlowSchema that names a priority level.
fn dangling(level: &str, is_there: bool, now: &str) -> Value {
    let level = quote(level);
    let names = ["This FlowSchema references the PriorityLevelConfiguration object named ", &level].concat();
    let (status, reason, rest) = if is_there {
        ("False", "Found", " and it exists")
    } else {
        ("True", "NotFound", " but there is no such object")
    };
    json!({
        "type": "Dangling",
        "status": status,
        "lastTransitionTime": now,
        "reason": reason,
        "message": [&names, rest].concat(),
    })
}

/// Reports whether a FlowSchema has a condition already, whenever it got it.
fn says(schema: &Object, condition: &Value) -> bool {
    let conditions = schema.get("status").and_then(|status| status.get("conditions"));
    let conditions = conditions.and_then(Value::as_array).into_iter().flatten();
    conditions
        .filter(|known| known["type"] == condition["type"])
        .any(|known| ["status", "reason", "message"].iter().all(|field| known[*field] == condition[*field]))
}
