//! Writes of stored objects without the stages before: by the server itself, and at the end of a deletion.

use std::sync::Arc;

use store::{Guard, Revision};

use super::ATTEMPTS;
use crate::context::RequestContext;
use crate::object::Object;
use crate::registry;
use crate::status::{MODIFIED, Status};
use crate::storage::Storage;
use crate::stored::Stored;

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
        if let Some(deleted_with) = registry::strategy(&self.target.resource).deleted_with {
            let key = deleted_with(&stored.namespace, &stored.name);
            let free = storage.store.get(&key).filter(|entry| entry.value.is_free());
            if let Some(revision) = free.map(|entry| entry.mod_revision) {
                // The lock is held: nobody else has written it since.
                let _ = storage.store.delete(&key, Guard::ModRevision(revision));
            }
        }
        Some(revision)
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
