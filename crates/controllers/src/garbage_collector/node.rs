//! Nodes of the graph of owners: objects as far as the garbage collector knows them.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use json_tree::{Value, json};

use crate::change::Change;
use crate::object;

pub(super) const FOREGROUND: &str = "foregroundDeletion";
pub(super) const ORPHAN: &str = "orphan";

/// A reference to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) uid: String,
    controller: Option<bool>,
    block_owner_deletion: Option<bool>,
}

impl Owner {
    /// Reads the references of an object.
    pub(super) fn all_of(object: &Value) -> Vec<Self> {
        let owned = |owner: &Value, key: &str| owner.text(key).to_owned();
        let read = |owner: &Value| Self {
            api_version: owned(owner, "apiVersion"),
            kind: owned(owner, "kind"),
            name: owned(owner, "name"),
            uid: owned(owner, "uid"),
            controller: owner.get("controller").and_then(Value::as_bool),
            block_owner_deletion: owner.get("blockOwnerDeletion").and_then(Value::as_bool),
        };
        object::owners(object).iter().map(read).collect()
    }

    /// Reports whether the owner may not go before the object.
    pub(super) fn blocks(&self) -> bool {
        self.block_owner_deletion == Some(true)
    }

    /// Reports whether it names an object as an identity does, whatever their namespaces.
    pub(super) fn names(&self, identity: &Identity) -> bool {
        self.uid == identity.uid
            && self.name == identity.name
            && self.kind == identity.kind
            && self.api_version == identity.api_version
    }

    /// Returns the identity of the owner, if it is in this namespace.
    pub(super) fn identity(&self, namespace: &str) -> Identity {
        Identity {
            kind: self.kind.clone(),
            api_version: self.api_version.clone(),
            namespace: namespace.to_owned(),
            name: self.name.clone(),
            uid: self.uid.clone(),
        }
    }

    /// Returns the reference without the claim that it blocks.
    pub(super) fn unblocked(&self) -> Value {
        let mut reference = json!({
            "apiVersion": self.api_version.as_str(),
            "kind": self.kind.as_str(),
            "name": self.name.as_str(),
            "uid": self.uid.as_str()
        });
        if let Some(controller) = self.controller {
            object::set(&mut reference, "controller", controller.into());
        }
        object::set(&mut reference, "blockOwnerDeletion", false.into());
        reference
    }
}

/// The coordinates of an object, in the order by which they are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Identity {
    pub(super) kind: String,
    pub(super) api_version: String,
    /// Empty for an object that is in none.
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
}

impl Identity {
    /// Returns the identity of an object that a change is about.
    pub(super) fn of(change: &Change, object: &Value) -> Self {
        Self {
            kind: change.resource.kind.to_string(),
            api_version: change.resource.api_version(),
            namespace: object::namespace(object).to_owned(),
            name: object::name(object).to_owned(),
            uid: object::uid(object).to_owned(),
        }
    }
}

impl Display for Identity {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { kind, api_version, namespace, name, uid } = self;
        write!(f, "[{api_version}/{kind}, namespace: {namespace}, name: {name}, uid: {uid}]")
    }
}

/// An object, its owners, and those that it owns.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) identity: Identity,
    pub(super) owners: Vec<Owner>,
    /// The uids of the objects that it owns.
    pub(super) dependents: BTreeSet<String>,
    /// True if it is known by references to it alone.
    pub(super) is_virtual: bool,
    pub(super) is_being_deleted: bool,
    /// True if it waits until its dependents are deleted.
    pub(super) is_deleting_dependents: bool,
}

impl Node {
    /// Makes the node of an object that was seen.
    pub(super) fn observed(identity: Identity, object: &Value) -> Self {
        let is_being_deleted = object::is_being_deleted(object);
        Self {
            identity,
            owners: Owner::all_of(object),
            dependents: BTreeSet::new(),
            is_virtual: false,
            is_being_deleted,
            is_deleting_dependents: is_being_deleted && has_finalizer(object, FOREGROUND),
        }
    }

    /// Makes the node of an object that is known by a reference alone.
    pub(super) fn virtual_of(identity: Identity) -> Self {
        Self {
            identity,
            owners: Vec::new(),
            dependents: BTreeSet::new(),
            is_virtual: true,
            is_being_deleted: false,
            is_deleting_dependents: false,
        }
    }
}

/// Reports whether an object has a finalizer.
pub(super) fn has_finalizer(object: &Value, finalizer: &str) -> bool {
    object::finalizers(object).any(|own| own == finalizer)
}

/// Reports whether the deletion of an object, with a finalizer, has begun since `old`.
pub(super) fn begins_deletion(old: Option<&Value>, new: &Value, finalizer: &str) -> bool {
    let waits = |object: &Value| object::is_being_deleted(object) && has_finalizer(object, finalizer);
    waits(new) && !old.is_some_and(waits)
}
