//! PUT of an object, or of a part of it.

use std::sync::Arc;

use store::{Guard, Revision};

use super::owners;
use super::size::Encoded;
use crate::admission::policy::{self, Attributes, Operation, Payload};
use crate::admission::quota::Counted;
use crate::answer::Outcome;
use crate::auth::{escalation, signers};
use crate::context::RequestContext;
use crate::object::{
    METADATA_ORDER, Object, as_value, metadata_mut, metadata_text, set_in_order, set_managed_fields,
};
use crate::options::WriteOptions;
use crate::status::{MODIFIED, Status};
use crate::storage::Storage;
use crate::stored::{Stored, shown_key};
use crate::subresource::is_part;
use crate::validation::{self, Change};
use crate::{admission, convert, decode, deletion, field_management, object, registry};
use golang::strconv::parse_uint;

impl RequestContext<'_> {
    /// Replaces the object with what the body describes.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>
    pub(crate) async fn update(&self) -> Outcome {
        let format = self.check_body()?;
        let options = WriteOptions::parse(self.query, "UpdateOptions")?;
        let view = self.view();
        let kind = view.as_ref().map_or(&self.target.resource, |view| &view.resource);
        let decoded = decode::object(kind, format, self.body, options.field_validation);
        let (mut object, mut warnings) = match decoded {
            Err(_) if view.is_some() && self.target.resource.extension.is_some() => {
                return Err(super::custom_verbs::no_scale());
            }
            decoded => decoded?,
        };
        self.give_way().await?;
        convert::to_storage(kind, &mut object);
        let stored = match self.adopt_namespace(&mut object).and_then(|()| self.check_name(&object)) {
            Ok(()) => self.replace(object, options, &mut warnings).await,
            Err(status) => Err(status),
        };
        match stored {
            Ok((code, json)) => Ok(self.answer_view(code, &json)?.warn(warnings)),
            Err(status) => Err(status.warned(warnings)),
        }
    }

    /// The object must have the name that the path has.
    pub(super) fn check_name(&self, object: &Object) -> Result<(), Box<Status>> {
        let (sent, expected) = (metadata_text(object, "name"), self.target.name.as_str());
        let why = if sent.is_empty() {
            format!(
                "the name of the object ({expected} based on URL) was undeterminable: name must be provided"
            )
        } else if sent != expected {
            format!("the name of the object ({sent}) does not match the name on the URL ({expected})")
        } else {
            return Ok(());
        };
        Err(Status::bad_request(why))
    }

    /// Puts `object` in the place of the stored one; the status code is 200, or 201 if it was not there and the
    /// kind allows that.
    async fn replace(
        &self,
        mut object: Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(u16, bytes::Bytes), Box<Status>> {
        let key = self.key();
        let Some((current, revision)) = self.current() else {
            let creates = registry::strategy(&self.target.resource).create_on_update;
            if !creates || !["", "status"].contains(&self.target.subresource.as_str()) {
                return Err(self.missing());
            }
            self.check_key()?;
            self.check_uid(&object, "", shown_key(&key, options.dry_run))?;
            metadata_mut(&mut object).shift_remove("resourceVersion");
            return self.store_new(object, options, warnings).await;
        };
        self.check_uid(&object, &current.uid, shown_key(&key, options.dry_run))?;
        let object = self.adopt(&current, object)?;
        let json = self.overwrite((&current, revision), object, options, warnings).await?;
        Ok((200, json))
    }

    /// The object that the path names, as it is stored, and the revision that wrote it.
    pub(super) fn current(&self) -> Option<(Arc<Stored>, Revision)> {
        let storage = self.shared.storage();
        storage.store.get(&self.key()).map(|entry| (Arc::clone(&entry.value), entry.mod_revision))
    }

    /// Puts `object` in the place of `current`, which `revision` wrote. If they turn out to be the same, nothing
    /// is written. What takes long for a large object is computed while others have the storage; if one of them writes
    /// the object meanwhile, the request begins again ([`crate::notes::Notes::begin_again`]), as `GuaranteedUpdate` does.
    pub(super) async fn overwrite(
        &self,
        (current, revision): (&Stored, Revision),
        mut object: Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<bytes::Bytes, Box<Status>> {
        let resource = &self.target.resource;
        self.give_way().await?;
        let mut old = convert::tree_of(resource, current);
        if self.target.subresource.is_empty() {
            escalation::check(self, &self.shared.storage(), &mut object, Some(&old))?;
        }
        self.check_version(&object, revision, registry::strategy(resource).requires_version)?;
        warnings.extend(owners::dedup(&mut object));
        let entries = self.managed_fields(Some(&old), &object, options);
        self.give_way().await?;
        let at = self.admit(&mut object, &old, options, warnings)?;
        let unchanged = field_management::same_but_entries(&old, &object);
        self.carry_over(&mut object, &old);
        set_managed_fields(&mut object, entries);
        if unchanged {
            field_management::keep_times(&old, &mut object);
        }
        let subresource = self.target.subresource.as_str();
        let result = as_value(&mut old, |old| {
            as_value(&mut object, |object| self.validation_result(&Change::Part { subresource, object, old }))
        });
        if !result.errors.is_empty() {
            return Err(self.invalid(&object, &self.target.name, &result.errors));
        }
        warnings.extend(result.warnings);
        self.give_way().await?;
        let early = self.may_exceed_limit(current.json.len());
        let early =
            early.then(|| self.encode(&self.key(), with_nil_lists(resource, object.clone()), revision));
        self.give_way().await?;
        self.commit((current, revision, at), (object, early), &old, options, warnings)
    }

    /// Asks admission what is to become of an object in the place of `old`. Returns the newest revision.
    fn admit(
        &self,
        object: &mut Object,
        old: &Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Revision, Box<Status>> {
        let resource = &self.target.resource;
        let whole = self.target.subresource.is_empty();
        let storage = self.transaction();
        if whole {
            admission::mutate(&storage, resource, object, Some(old))?;
        }
        let attributes = Attributes {
            operation: Operation::Update,
            name: &self.target.name,
            object: None,
            old: Some(old),
            dry_run: options.dry_run,
        };
        if self.apply_mutating_policies(&storage, object, &attributes, policy::as_stored)? {
            warnings.extend(owners::dedup(object));
            if whole {
                escalation::check(self, &storage, object, Some(old))?;
            }
        }
        if let Some(allocate) = registry::strategy(resource).allocate.filter(|_| whole) {
            allocate(&storage, object, Some(old), options.dry_run)?;
        }
        Ok(storage.store.revision())
    }

    /// Commits an object that is valid in the place of `current`, if admission lets it pass. `at` is the newest revision when
    /// something was allocated for it; `early`: it is encoded already.
    fn commit(
        &self,
        (current, revision, at): (&Stored, Revision, Revision),
        (object, early): (Object, Option<Encoded>),
        old: &Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<bytes::Bytes, Box<Status>> {
        let (resource, key) = (&self.target.resource, self.key());
        let mut storage = self.transaction();
        self.check_not_overtaken(&storage, &key, revision, options)?;
        if self.target.subresource.is_empty() {
            self.check_allocated((&storage, at), &object, Some(old), options)?;
        }
        let part = (resource.as_ref(), self.target.subresource.as_str());
        admission::validate(&storage, part, &object, Some(old), warnings)?;
        signers::check(self, &storage, &object, old)?;
        let attributes = Attributes {
            operation: Operation::Update,
            name: &self.target.name,
            object: Some(Payload::Stored(&object)),
            old: Some(old),
            dry_run: options.dry_run,
        };
        self.apply_validating_policies(&storage, &attributes, warnings)?;
        let counted = Counted {
            resource,
            subresource: part.1,
            namespace: &self.target.namespace,
            object: &object,
            old: Some(old),
        };
        let clock = self.shared.config.clock.as_ref();
        admission::quota::charge(&mut storage, &counted, options.dry_run, clock)?;
        let (next, fits) =
            early.unwrap_or_else(|| self.encode(&key, with_nil_lists(resource, object), revision));
        if next.json == current.json || options.dry_run {
            return Ok(next.json);
        }
        if next.is_free() && deletion::is_over(old) {
            // The last finalizer is gone, and the object with it; the answer still has its old version.
            if storage.store.delete(&key, Guard::ModRevision(revision)).is_err() {
                return Err(Status::conflict(self.subject(&self.target.name), MODIFIED));
            }
            if let Some(after) = registry::strategy(resource).after_deletion {
                after(&mut storage, &self.target.namespace, &self.target.name);
            }
            return Ok(next.json);
        }
        fits?;
        let stored = self.put_fitting(&mut storage, &key, revision, next)?;
        Ok(stored.json.clone())
    }

    /// Writes the object over what `revision` left.
    pub(super) fn put(
        &self,
        storage: &mut Storage,
        key: &str,
        revision: u64,
        next: Stored,
    ) -> Result<Arc<Stored>, Box<Status>> {
        self.check_size(key, &next, revision)?;
        self.put_fitting(storage, key, revision, next)
    }

    /// Writes an object of which is known that etcd takes it.
    fn put_fitting(
        &self,
        storage: &mut Storage,
        key: &str,
        revision: u64,
        next: Stored,
    ) -> Result<Arc<Stored>, Box<Status>> {
        let put =
            storage.store.put(key, Guard::ModRevision(revision), |revision| Arc::new(next.at(revision)));
        match put {
            Ok(entry) => Ok(Arc::clone(&entry.value)),
            Err(_) => Err(Status::conflict(self.subject(&self.target.name), MODIFIED)),
        }
    }

    /// Checks that the object which the write was computed from, at `revision` or none if that is 0, is still there. A
    /// `create` is told otherwise that the object exists.
    pub(super) fn check_not_overtaken(
        &self,
        storage: &Storage,
        key: &str,
        revision: u64,
        options: WriteOptions,
    ) -> Result<(), Box<Status>> {
        let now = storage.store.get(key).map_or(0, |entry| entry.mod_revision);
        if options.dry_run || now == revision || self.attributes.verb == "create" {
            return Ok(());
        }
        self.notes.overtake();
        Err(Status::conflict(self.subject(&self.target.name), MODIFIED))
    }

    /// Checks that nobody has got what was allocated for the object at the revision `at`.
    pub(super) fn check_allocated(
        &self,
        (storage, at): (&Storage, u64),
        object: &Object,
        old: Option<&Object>,
        options: WriteOptions,
    ) -> Result<(), Box<Status>> {
        match registry::strategy(&self.target.resource).allocate {
            Some(allocate) if !options.dry_run && storage.store.revision() != at => {
                allocate(storage, &mut object.clone(), old, false).inspect_err(|_| self.notes.overtake())
            }
            _ => Ok(()),
        }
    }

    /// A uid in the body must be that of the stored object.
    pub(super) fn check_uid(&self, object: &Object, stored: &str, key: &str) -> Result<(), Box<Status>> {
        let sent = metadata_text(object, "uid");
        if sent.is_empty() || sent == stored {
            return Ok(());
        }
        Err(self.precondition_failed("UID", sent, stored, key))
    }

    /// 409: what the request expects of the object is not what is stored.
    pub(super) fn precondition_failed(&self, what: &str, sent: &str, stored: &str, key: &str) -> Box<Status> {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: {what} in precondition: {sent}, {what} in object meta: {stored}"
        );
        Status::conflict(self.subject(&self.target.name), &why)
    }

    /// A version in the body must be the stored one; without one, whatever is stored is replaced, unless the
    /// kind does not allow that.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>
    fn check_version(&self, object: &Object, stored: u64, required: bool) -> Result<(), Box<Status>> {
        let sent = match metadata_text(object, "resourceVersion") {
            "" => 0,
            text => parse_uint(text).map_err(Status::unclassified)?,
        };
        if sent == 0 && required {
            let resource = &self.target.resource;
            let error = validation::metadata::resource_version_required();
            return Err(Status::invalid(&resource.group, &resource.name, &self.target.name, &[error]));
        }
        if sent == 0 || sent == stored {
            return Ok(());
        }
        Err(Status::conflict(self.subject(&self.target.name), MODIFIED))
    }

    /// Takes over from the stored object what this request cannot change.
    fn carry_over(&self, object: &mut Object, old: &Object) {
        let resource = &self.target.resource;
        let strategy = registry::strategy(resource);
        let was = |key: &str| object::metadata(old, key).cloned();
        let metadata = metadata_mut(object);
        for key in ["selfLink", "managedFields", "generation", "creationTimestamp", "resourceVersion"] {
            metadata.shift_remove(key);
        }
        for key in ["generation", "creationTimestamp"] {
            if let Some(value) = was(key) {
                set_in_order(metadata, key, value, METADATA_ORDER);
            }
        }
        for key in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
            // Once it is set, the time of the deletion stays, whatever is sent; of the others, a change is refused.
            let sent = metadata.get(key).filter(|_| key != "deletionTimestamp");
            if let (None, Some(value)) = (sent, was(key)) {
                set_in_order(metadata, key, value, METADATA_ORDER);
            }
        }
        if let Some(version) = was("resourceVersion") {
            set_in_order(metadata, "resourceVersion", version, METADATA_ORDER);
        }
        let subresource = &self.target.subresource;
        if is_part(&resource.group, &resource.name, subresource) {
            registry::keep_all_but_part(resource, subresource, object, old, self.shared.config.clock.now());
            registry::drop_disabled_fields(resource, object, Some(old));
        } else {
            registry::keep_status(resource, object, old);
            registry::drop_disabled_fields(resource, object, Some(old));
            if let Some(stamp) = strategy.stamp {
                stamp(object, self.shared.config.clock.now());
            }
            (strategy.prepare_for_update)(object, old);
        }
        if subresource != "status" && strategy.generation.grows(old, object) {
            let generation = was("generation").and_then(|value| value.as_i64()).unwrap_or(0) + 1;
            set_in_order(metadata_mut(object), "generation", generation.into(), METADATA_ORDER);
        }
    }
}

/// The object with empty lists as the kind stores them.
fn with_nil_lists(resource: &schema::Resource, mut object: Object) -> Object {
    registry::nil_empty_lists(resource, &mut object);
    object
}
