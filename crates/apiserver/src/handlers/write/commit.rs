//! The last stage of a write, which has the storage for itself: nobody has overtaken it, there is room for it in the
//! quotas, and it is stored.

use std::sync::Arc;

use bytes::Bytes;
use json_tree::Value;
use store::{Guard, Revision};

use super::Write;
use crate::admission::quota::{self, Counted};
use crate::context::RequestContext;
use crate::handlers::writes::ATTEMPTS;
use crate::object::{Object, as_value, metadata_mut, sort};
use crate::status::{MODIFIED, Status};
use crate::storage::Storage;
use crate::stored::Stored;
use crate::{deletion, registry};

/// The form in which an object leaves a write.
pub(super) enum Next {
    /// The form that is stored, and the error if etcd would not take it.
    Stored(Stored, Result<(), Box<Status>>),
    /// The form that is shown of a new object that is only tried out.
    Shown(Bytes),
}

impl Write<'_> {
    /// Encodes the object as it is to be stored, but for its version.
    pub(super) fn encode(&mut self) -> Next {
        let resource = &self.context.target.resource;
        let strategy = registry::strategy(resource);
        if self.old.is_none() {
            (strategy.read_back)(&mut self.object);
        }
        registry::nil_empty_lists(resource, &mut self.object);
        if self.old.is_none() && self.options.dry_run {
            // What is not stored keeps the version that it was sent with, whatever that is.
            if resource.extension.is_some() {
                sort(&mut self.object);
            }
            return Next::Shown(as_value(&mut self.object, |object| codec::json::to_vec(object).into()));
        }
        if self.old.is_none() {
            let version = metadata_mut(&mut self.object).shift_remove("resourceVersion");
            let version = version.as_ref().and_then(Value::as_str).and_then(|text| text.parse::<u64>().ok());
            self.is_versioned = version.is_some_and(|version| version != 0);
        }
        let replaced = self.old.as_ref().map_or(0, |old| old.stored.revision());
        let next = Stored::of(resource, &mut self.object, replaced);
        let fits = self.context.check_size(&self.key(), &next, replaced);
        Next::Stored(next, fits)
    }

    /// Stores the object, unless it is the same as before or only tried out. If it replaces one that was only waiting for
    /// that, the object is deleted.
    pub(super) fn commit(self, next: Next) -> Result<(u16, Bytes), Box<Status>> {
        let (context, key) = (self.context, self.key());
        let mut storage = context.transaction();
        self.check_not_overtaken(&storage, &key)?;
        self.check_allocated(&storage)?;
        self.charge(&mut storage)?;
        if self.old.is_none() {
            self.check_absent(&storage, &key)?;
        }
        let (next, fits) = match next {
            Next::Stored(next, fits) => (next, fits),
            Next::Shown(json) => return Ok((201, json)),
        };
        let Some(old) = &self.old else {
            fits?;
            let put = storage.store.put(&key, Guard::Absent, |revision| Arc::new(next.at(revision)));
            return match put {
                Ok(entry) => Ok((201, entry.value.json.clone())),
                Err(_) => Err(Status::already_exists(context.subject(&self.name))),
            };
        };
        if next.json == old.stored.json || self.options.dry_run {
            return Ok((200, next.json));
        }
        let conflict = || Status::conflict(context.subject(&context.target.name), MODIFIED);
        if next.is_free() && deletion::is_over(&old.tree) {
            // The last finalizer is gone, and the object with it; the answer still has its old version.
            context.delete_stored(&mut storage, &key, old.stored).ok_or_else(conflict)?;
            return Ok((200, next.json));
        }
        fits?;
        let stored = put_over(&mut storage, &key, old.stored.revision(), next).ok_or_else(conflict)?;
        Ok((200, stored.json.clone()))
    }

    /// Checks that the object which the write was computed from, or its absence, is as it was. A `create` is told otherwise
    /// that the object exists.
    fn check_not_overtaken(&self, storage: &Storage, key: &str) -> Result<(), Box<Status>> {
        let now = storage.store.get(key).map_or(0, |entry| entry.mod_revision);
        let then = self.old.as_ref().map_or(0, |old| old.stored.revision());
        let created = self.context.attributes.verb == "create" && !self.has_own_name;
        if self.options.dry_run || now == then || created {
            return Ok(());
        }
        self.context.notes.overtake();
        Err(Status::conflict(self.context.subject(&self.context.target.name), MODIFIED))
    }

    /// Checks that nobody has got what was allocated for the object.
    fn check_allocated(&self, storage: &Storage) -> Result<(), Box<Status>> {
        let allocate = registry::strategy(&self.context.target.resource).allocate;
        match allocate.filter(|_| self.part.is_empty() && !self.options.dry_run) {
            Some(allocate) if storage.store.revision() != self.allocated_at => {
                let allocated = allocate(storage, &mut self.object.clone(), self.old(), false);
                allocated.inspect_err(|_| self.context.notes.overtake())
            }
            _ => Ok(()),
        }
    }

    /// Charges the object to the quotas. Whoever lost a race is not here any more, and is charged once it is their turn. As
    /// with kube-apiserver, a quota goes on counting what is refused after this, because it exists or is too large, until a
    /// controller counts again.
    ///
    /// <https://kubernetes.io/docs/concepts/policy/resource-quotas/#how-kubernetes-resourcequotas-work>
    fn charge(&self, storage: &mut Storage) -> Result<(), Box<Status>> {
        let (target, clock) = (self.context.target, self.context.shared.config.clock.as_ref());
        let counted = Counted {
            resource: &target.resource,
            subresource: self.part,
            namespace: &target.namespace,
            object: &self.object,
            old: self.old(),
        };
        quota::charge(storage, &counted, self.options.dry_run, clock)
    }

    /// Checks that a new object does not exist.
    fn check_absent(&self, storage: &Storage, key: &str) -> Result<(), Box<Status>> {
        if self.is_versioned {
            return Err(Status::unclassified("resourceVersion should not be set on objects to be created"));
        }
        let Some(present) = storage.store.get(key) else { return Ok(()) };
        let mut status = Status::already_exists(self.context.subject(&self.name));
        if present.value.is_terminating() {
            status.message.insert_str(0, "object is being deleted: ");
        }
        Err(status)
    }
}

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
            if next.json == current.json {
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
