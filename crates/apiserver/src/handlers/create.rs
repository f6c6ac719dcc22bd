//! POST to a collection.

use std::sync::Arc;

use json_tree::Value;
use store::{Guard, Revision};

use super::owners;
use super::size::Encoded;
use crate::admission::policy::{self, Attributes, Operation, Payload};
use crate::admission::quota::Counted;
use crate::answer::Outcome;
use crate::auth::{self, escalation};
use crate::context::{RequestContext, Shared};
use crate::object::{
    METADATA_ORDER, Object, as_value, metadata_mut, metadata_text, set_in_order, set_managed_fields, sort,
};
use crate::options::WriteOptions;
use crate::status::Status;
use crate::storage::Storage;
use crate::stored::Stored;
use crate::validation::Change;
use crate::{admission, convert, custom, decode, defaults, registry, stored, time, validation};

/// How often a name is made anew when the one that was made is taken.
const NAME_ATTEMPTS: usize = 8;

/// A new object that admission knows of.
struct Admitted {
    name: String,
    key: String,
    /// The newest revision when something was allocated for it.
    at: Revision,
    /// The warnings of validation.
    warnings: Vec<String>,
}

impl RequestContext<'_> {
    /// Creates the object that the body describes.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>
    pub(crate) async fn create(&self) -> Outcome {
        let format = self.check_body()?;
        let options = WriteOptions::parse(self.query, "CreateOptions")?;
        let (mut object, mut warnings) =
            decode::object(&self.target.resource, format, self.body, options.field_validation)?;
        self.give_way().await?;
        convert::to_storage(&self.target.resource, &mut object);
        let stored = match self.adopt_namespace(&mut object) {
            Ok(()) => self.store_new(object, options, &mut warnings).await,
            Err(status) => Err(status),
        };
        match stored {
            Ok((code, json)) => Ok(self.answer_object(code, &json)?.warn(warnings)),
            Err(status) => Err(status.warned(warnings)),
        }
    }

    /// Stores a new object; the status code is 201. What its sender is to be told goes to `warnings`. What takes long for
    /// a large object is computed while others have the storage.
    pub(super) async fn store_new(
        &self,
        mut object: Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(u16, bytes::Bytes), Box<Status>> {
        let resource = &self.target.resource;
        warnings.extend(owners::dedup(&mut object));
        for key in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
            metadata_mut(&mut object).shift_remove(key);
        }
        let entries = self.managed_fields(None, &object, options);
        self.give_way().await?;
        let mut admitted = self.admit_new(&mut object, options, warnings)?;
        prepare(self.shared, resource, &mut object);
        set_managed_fields(&mut object, entries);
        (registry::strategy(resource).prepare_for_create_by)(&mut object, &self.user()?);
        let result = as_value(&mut object, |object| self.validation_result(&Change::New(object)));
        if !result.errors.is_empty() {
            return Err(self.invalid(&object, &admitted.name, &result.errors));
        }
        admitted.warnings = result.warnings;
        self.give_way().await?;
        let early = self.may_exceed_limit(0);
        let early = early.then(|| self.encode(&admitted.key, as_read_back(resource, object.clone()), 0));
        self.give_way().await?;
        self.commit_new(admitted, object, early, options, warnings)
    }

    /// Asks admission what is to become of a new object, and names it.
    fn admit_new(
        &self,
        object: &mut Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Admitted, Box<Status>> {
        let resource = &self.target.resource;
        let requested = metadata_text(object, "name").to_owned();
        let storage = self.transaction();
        admission::create(&storage, self.subject(&requested), &self.target.namespace, resource)?;
        admission::mutate(&storage, resource, object, None)?;
        let attributes = Attributes {
            operation: Operation::Create,
            name: &requested,
            object: None,
            old: None,
            dry_run: options.dry_run,
        };
        if self.apply_mutating_policies(&storage, object, &attributes, policy::as_stored)? {
            warnings.extend(owners::dedup(object));
        }
        escalation::check(self, &storage, object, None)?;
        self.name(&storage, object);
        if let Some(allocate) = registry::strategy(resource).allocate {
            allocate(&storage, object, None, options.dry_run)?;
        }
        let name = metadata_text(object, "name").to_owned();
        let key = stored::object_key(resource, &self.target.namespace, &name);
        Ok(Admitted { name, key, at: storage.store.revision(), warnings: Vec::new() })
    }

    /// Commits a new object that is valid, if admission lets it pass. `early`: it is encoded already.
    fn commit_new(
        &self,
        Admitted { name, key, at, warnings: found }: Admitted,
        mut object: Object,
        early: Option<Encoded>,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(u16, bytes::Bytes), Box<Status>> {
        let resource = &self.target.resource;
        let mut storage = self.transaction();
        self.check_not_overtaken(&storage, &key, 0, options)?;
        self.check_allocated((&storage, at), &object, None, options)?;
        if custom::of(resource).is_some_and(|custom| custom.definition.terminating) {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(Status::forbidden(self.subject(&name), why));
        }
        warnings.extend(found);
        if self.attributes.verb != "create" {
            // A PUT or an apply that makes an object needs the right to do that.
            auth::authorize(&storage, self.user, &self.attributes.with_verb("create"))?;
        }
        admission::validate(&storage, (resource, ""), &object, None, warnings)?;
        let attributes = Attributes {
            operation: Operation::Create,
            name: &name,
            object: Some(Payload::Stored(&object)),
            old: None,
            dry_run: options.dry_run,
        };
        self.apply_validating_policies(&storage, &attributes, warnings)?;
        let clock = self.shared.config.clock.as_ref();
        let counted = Counted {
            resource,
            subresource: "",
            namespace: &self.target.namespace,
            object: &object,
            old: None,
        };
        admission::quota::charge(&mut storage, &counted, options.dry_run, clock)?;
        // What is not stored keeps the version that it was sent with, whatever that is.
        if !options.dry_run {
            let version = metadata_text(&object, "resourceVersion");
            if version.parse::<u64>().is_ok_and(|version| version != 0) {
                let why = "resourceVersion should not be set on objects to be created";
                return Err(Status::unclassified(why));
            }
            metadata_mut(&mut object).shift_remove("resourceVersion");
        }
        if let Some(present) = storage.store.get(&key) {
            let mut status = Status::already_exists(self.subject(&name));
            if present.value.is_terminating() {
                status.message.insert_str(0, "object is being deleted: ");
            }
            return Err(status);
        }
        if options.dry_run {
            drop(storage);
            let mut object = as_read_back(resource, object);
            if resource.extension.is_some() {
                sort(&mut object);
            }
            return Ok((201, codec::json::to_vec(&Value::Object(object)).into()));
        }
        let put = match early {
            Some((next, fits)) => {
                fits?;
                storage.store.put(&key, Guard::Absent, |revision| Arc::new(next.at(revision)))
            }
            None => storage.store.put(&key, Guard::Absent, |revision| {
                Arc::new(Stored::new(resource, as_read_back(resource, object), revision))
            }),
        };
        match put {
            Ok(entry) => Ok((201, entry.value.json.clone())),
            Err(_) => Err(Status::already_exists(self.subject(&name))),
        }
    }

    /// Puts the path's namespace into the object, which must not have another. What is in no namespace loses it.
    pub(super) fn adopt_namespace(&self, object: &mut Object) -> Result<(), Box<Status>> {
        let namespace = &self.target.namespace;
        let sent = metadata_text(object, "namespace");
        if self.target.resource.namespaced {
            if !sent.is_empty() && sent != namespace {
                return Err(Status::bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request",
                ));
            }
            let metadata = metadata_mut(object);
            set_in_order(metadata, "namespace", namespace.as_str().into(), METADATA_ORDER);
        } else if !sent.is_empty() {
            metadata_mut(object).shift_remove("namespace");
        }
        Ok(())
    }

    /// Makes a name of `generateName`, where there is no name: one that is not taken, if luck has it.
    fn name(&self, storage: &Storage, object: &mut Object) {
        let prefix = metadata_text(object, "generateName").to_owned();
        if !metadata_text(object, "name").is_empty() || prefix.is_empty() {
            return;
        }
        let random = self.shared.config.random.as_ref();
        let mut name = validation::generate_name::generate_name(&prefix, random);
        for _ in 1..NAME_ATTEMPTS {
            let key = stored::object_key(&self.target.resource, &self.target.namespace, &name);
            if storage.store.get(&key).is_none() {
                break;
            }
            name = validation::generate_name::generate_name(&prefix, random);
        }
        set_in_order(metadata_mut(object), "name", name.into(), METADATA_ORDER);
    }
}

