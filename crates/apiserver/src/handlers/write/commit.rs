//! The last stage of a write, which has the storage for itself: nobody has overtaken it, there is room for it in the
//! quotas, and it is stored.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use json_tree::Value;
use store::{Guard, Revision};

use super::{Write, put_over};
use crate::clock::Clock;
use crate::handlers::size;
use crate::resource;
use crate::storage::Storage;
use crate::stored::Stored;
use crate::{deletion, field_management, registry};
use admission::Plugin;
use admission::quota::{self, Charge, Counted};
use apimachinery::object::{as_value, managed_fields, metadata_mut, metadata_text, set_managed_fields, sort};
use apimachinery::status::{MODIFIED, Status};

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
        let filled = (strategy.read_back)(&mut self.object);
        registry::nil_empty_lists(resource, &mut self.object);
        if self.old.is_none() && self.options.dry_run {
            // What is not stored keeps the version that it was sent with, whatever that is.
            if resource.is_custom() {
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
        let next = Stored::of(resource, &mut self.object, replaced).filled(filled);
        let fits = self.fits(&next, replaced);
        let is_too_large = fits.as_ref().is_err_and(|status| size::is_too_large(status));
        if is_too_large && !self.is_applied() && managed_fields(&self.object).is_some() {
            // What is too large for etcd is tried once more without the managers of its fields.
            set_managed_fields(&mut self.object, None);
            let next = Stored::of(resource, &mut self.object, replaced).filled(filled);
            let fits = self.fits(&next, replaced);
            return Next::Stored(next, fits);
        }
        Next::Stored(next, fits)
    }

    /// Reports whether a configuration was applied, which means nothing without its managers.
    fn is_applied(&self) -> bool {
        let sent = self.context.headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        self.context.attributes.verb == "patch" && sent.starts_with(b"application/apply-patch")
    }

    /// Checks that etcd would take what is to be stored over what the revision `replaced` left, if it is stored at all.
    fn fits(&self, next: &Stored, replaced: Revision) -> Result<(), Box<Status>> {
        let same = self.old.as_ref().is_some_and(|old| old.stored.is_same(next));
        if same || self.options.dry_run {
            return Ok(());
        }
        self.context.check_size(&self.key(), next, replaced)
    }

    /// Stores the object, unless it is the same as before or only tried out. If it replaces one that was only waiting for
    /// that, the object is deleted.
    pub(super) fn commit(mut self, next: Next) -> Result<(u16, Bytes), Box<Status>> {
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
            context.create_what_goes_with(&mut storage, &self.object, None);
            let put = storage.store.put(&key, Guard::Absent, |revision| Arc::new(next.at(revision)));
            return match put {
                Ok(entry) => Ok((201, entry.value.json.clone())),
                Err(_) => Err(self.already_exists()),
            };
        };
        if old.stored.is_same(&next) || self.options.dry_run {
            return Ok((200, next.json));
        }
        let conflict = || Status::conflict(context.subject(&context.target.name), MODIFIED);
        if next.is_free() && deletion::is_over(&old.tree) {
            // The last finalizer is gone, and the object with it; the answer still has its old version.
            context.delete_stored(&mut storage, &key, old.stored).ok_or_else(conflict)?;
            return Ok((200, next.json));
        }
        fits?;
        context.create_what_goes_with(&mut storage, &self.object, Some(&old.tree));
        let stored = put_over(&mut storage, &key, old.stored.revision(), next).ok_or_else(conflict)?;
        context.delete_what_goes_with(&mut storage, &old.tree, Some(&self.object));
        Ok((200, stored.json.clone()))
    }

    /// Checks that the object which the write was computed from, or its absence, is as it was. A `create` is told otherwise
    /// that the object exists.
    fn check_not_overtaken(&self, storage: &Storage, key: &str) -> Result<(), Box<Status>> {
        let now = storage.store.get(key).map_or(0, |entry| entry.mod_revision);
        let then = self.old.as_ref().map_or(0, |old| old.stored.revision());
        let answers_so = self.options.dry_run || self.context.attributes.verb == "create";
        if now == then || (answers_so && !self.has_own_name) {
            return Ok(());
        }
        self.context.notes.overtake();
        Err(Status::conflict(self.context.subject(&self.context.target.name), MODIFIED))
    }

    /// Checks that nobody has got what was allocated for the object.
    fn check_allocated(&mut self, storage: &Storage) -> Result<(), Box<Status>> {
        let allocate = registry::strategy(&self.context.target.resource).allocate;
        match allocate.filter(|_| self.part.is_empty() && !self.options.dry_run) {
            Some(allocate) if storage.store.revision() != self.allocated_at => {
                // The object is encoded already: what it gets here has to be what it has.
                let old = self.old.as_ref().map(|old| &old.tree);
                let allocated = allocate(storage, &mut self.object, old, false);
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
        if !self.context.runs(Plugin::ResourceQuota) {
            return Ok(());
        }
        let (target, clock) = (self.context.target, self.context.shared.config.clock.as_ref());
        let counted = Counted {
            resource: &target.resource,
            subresource: self.part,
            namespace: &target.namespace,
            object: &self.object,
            old: self.old(),
        };
        let charges = quota::charges(storage, &counted, clock.now())?;
        if !self.options.dry_run {
            charges.into_iter().for_each(|charge| put_quota(storage, charge, clock));
        }
        Ok(())
    }

    fn already_exists(&self) -> Box<Status> {
        let status = Status::already_exists(self.context.subject(&self.name));
        // A name counts as a generated one if a prefix for those was sent, too.
        if metadata_text(&self.object, "generateName").is_empty() {
            status
        } else {
            status.generate_name_conflict()
        }
    }

    /// Checks that a new object does not exist.
    fn check_absent(&self, storage: &Storage, key: &str) -> Result<(), Box<Status>> {
        if self.is_versioned {
            return Err(Status::unclassified("resourceVersion should not be set on objects to be created"));
        }
        let Some(present) = storage.store.get(key) else { return Ok(()) };
        let mut status = self.already_exists();
        if present.value.is_terminating() {
            status.message.insert_str(0, "object is being deleted: ");
        }
        Err(status)
    }
}

/// Stores a quota that counts what is being written.
fn put_quota(storage: &mut Storage, charge: Charge, clock: &dyn Clock) {
    let Charge { key, before, mut quota } = charge;
    let Some(row) = resource::find("", "resourcequotas") else { return };
    // The lock is held since the quota was read: nobody else has written it.
    let Some(revision) = storage.store.get(&key).map(|entry| entry.mod_revision) else { return };
    field_management::track_own_status(row, clock, &before, &mut quota);
    let next = |revision| Arc::new(Stored::new(row, quota, revision));
    let _ = storage.store.put(&key, Guard::ModRevision(revision), next);
}
