//! DELETE of an object, or of those in a collection.

use std::sync::Arc;

use bytes::Bytes;
use store::Guard;

use super::Outcome;
use crate::answer::Answer;
use crate::options::{DeleteOptions, ListOptions};
use crate::server::Exchange;
use crate::status::{Details, Status, Subject};
use crate::storage::{METADATA_ORDER, Storage, Stored, metadata_mut, set_in_order};
use crate::{admission, registry, storage, time};

/// What became of an object.
enum Deletion {
    /// It is gone; its last state, with the version of the deletion.
    Gone(Arc<Stored>, Bytes),
    /// It is marked, and goes when its finalizers do.
    Marked(Arc<Stored>),
}

impl Exchange<'_> {
    /// Deletes the object: at once, or if it has finalizers by marking it.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-deletion>
    pub(crate) fn delete(&self) -> Outcome {
        let options = self.delete_options()?;
        let subject = self.subject(&self.target.name);
        admission::delete(subject)?;
        let deletion = {
            let mut storage = self.shared.storage();
            let Some(entry) = storage.store.get(&self.key()) else { return Err(Status::not_found(subject)) };
            let (stored, revision) = (Arc::clone(&entry.value), entry.mod_revision);
            self.remove(&mut storage, &self.key(), &stored, revision, &options)?
        };
        self.shared.announce();
        let strategy = registry::strategy(&self.target.resource);
        Ok(match deletion {
            Deletion::Marked(stored) => self.answer_object(200, &stored),
            Deletion::Gone(_, json) if strategy.delete_answers_object => {
                Answer::json(200, self.typed(&json), self.output)
            }
            Deletion::Gone(stored, _) => {
                let resource = &self.target.resource;
                let details = Details {
                    name: stored.name.clone(),
                    group: resource.group.clone(),
                    kind: resource.name.clone(),
                    uid: stored.uid.clone(),
                    ..Details::default()
                };
                Answer::value(200, &Status::success(details), self.output)
            }
        })
    }

    /// Deletes every object that the selectors match, and answers with the list of them as they were.
    pub(crate) fn delete_collection(&self) -> Outcome {
        let options = self.delete_options()?;
        let mut list = ListOptions::parse(self.query, false)?;
        let resource = &self.target.resource;
        list.fields =
            list.fields.for_resource(&resource.group, &resource.name).map_err(Status::bad_request)?;
        let page = self.present_page(&list)?;
        for stored in &page.items {
            let key = storage::object_key(resource, &stored.namespace, &stored.name);
            let mut storage = self.shared.storage();
            let Some(entry) = storage.store.get(&key) else { continue };
            let (stored, revision) = (Arc::clone(&entry.value), entry.mod_revision);
            self.remove(&mut storage, &key, &stored, revision, &options)?;
        }
        self.shared.announce();
        Ok(Answer::json(200, self.encode(&page), self.output))
    }

    fn delete_options(&self) -> Result<DeleteOptions, Box<Status>> {
        self.check_body()?;
        DeleteOptions::parse(self.query, self.body)
    }

    /// Deletes or marks one object.
    fn remove(
        &self,
        storage: &mut Storage,
        key: &str,
        stored: &Arc<Stored>,
        revision: u64,
        options: &DeleteOptions,
    ) -> Result<Deletion, Box<Status>> {
        check_preconditions(&self.target.resource.kind, stored, revision, options)?;
        if !stored.is_free() {
            if stored.is_terminating() || options.dry_run {
                return Ok(Deletion::Marked(Arc::clone(stored)));
            }
            return self.mark(storage, key, stored, revision).map(Deletion::Marked);
        }
        if options.dry_run {
            return Ok(Deletion::Gone(Arc::clone(stored), stored.json.clone()));
        }
        match storage.store.delete(key, Guard::ModRevision(revision)) {
            Ok(Some(deleted)) => Ok(Deletion::Gone(Arc::clone(stored), stored.json_at(deleted.revision))),
            _ => Err(Status::not_found(self.subject(&stored.name))),
        }
    }

    /// Sets the deletion timestamp.
    fn mark(
        &self,
        storage: &mut Storage,
        key: &str,
        stored: &Stored,
        revision: u64,
    ) -> Result<Arc<Stored>, Box<Status>> {
        let mut object = stored.tree();
        let now = time::rfc3339(self.shared.config.clock.now());
        let metadata = metadata_mut(&mut object);
        set_in_order(metadata, "deletionTimestamp", now.into(), METADATA_ORDER);
        let strategy = registry::strategy(&self.target.resource);
        (strategy.prepare_for_deletion)(&mut object);
        self.put(storage, key, revision, Stored::new(&self.target.resource, object, revision))
    }
}

/// Compares what the request expects of the object with what it is.
fn check_preconditions(
    kind: &str,
    stored: &Stored,
    revision: u64,
    options: &DeleteOptions,
) -> Result<(), Box<Status>> {
    // These errors name the kind, and no group.
    let subject = Subject { group: "", resource: kind, name: &stored.name };
    if let Some(uid) = options.uid.as_ref().filter(|uid| **uid != stored.uid) {
        let why = format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been \
             deleted and then recreated",
            stored.uid
        );
        return Err(Status::conflict(subject, &why));
    }
    if let Some(version) =
        options.resource_version.as_ref().filter(|version| **version != revision.to_string())
    {
        let why = format!(
            "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record \
             ({revision}). The object might have been modified"
        );
        return Err(Status::conflict(subject, &why));
    }
    Ok(())
}
