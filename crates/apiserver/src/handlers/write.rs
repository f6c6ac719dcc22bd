//! A write of an object, from what a request makes of it until it is stored: one sequence of stages for objects that are
//! new and for those that replace others, whatever they came by (a body, a patch, a configuration, a scale).
//!
//! The stages before the last have the storage for single reads only, so others write meanwhile. The last one
//! ([`commit`]) has the storage for itself. If what the write was computed from is no longer there by then, the request
//! begins again ([`crate::notes::Notes::begin_again`]), as `GuaranteedUpdate` does.

mod commit;
mod identity;
mod prepare;
mod stored;

pub(super) use identity::parse_version;
pub(super) use stored::put_over;

use std::sync::Arc;

use admission::Plugin;
use bytes::Bytes;
use json_tree::Value;
use store::Revision;

use super::owners;
use crate::answer::Outcome;
use crate::auth::{self, escalation, signers};
use crate::context::{Reading, RequestContext};
use crate::dynamic_admission::policy::{self, Attributes, Operation, Payload};
use crate::options::WriteOptions;
use crate::stored::{Stored, object_key};
use crate::{convert, deletion, registry};
use apimachinery::object::{
    self, METADATA_ORDER, Object, as_value, metadata_mut, metadata_text, set_in_order, set_managed_fields,
};
use apimachinery::status::Status;
use kinds::validation::Change;

/// How often a write is computed at most: each time, somebody else has written the same object.
pub(super) const ATTEMPTS: usize = 100;

/// Does a write, again for as long as somebody else writes the same object meanwhile.
pub(super) async fn write(context: &RequestContext<'_>, verb: &str) -> Outcome {
    let mut outcome = attempt(context, verb).await;
    for _ in 1..ATTEMPTS {
        if !context.notes.begin_again() {
            break;
        }
        outcome = attempt(context, verb).await;
    }
    outcome
}

async fn attempt(context: &RequestContext<'_>, verb: &str) -> Outcome {
    match verb {
        "create" => context.create().await,
        "update" => context.update().await,
        "patch" => context.patch().await,
        "delete" => context.delete().await,
        _ => Err(Status::method_not_allowed()),
    }
}

/// How often a name is made anew when the one that was made is taken.
const NAME_ATTEMPTS: usize = 8;

/// An object that is to be stored, on its way there.
struct Write<'w> {
    context: &'w RequestContext<'w>,
    options: WriteOptions,
    /// The warnings for the sender.
    warnings: &'w mut Vec<String>,
    object: Object,
    /// The object that it replaces. `None`: it is new.
    old: Option<Old<'w>>,
    /// The subresource by which it is written; empty for the object itself, and for a new one.
    part: &'w str,
    /// The name; at first that which was sent, which may be empty.
    name: String,
    /// True if the name was made here, and nobody had it then.
    has_own_name: bool,
    /// True if a new object was sent with a version.
    is_versioned: bool,
    /// The entries of field management.
    entries: Option<Value>,
    /// The newest revision when something was allocated for it.
    allocated_at: Revision,
}

/// A stored object that a request is about, and the same object in the version of the request: but for what webhooks convert, both are
/// one.
pub(super) struct Current {
    /// The object as it is stored.
    pub(super) stored: Arc<Stored>,
    /// The object in the version of the request, or in one that can be read as that.
    pub(super) shown: Arc<Stored>,
}

/// A stored object that is to be replaced.
struct Old<'w> {
    stored: &'w Stored,
    tree: Object,
}