/// The object as it is read back from the store.
fn as_read_back(resource: &schema::Resource, mut object: Object) -> Object {
    (registry::strategy(resource).read_back)(&mut object);
    registry::nil_empty_lists(resource, &mut object);
    object
}

/// The resource as validation sees it.
pub(super) fn subject_of(resource: &schema::Resource) -> validation::Resource<'_> {
    validation::Resource { group: &resource.group, resource: &resource.name, namespaced: resource.namespaced }
}

/// Fills in what the server sets in every new object, and takes out what a client may not.
pub(crate) fn prepare(shared: &Shared, resource: &schema::Resource, object: &mut Object) {
    let metadata = metadata_mut(object);
    for key in ["selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"] {
        metadata.shift_remove(key);
    }
    set_in_order(metadata, "uid", shared.uid().into(), METADATA_ORDER);
    let now = shared.config.clock.now();
    set_in_order(metadata, "creationTimestamp", time::rfc3339(now).into(), METADATA_ORDER);
    let strategy = registry::strategy(resource);
    if let Some(generation) = strategy.generation.begin() {
        set_in_order(metadata, "generation", generation.into(), METADATA_ORDER);
    }
    registry::reset_status(resource, object);
    registry::drop_disabled_fields(resource, object, None);
    if let Some(stamp) = strategy.stamp {
        stamp(object, now);
    }
    if let Some(ty) = registry::stored_type(resource) {
        as_value(object, |object| defaults::prepare_for_create(schema::Types::builtin(), ty, object));
    }
    (strategy.prepare_for_create)(object);
}
