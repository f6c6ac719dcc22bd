//! DELETE of an object, or of those in a collection.

use std::sync::Arc;

use bytes::Bytes;

use super::list::fields_of;
use super::write::{ATTEMPTS, put_over};
use crate::answer::{Answer, Outcome};
use crate::context::{Reading, RequestContext};
use crate::deletion::Deletion as Begun;
use crate::document::Document;
use crate::dynamic_admission::policy::{Attributes, Operation};
use crate::options::{ListOptions, delete_options};
use crate::rbac::Decision;
use crate::stored::Stored;
use crate::{convert, deletion, registry, stored};
use apimachinery::DeleteOptions;
use apimachinery::status::{Details, MODIFIED, Status, Subject};

/// The result of a deletion.
enum Deletion {
    /// It is gone; its last state, with the version of the deletion.
    Gone(Arc<Stored>, Bytes),
    /// It is marked, and goes when its finalizers do.
    Marked(Arc<Stored>),
}

impl RequestContext<'_> {
    /// Deletes the object: at once, or if it has finalizers by marking it.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-deletion>
    pub(crate) async fn delete(&self) -> Outcome {
        let options = self.delete_options()?;
        let subject = self.subject(&self.target.name);
        if options.ignore_read_error {
            if let Some(audit) = self.notes.audit() {
                audit.annotate("apiserver.k8s.io/unsafe-delete-ignore-read-error", "");
            }
            self.authorize_unsafe_delete()?;
        }
        if options.ignore_read_error && self.is_unreadable().await? {
            return self.delete_unread();
        }
        delete_options::check_object(&options, subject)?;
        admission::delete(self.shared.config.plugins, subject)?;
        let mut warnings = Vec::from_iter(self.deletion_warning(&options));
        let removed = self.remove(&self.key(), &options, &mut warnings).await;
        let deletion = match removed.and_then(|deletion| deletion.ok_or_else(|| self.missing())) {
            Ok(Deletion::Marked(stored)) => Deletion::Marked(self.show_one(stored, Reading::Written).await?),
            Ok(deletion) => deletion,
            Err(status) => return Err(status.warned(warnings)),
        };
        let strategy = registry::strategy(&self.target.resource);
        let answer = match deletion {
            // Who still asks by the old field whether dependents go as well is told that they have to wait.
            Deletion::Marked(stored) if options.orphan_dependents == Some(false) => {
                self.answer_object(202, &stored.json)?
            }
            Deletion::Marked(stored) => self.answer_object(200, &stored.json)?,
            Deletion::Gone(_, json) if strategy.delete_answers_object => self.answer_object(200, &json)?,
            Deletion::Gone(stored, _) => {
                let resource = &self.target.resource;
                let details = Details {
                    name: stored.name.clone(),
                    group: resource.group.clone(),
                    kind: resource.name.clone(),
                    uid: stored.uid.clone(),
                    ..Details::default()
                };
                Answer::document(200, Document::untyped(&Status::success(&details)), self.output)?
            }
        };
        Ok(answer.warn(warnings))
    }

    /// Checks whether the object may be deleted even if nobody can read it.
    ///
    /// <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/>
    fn authorize_unsafe_delete(&self) -> Result<(), Box<Status>> {
        const VERB: &str = "unsafe-delete-ignore-read-errors";
        let rules = self.shared.rules();
        match rules.decide(self.user, &self.attributes.with_verb(VERB)) {
            decision @ Decision::Denied(_) => {
                let why =
                    format!("not permitted to do {}, reason: {}", field::quote(VERB), decision.reason());
                Err(Status::forbidden(self.subject(&self.target.name), &why))
            }
            _ => Ok(()),
        }
    }

    /// Reports whether the object cannot be had in the version of the request.
    ///
    /// # Errors
    /// The 500 for one that a watch cache still has in that version, and that cannot be had in the stored one.
    async fn is_unreadable(&self) -> Result<bool, Box<Status>> {
        let Some(stored) = self.shared.find(&self.key()).filter(|_| self.converted().is_some()) else {
            return Ok(false);
        };
        if self.show_one(Arc::clone(&stored), Reading::Object).await.is_ok() {
            return Ok(false);
        }
        if let Ok(shown) = self.show_one(stored, Reading::Cached).await {
            self.to_storage(&mut convert::tree_of(&self.target.resource, &shown)).await?;
        }
        Ok(true)
    }

    /// Deletes an object that nobody can read, whatever keeps others.
    fn delete_unread(&self) -> Outcome {
        let key = self.key();
        let mut storage = self.transaction();
        let stored = storage.store.get(&key).map(|entry| Arc::clone(&entry.value));
        let deleted = stored.and_then(|stored| self.delete_stored(&mut storage, &key, &stored));
        drop(storage);
        deleted.ok_or_else(|| self.missing())?;
        let kind = self.target.resource.kind.clone();
        let details = Details { name: self.target.name.clone(), kind, ..Details::default() };
        let mut status = Status::success(&details);
        status["code"] = 200.into();
        Answer::document(200, Document::untyped(&status), self.output)
    }

    /// Returns the warning for a request that says nothing of the dependents.
    fn deletion_warning(&self, options: &DeleteOptions) -> Option<String> {
        let silent = options.orphan_dependents.is_none() && options.propagation_policy.is_none();
        let warning = registry::strategy(&self.target.resource).deletion_warning;
        warning.filter(|_| silent).map(str::to_owned)
    }

    /// Deletes every object that the selectors match, and answers with the list of them as they were.
    pub(crate) async fn delete_collection(&self) -> Outcome {
        let mut list = ListOptions::parse(self.query, false)?;
        let resource = &self.target.resource;
        list.fields = fields_of(resource, list.fields)?;
        let options = self.delete_options()?;
        delete_options::check_collection(&options)?;
        let page = self.page(&list).await?;
        let mut warnings = Vec::from_iter(self.deletion_warning(&options));
        for stored in &page.items {
            self.give_way().await?;
            let key = stored::object_key(resource, &stored.namespace, &stored.name);
            if let Err(status) = self.remove(&key, &options, &mut warnings).await {
                return Err(status.warned(warnings));
            }
        }
        Ok(self.answer_list(&page)?.warn(warnings))
    }

    fn delete_options(&self) -> Result<DeleteOptions, Box<Status>> {
        // Nothing has no media type.
        let body = if self.body.is_empty() { None } else { Some((self.check_body()?, &self.body[..])) };
        let allow_unsafe = self.shared.config.feature_gates.allow_unsafe_malformed_object_deletion;
        delete_options::parse(allow_unsafe, self.query, body, self.notes.audit())
    }

    /// Deletes or marks the object at a key; nothing, if there is none. If somebody else writes it meanwhile, the deletion
    /// begins again.
    async fn remove(
        &self,
        key: &str,
        options: &DeleteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Deletion>, Box<Status>> {
        let (told, noted) = (warnings.len(), self.notes.mark());
        for _ in 0..ATTEMPTS {
            let Some(stored) = self.shared.find(key) else { return Ok(None) };
            self.check_preconditions(&stored, options)?;
            if let Some(deletion) = self.try_to_remove(key, stored, options, warnings).await? {
                return Ok(Some(deletion));
            }
            warnings.truncate(told);
            self.notes.forget_since(noted);
        }
        Err(Status::conflict(self.subject(&self.target.name), MODIFIED))
    }

    /// Deletes or marks an object as it was found; nothing, if somebody else has written it by then.
    async fn try_to_remove(
        &self,
        key: &str,
        stored: Arc<Stored>,
        options: &DeleteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Deletion>, Box<Status>> {
        let resource = &self.target.resource;
        let shown = self.show_one(Arc::clone(&stored), Reading::Object).await?;
        let (object, now) = (convert::tree_of(resource, &shown), self.shared.config.clock.now());
        let (marked, goes) = match deletion::begin(&self.deletion_strategy(), &object, options, now) {
            Begun::Pending => return Ok(Some(Deletion::Marked(stored))),
            Begun::Now => (None, true),
            Begun::MarkedThenNow(marked) => (Some(marked), true),
            Begun::Marked(marked) => (Some(marked), false),
        };
        // Whoever evicts a pod has been judged for that.
        if self.attributes.subresource != "eviction" {
            let attributes = Attributes {
                operation: Operation::Delete(options),
                name: &self.target.name,
                object: None,
                old: Some(&object),
                dry_run: options.dry_run,
            };
            self.admit_validating(&attributes, warnings).await?;
        }
        let mut marked = marked.filter(|marked| *marked != object);
        if let Some(marked) = &mut marked {
            self.to_storage(marked).await?;
        }
        let marked = marked.map(|marked| Stored::new(resource, marked, stored.revision()));
        if options.dry_run {
            let last = marked.map_or(stored, Arc::new);
            let json = last.json.clone();
            return Ok(Some(if goes { Deletion::Gone(last, json) } else { Deletion::Marked(last) }));
        }
        if let Some(marked) = &marked {
            self.check_size(key, marked, stored.revision())?;
        }
        let mut storage = self.transaction();
        let last = match marked {
            Some(marked) => match put_over(&mut storage, key, stored.revision(), marked) {
                Some(last) => last,
                None => return Ok(None),
            },
            None => stored,
        };
        if !goes {
            return Ok(Some(Deletion::Marked(last)));
        }
        let deleted = self.delete_stored(&mut storage, key, &last);
        drop(storage);
        Ok(deleted.map(|revision| {
            let json = last.json_at(revision);
            Deletion::Gone(last, json)
        }))
    }

    /// How objects are deleted. What a kind does of its own at the first request it does not do for a collection, so
    /// that many definitions go at once, and their objects stay behind.
    fn deletion_strategy(&self) -> registry::Strategy {
        let strategy = registry::strategy(&self.target.resource);
        let first_deletion = strategy.first_deletion.filter(|_| !self.target.name.is_empty());
        registry::Strategy { first_deletion, ..*strategy }
    }

    /// Compares what the request expects of the object with what it is.
    fn check_preconditions(&self, stored: &Stored, options: &DeleteOptions) -> Result<(), Box<Status>> {
        let resource = &self.target.resource;
        let revision = stored.revision().to_string();
        let conditions = [
            ("UID", &options.uid, stored.uid.as_str(), "deleted and then recreated"),
            ("ResourceVersion", &options.resource_version, revision.as_str(), "modified"),
        ];
        for (what, expected, got, happened) in conditions {
            let Some(expected) = expected.as_deref().filter(|expected| *expected != got) else { continue };
            if self.deletion_strategy().first_deletion.is_some() {
                let why = format!(
                    "Precondition failed: {what} in precondition: {expected}, {what} in object meta: {got}"
                );
                return Err(Status::conflict(self.subject(&stored.name), &why));
            }
            let why = format!(
                "the {what} in the precondition ({expected}) does not match the {what} in record ({got}). The object \
                 might have been {happened}"
            );
            // Go puts the kind that is stored where others have the resource.
            let group = resource.storage.group.as_str();
            let subject = Subject { group, resource: &resource.kind, name: &stored.name };
            return Err(Status::conflict(subject, &why));
        }
        Ok(())
    }
}