impl RequestContext<'_> {
    /// The object that the path names, as it is stored now.
    pub(super) fn current(&self) -> Option<Arc<Stored>> {
        self.shared.find(&self.key())
    }

    /// The object that the path names, as it is stored now, in the version of the request, too.
    pub(super) async fn current_shown(&self) -> Result<Option<Current>, Box<Status>> {
        let Some(stored) = self.current() else { return Ok(None) };
        let shown = self.show_one(Arc::clone(&stored), Reading::Cached).await?;
        Ok(Some(Current { stored, shown }))
    }

    /// Stores an object in the place of the current one, or as a new one, and returns the status code and the JSON of what is
    /// stored.
    /// If it replaces one that is the same, nothing is written. What its sender is to be told goes to `warnings`.
    pub(super) async fn store(
        &self,
        current: Option<&Current>,
        object: Object,
        options: WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(u16, Bytes), Box<Status>> {
        let tree = |current: &Current| convert::tree_of(&self.target.resource, &current.shown);
        let old = current.map(|current| Old { stored: &current.stored, tree: tree(current) });
        let write = Write {
            context: self,
            options,
            warnings,
            part: if old.is_some() { &self.target.subresource } else { "" },
            name: if old.is_some() {
                self.target.name.clone()
            } else {
                metadata_text(&object, "name").to_owned()
            },
            has_own_name: false,
            is_versioned: false,
            object,
            old,
            entries: None,
            allocated_at: 0,
        };
        write.run().await
    }
}

