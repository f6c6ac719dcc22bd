//! Writes of stored objects without the stages before: by the server itself, and at the end of a deletion.

use std::sync::Arc;

use store::{Guard, Revision};

use super::ATTEMPTS;
use crate::context::RequestContext;
use crate::resource::{self, Resource};
use crate::storage::Storage;
use crate::stored::{Stored, object_key};
use crate::{loopback, registry};
use apimachinery::object::{Object, metadata_text};
use apimachinery::status::{MODIFIED, Status};

impl RequestContext<'_> {
    /// Changes the object that the path names as the server itself does: without admission, and without entries of field
    /// management. `change` makes the next object of the current one, or nothing, and is called again if somebody else has
    /// written that object meanwhile.
    pub(in crate::handlers) fn change(
        &self,
        change: impl Fn(&Stored) -> Result<Option<Object>, Box<Status>>,
    ) -> Result<(), Box<Status>> {
        let key = self.key();
        for _ in 0..ATTEMPTS {
            let Some(current) = self.current() else { return Err(self.missing()) };
            let Some(next) = change(&current)? else { return Ok(()) };
            let revision = current.revision();
            let next = Stored::new(&self.target.resource, next, revision);
            if current.is_same(&next) {
                return Ok(());
            }
            self.check_size(&key, &next, revision)?;
            if put_over(&mut self.transaction(), &key, revision, next).is_some() {
                return Ok(());
            }
        }
        Err(Status::conflict(self.subject(&self.target.name), MODIFIED))
    }

    /// Deletes an object, with what goes with it, and returns the revision of that: nothing, if somebody else has written the
    /// object since.
    pub(in crate::handlers) fn delete_stored(
        &self,
        storage: &mut Storage,
        key: &str,
        stored: &Stored,
    ) -> Option<Revision> {
        let deleted = storage.store.delete(key, Guard::ModRevision(stored.revision())).ok()??;
        let revision = deleted.revision;
        let strategy = registry::strategy(&self.target.resource);
        if let Some(deleted_with) = strategy.deleted_with {
            let key = deleted_with(&stored.namespace, &stored.name);
            let free = storage.store.get(&key).filter(|entry| entry.value.is_free());
            if let Some(revision) = free.map(|entry| entry.mod_revision) {
                // The lock is held: nobody else has written it since.
                let _ = storage.store.delete(&key, Guard::ModRevision(revision));
            }
        }
        if strategy.goes_with.is_some() {
            self.delete_what_goes_with(storage, &stored.tree(), None);
        }
        Some(revision)
    }

    /// Creates what goes with an object that is about to be stored, but for what goes with the one that it replaces.
    pub(super) fn create_what_goes_with(&self, storage: &mut Storage, object: &Object, old: Option<&Object>) {
        for (row, key, object) in self.only_with(object, old) {
            loopback::create(storage, row, &key, object, self.shared.config.sources());
        }
    }

    /// Deletes what goes with an object that is gone, but for what goes with the one that has replaced it.
    pub(super) fn delete_what_goes_with(
        &self,
        storage: &mut Storage,
        object: &Object,
        next: Option<&Object>,
    ) {
        for (_, key, object) in self.only_with(object, next) {
            let Some(entry) = storage.store.get(&key).filter(|entry| entry.value.is_free()) else { continue };
            // Somebody else may have made one of that name, which is about something else.
            if entry.value.tree().get("spec") == object.get("spec") {
                let guard = Guard::ModRevision(entry.mod_revision);
                // The lock is held: nobody else has written it since.
                let _ = storage.store.delete(&key, guard);
            }
        }
    }

    /// Returns what goes with an object and not with another one: resources, keys, and the objects as they are created.
    fn only_with(
        &self,
        object: &Object,
        other: Option<&Object>,
    ) -> Vec<(&'static Arc<Resource>, String, Object)> {
        let Some(goes_with) = registry::strategy(&self.target.resource).goes_with else { return Vec::new() };
        let (group, resource) = goes_with.resource;
        let Some(row) = resource::find(group, resource) else { return Vec::new() };
        let kept = other.map(goes_with.objects).unwrap_or_default();
        let own = (goes_with.objects)(object).into_iter().filter(|object| !kept.contains(object));
        own.map(|object| {
            let (namespace, name) = (metadata_text(&object, "namespace"), metadata_text(&object, "name"));
            (row, object_key(row, namespace, name), object)
        })
        .collect()
    }
}

/// Writes an object over what `revision` left, if that is still there.
pub(in crate::handlers) fn put_over(
    storage: &mut Storage,
    key: &str,
    revision: Revision,
    next: Stored,
) -> Option<Arc<Stored>> {
    let put = storage.store.put(key, Guard::ModRevision(revision), |revision| Arc::new(next.at(revision)));
    put.ok().map(|entry| Arc::clone(&entry.value))
}
