//! The end of a definition: its objects are deleted, and when the last is gone, so is the definition.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#delete-a-customresourcedefinition>

use std::sync::Arc;

use json_tree::Value;
use store::{Guard, KeyRange};

use super::{DEFINITIONS, write_status};
use crate::clock::Clock;
use crate::custom::Definition;
use crate::deletion::{Deletion, begin};
use crate::registry;
use crate::resource::Resource;
use crate::storage::Storage;
use crate::stored::Stored;
use apimachinery::DeleteOptions;
use apimachinery::object;
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};
use apimachinery::time;
use kinds::apiextensions::custom_resource_definition::status::{
    FINALIZER, TERMINATING, conditions, has, set_condition,
};

/// Returns the prefix of the keys of a definition's objects.
pub(super) fn prefix(definition: &Definition) -> String {
    ["/registry/", &definition.group, "/", &definition.names.plural, "/"].concat()
}

/// Does the next thing about a definition that is being deleted.
pub(super) fn act(storage: &mut Storage, row: &Resource, stored: &Arc<Stored>, clock: &dyn Clock) {
    let definition = stored.tree();
    let finalizers = finalizers(&definition);
    if !finalizers.iter().any(|name| name == FINALIZER) {
        return;
    }
    let now = time::rfc3339(clock.now());
    let mut new = definition.clone();
    let established = has(&definition, "Established");
    let reason = conditions(&definition).iter().find(|one| one["type"] == TERMINATING);
    let reason = reason.and_then(|condition| condition["reason"].as_str()).unwrap_or_default();
    if !["InstanceDeletionInProgress", "InstanceDeletionCheck"].contains(&reason) {
        let why = "CustomResource deletion is in progress";
        set_condition(&mut new, &now, [TERMINATING, "True", "InstanceDeletionInProgress", why]);
        write_status(storage, row, stored, new, clock);
        return;
    }
    let served = storage.resources.definitions.iter().find(|one| one.uid == stored.uid).cloned();
    let left = match served.filter(|_| established) {
        Some(served) => delete_objects(storage, &served, clock),
        None => 0,
    };
    if left > 0 {
        return;
    }
    let condition = match established {
        true => [TERMINATING, "False", "InstanceDeletionCompleted", "removed all instances"],
        false => [TERMINATING, "False", "NeverEstablished", "resource was never established"],
    };
    set_condition(&mut new, &now, condition);
    let rest: Vec<Value> = finalizers.into_iter().filter(|name| name != FINALIZER).collect();
    if rest.is_empty() {
        let key = [DEFINITIONS, &stored.name].concat();
        // The lock is held: nobody else has written it.
        let _ = storage.store.delete(&key, Guard::ModRevision(stored.revision()));
        return;
    }
    set_in_order(metadata_mut(&mut new), "finalizers", rest.into(), METADATA_ORDER);
    write_status(storage, row, stored, new, clock);
}

/// Deletes the objects of a definition; those with finalizers are marked. Gives how many are left.
fn delete_objects(storage: &mut Storage, definition: &Arc<Definition>, clock: &dyn Clock) -> usize {
    let objects = storage.store.range(&KeyRange::prefix(&prefix(definition)));
    let objects: Vec<_> =
        objects.map(|entry| (entry.key.to_string(), Arc::clone(&entry.value), entry.mod_revision)).collect();
    let stored_as = definition.versions.iter().position(|version| version.name == definition.storage_version);
    let resource = crate::resources::row(definition, stored_as.unwrap_or_default());
    let options = DeleteOptions::default();
    let mut left = 0;
    for (key, stored, revision) in objects {
        let guard = Guard::ModRevision(revision);
        let marked = match begin(registry::strategy(&resource), &stored.tree(), &options, clock.now()) {
            Deletion::Now | Deletion::MarkedThenNow(_) => {
                // The lock is held: nobody else has written it.
                let _ = storage.store.delete(&key, guard);
                continue;
            }
            Deletion::Pending => None,
            Deletion::Marked(marked) => Some(marked).filter(|marked| *marked != stored.tree()),
        };
        left += 1;
        if let Some(mut marked) = marked {
            // Nobody converts it for that.
            let next = Stored::as_it_is(&resource, &mut marked, revision);
            let _ = storage.store.put(&key, guard, |revision| Arc::new(next.at(revision)));
        }
    }
    left
}

fn finalizers(definition: &Object) -> Vec<Value> {
    let finalizers = object::metadata(definition, "finalizers");
    finalizers.and_then(Value::as_array).cloned().unwrap_or_default()
}