impl Write<'_> {
    async fn run(mut self) -> Result<(u16, Bytes), Box<Status>> {
        self.context.give_way().await?;
        self.begin().await?;
        self.context.give_way().await?;
        self.mutate().await?;
        self.prepare();
        self.validate()?;
        self.context.give_way().await?;
        self.admit().await?;
        let last = self.last();
        self.context.to_storage(&mut self.object).await?;
        let next = self.encode();
        self.context.give_way().await?;
        let (context, key) = (self.context, self.key());
        let (code, json) = self.commit(next)?;
        let json = match last {
            Some(last) => last,
            None => context.show_written(&key, json).await?,
        };
        Ok((code, json))
    }

    /// Returns the object as it is shown when it is gone by losing its last finalizer, if a webhook converts it: nobody reads it back.
    fn last(&self) -> Option<Bytes> {
        self.context.converted()?;
        let old = self.old.as_ref().filter(|old| deletion::is_over(&old.tree) && !self.options.dry_run)?;
        let mut object = self.object.clone();
        let last = Stored::as_it_is(&self.context.target.resource, &mut object, old.stored.revision());
        last.is_free().then_some(last.json)
    }

    /// The tree of the object that it replaces.
    fn old(&self) -> Option<&Object> {
        self.old.as_ref().map(|old| &old.tree)
    }

    /// Reports whether the write is a PATCH.
    fn patches(&self) -> bool {
        self.context.attributes.verb == "patch"
    }

    fn operation(&self) -> Operation<'static> {
        if self.old.is_some() { Operation::Update } else { Operation::Create }
    }

    /// The key; that of a new object is known once it has its name.
    fn key(&self) -> String {
        let target = self.context.target;
        object_key(&target.resource, &target.namespace, &self.name)
    }

    /// Looks at what was sent, and who owns its fields.
    async fn begin(&mut self) -> Result<(), Box<Status>> {
        let context = self.context;
        match &self.old {
            None if context.attributes.verb == "create" => object::wipe_system_fields(&mut self.object),
            None => {}
            Some(old) => {
                if self.part.is_empty() {
                    escalation::check(context, &mut self.object, Some(&old.tree))?;
                }
                let required = registry::strategy(&context.target.resource).requires_version;
                context.check_version(&self.object, old.stored.revision(), required)?;
            }
        }
        if !self.patches() {
            self.warnings.extend(owners::dedup(&mut self.object, ""));
        }
        self.entries = context.managed_fields(self.old(), &self.object, self.options).await;
        Ok(())
    }

    /// Lets admission change the object, and gives it what it shares with no other: a name that is made, addresses, ports.
    async fn mutate(&mut self) -> Result<(), Box<Status>> {
        let (context, whole) = (self.context, self.part.is_empty());
        let (resource, shared) = (&context.target.resource, context.shared);
        let old = self.old.as_ref().map(|old| &old.tree);
        if old.is_none() && context.runs(Plugin::NamespaceLifecycle) {
            // The name may still have to be generated.
            let name = object::name_for_refusal(&self.name, &self.object);
            admission::create(&**shared, context.subject(name), &context.target.namespace, resource)?;
        }
        if whole {
            admission::mutate(&context.admission_request(old), &mut self.object)?;
        }
        // They look at who owns which field. What they make of it is found out anew.
        if context.has_mutating_webhooks() {
            set_managed_fields(&mut self.object, self.entries.clone());
        }
        let attributes = Attributes {
            operation: self.operation(),
            name: &self.name,
            object: None,
            old,
            dry_run: self.options.dry_run,
        };
        let changed =
            context.admit_mutating(&mut self.object, &attributes, policy::as_stored, self.warnings).await?;
        if changed || self.patches() {
            self.warnings.extend(owners::dedup(&mut self.object, owners::ADMITTED));
        }
        // One that replaces another has been looked at as it was sent.
        if whole && (changed || old.is_none()) {
            escalation::check(context, &mut self.object, old)?;
        }
        if old.is_none() {
            self.make_name();
        }
        if let Some(allocate) = registry::strategy(resource).allocate.filter(|_| whole) {
            let (old, storage) = (self.old.as_ref().map(|old| &old.tree), shared.storage());
            allocate(&*storage, &mut self.object, old, self.options.dry_run)?;
            self.allocated_at = storage.store.revision();
        }
        Ok(())
    }

    /// Names a new object: by `generateName` where it has no name, with a name that is not taken, if luck has it.
    fn make_name(&mut self) {
        let (prefix, random) =
            (metadata_text(&self.object, "generateName"), self.context.shared.config.random.as_ref());
        let sent = metadata_text(&self.object, "name");
        if !sent.is_empty() || prefix.is_empty() {
            self.name = sent.to_owned();
            return;
        }
        for _ in 0..NAME_ATTEMPTS {
            self.name = registry::generate_name(prefix, random);
            self.has_own_name = self.context.shared.find(&self.key()).is_none();
            if self.has_own_name {
                break;
            }
        }
        set_in_order(metadata_mut(&mut self.object), "name", self.name.as_str().into(), METADATA_ORDER);
    }

    /// Validates the object.
    fn validate(&mut self) -> Result<(), Box<Status>> {
        let (context, subresource) = (self.context, self.part);
        let object = &mut self.object;
        let result = match &mut self.old {
            None => as_value(object, |object| context.validation_result(&Change::New(object))),
            Some(old) => as_value(&mut old.tree, |old| {
                as_value(object, |object| {
                    context.validation_result(&Change::Part { subresource, object, old })
                })
            }),
        };
        self.warnings.extend(result.warnings);
        if !result.errors.is_empty() {
            return Err(context.invalid(&self.object, &self.name, &result.errors));
        }
        let custom = context.target.resource.custom();
        if self.old.is_none() && custom.is_some_and(|custom| custom.definition.terminating) {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(Status::forbidden(context.subject(&self.name), why));
        }
        Ok(())
    }

    /// Asks the plugins of admission whether the object may be stored.
    fn ask_plugins(&mut self) -> Result<(), Box<Status>> {
        let context = self.context;
        let audit = context.notes.audit();
        let annotate = audit.map(|audit| |key: &str, value: &str| audit.annotate(key, value));
        let request = admission::Request {
            subresource: self.part,
            audit: annotate.as_ref().map(|annotate| annotate as admission::Annotate<'_>),
            ..context.admission_request(self.old.as_ref().map(|old| &old.tree))
        };
        admission::validate(&request, &self.object, self.warnings)
    }

    /// Asks admission whether the object may be stored, and whether its sender may do that.
    async fn admit(&mut self) -> Result<(), Box<Status>> {
        let context = self.context;
        if self.old.is_none() && context.attributes.verb != "create" {
            // A PUT or an apply that makes an object needs the right to do that.
            auth::authorize(context.shared, context.user, &context.attributes.with_verb("create"))?;
        }
        self.ask_plugins()?;
        let old = self.old.as_ref().map(|old| &old.tree);
        if let Some(old) = old {
            signers::check(context, &self.object, old)?;
        }
        let attributes = Attributes {
            operation: self.operation(),
            name: &self.name,
            object: Some(Payload::Stored(&self.object)),
            old,
            dry_run: self.options.dry_run,
        };
        context.admit_validating(&attributes, self.warnings).await
    }
}
