//! Writes of the server as a client of itself.

use std::sync::Arc;

use json_tree::Value;
use store::Guard;

use crate::field_management;
use crate::resource::Resource;
use crate::storage::{Sources, Storage};
use crate::stored::Stored;
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order, set_managed_fields};
use apimachinery::time;

/// Creates an object, unless there is one at this key. A `status` that it has is nobody's in its `managedFields`.
pub(crate) fn create(
    storage: &mut Storage,
    row: &Resource,
    key: &str,
    mut object: Object,
    sources: Sources<'_>,
) {
    let status = object.shift_remove("status");
    let entries = field_management::track_own_creation(row, sources.clock, &object);
    for (field, value) in [("uid", sources.uid()), ("creationTimestamp", time::rfc3339(sources.clock.now()))]
    {
        set_in_order(metadata_mut(&mut object), field, Value::from(value), METADATA_ORDER);
    }
    object.extend(status.map(|status| ("status".to_owned(), status)));
    set_managed_fields(&mut object, entries);
    // Whoever made it before keeps it.
    let _ = storage.store.put(key, Guard::Absent, |revision| Arc::new(Stored::new(row, object, revision)));
}
