//! The graph of owners and dependents, as changes tell it.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents>.

use std::collections::{BTreeSet, HashMap};

use json_tree::Value;

use super::absent::Absent;
use super::node::{FOREGROUND, Identity, Node, ORPHAN, Owner, begins_deletion};
use crate::change::Change;
use crate::object;

/// Something that a change gives cause for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// To look whether the object of a uid is to be deleted.
    AttemptToDelete(String),
    /// The same, later: its identity was wrong.
    AttemptAgain(String),
    /// To orphan the dependents of the object of a uid.
    AttemptToOrphan(String),
    /// To say that an object names an owner that is not in its namespace.
    ReportInvalidNamespace(Box<InvalidOwner>),
}

/// An object that names an owner, and that owner as it names it. It is in another namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InvalidOwner {
    pub(super) dependent: Identity,
    pub(super) owner: Identity,
}

/// The graph. Nodes are known by their uids.
#[derive(Default)]
pub(super) struct Graph {
    nodes: HashMap<String, Node>,
    pub(super) absent: Absent,
    tasks: Vec<Task>,
}

impl Graph {
    /// Returns the node of a uid.
    pub(super) fn get(&self, uid: &str) -> Option<&Node> {
        self.nodes.get(uid)
    }

    /// Returns the nodes of the dependents of a node.
    pub(super) fn dependents<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        node.dependents.iter().filter_map(|uid| self.nodes.get(uid))
    }

    /// Returns the dependents that keep a node from being deleted.
    pub(super) fn blocking_dependents<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        let blocks = |owner: &Owner| owner.uid == node.identity.uid && owner.blocks();
        self.dependents(node).filter(move |dependent| dependent.owners.iter().any(blocks))
    }

    /// Takes what there is to be done since the last call.
    pub(super) fn take_tasks(&mut self) -> Vec<Task> {
        std::mem::take(&mut self.tasks)
    }

    fn attempt_to_delete(&mut self, uid: &str) {
        self.tasks.push(Task::AttemptToDelete(uid.to_owned()));
    }

    /// Learns of a change that an informer has seen.
    pub(super) fn observe(&mut self, change: &Change) {
        let Some(object) = change.object() else { return };
        // Another object of the same name may have taken the place of one whose end was missed.
        if let (Some(old), Some(_)) = (&change.old, &change.new)
            && object::uid(old) != object::uid(object)
        {
            self.remove(Identity::of(change, old), false);
        }
        let uid = object::uid(object);
        let identity = Identity::of(change, object);
        self.see(&identity);
        match &change.new {
            None => self.remove(identity, false),
            Some(new) if self.nodes.contains_key(uid) => {
                self.update(new);
                self.follow_deletion(change.old.as_deref(), new);
            }
            Some(new) => {
                let node = Node::observed(identity, new);
                let owners = node.owners.clone();
                self.nodes.insert(uid.to_owned(), node);
                self.add_to_owners(uid, &owners);
                self.follow_deletion(change.old.as_deref(), new);
            }
        }
    }

    /// Learns that there is no object of an identity, without having seen it go.
    pub(super) fn observe_absence(&mut self, identity: Identity) {
        self.remove(identity, true);
    }

    /// Notes that an object that was known by references alone is there.
    fn see(&mut self, identity: &Identity) {
        let Some(node) = self.nodes.get_mut(&identity.uid).filter(|node| node.is_virtual) else { return };
        node.is_virtual = false;
        if node.identity == *identity {
            return;
        }
        node.identity = identity.clone();
        let node = node.clone();
        let (_, others) = self.partition(&node, identity);
        for dependent in others {
            self.check_namespace(&dependent, identity);
            self.attempt_to_delete(&dependent.uid);
        }
    }

    /// Reports an owner that is in another namespace than an object that names it.
    fn check_namespace(&mut self, dependent: &Identity, owner: &Identity) {
        if owner.namespace.is_empty() || dependent.namespace == owner.namespace {
            return;
        }
        let owners = self.nodes.get(&dependent.uid).map_or(&[][..], |node| &node.owners);
        if let Some(reference) = owners.iter().find(|reference| reference.uid == owner.uid) {
            let (dependent, owner) = (dependent.clone(), reference.identity(&dependent.namespace));
            self.tasks.push(Task::ReportInvalidNamespace(Box::new(InvalidOwner { dependent, owner })));
        }
    }

    /// Takes over the owners of an object that has changed.
    fn update(&mut self, object: &Value) {
        let uid = object::uid(object);
        let Some(node) = self.nodes.get_mut(uid) else { return };
        node.is_being_deleted |= object::is_being_deleted(object);
        let new = Owner::all_of(object);
        if node.owners == new {
            return;
        }
        let old = std::mem::replace(&mut node.owners, new.clone());
        let find = |owners: &[Owner], uid: &str| owners.iter().find(|owner| owner.uid == uid).cloned();
        for owner in old.iter().filter(|owner| owner.blocks()) {
            let still_blocks = find(&new, &owner.uid).is_some_and(|now| now.blocks());
            if !still_blocks && self.nodes.contains_key(&owner.uid) {
                self.attempt_to_delete(&owner.uid);
            }
        }
        let added: Vec<Owner> =
            new.iter().filter(|owner| find(&old, &owner.uid).is_none()).cloned().collect();
        self.add_to_owners(uid, &added);
        for owner in old.iter().filter(|owner| find(&new, &owner.uid).is_none()) {
            if let Some(node) = self.nodes.get_mut(&owner.uid) {
                node.dependents.remove(uid);
            }
        }
    }

    /// Queues what has to be done now that the deletion of an object has begun.
    fn follow_deletion(&mut self, old: Option<&Value>, new: &Value) {
        let uid = object::uid(new);
        if begins_deletion(old, new, ORPHAN) {
            return self.tasks.push(Task::AttemptToOrphan(uid.to_owned()));
        }
        if begins_deletion(old, new, FOREGROUND)
            && let Some(node) = self.nodes.get_mut(uid)
        {
            node.is_deleting_dependents = true;
            for dependent in node.dependents.clone() {
                self.attempt_to_delete(&dependent);
            }
            self.attempt_to_delete(uid);
        }
    }

    /// Adds an object to the dependents of its owners. An owner that is not known gets a node, and is looked for.
    fn add_to_owners(&mut self, uid: &str, owners: &[Owner]) {
        let Some(node) = self.nodes.get(uid) else { return };
        let identity = node.identity.clone();
        let mut doubtful = false;
        for owner in owners {
            let Some(known) = self.nodes.get_mut(&owner.uid) else {
                let mut node = Node::virtual_of(owner.identity(&identity.namespace));
                node.dependents.insert(uid.to_owned());
                self.nodes.insert(owner.uid.clone(), node);
                self.attempt_to_delete(&owner.uid);
                continue;
            };
            known.dependents.insert(uid.to_owned());
            if doubtful {
                continue;
            }
            let (known, is_virtual) = (known.identity.clone(), known.is_virtual);
            let elsewhere = known.namespace != identity.namespace;
            if !known.namespace.is_empty() && elsewhere {
                if !is_virtual {
                    self.check_namespace(&identity, &known);
                }
                doubtful = true;
            } else {
                doubtful = !owner.names(&known) || known.namespace.is_empty() && elsewhere && is_virtual;
            }
        }
        if doubtful {
            self.attempt_to_delete(uid);
        }
    }

    /// Removes a node, or what is known of it by references that were wrong. With `absent`, its object was looked for and not found;
    /// otherwise it was seen to go.
    fn remove(&mut self, identity: Identity, absent: bool) {
        let Some(node) = self.nodes.get(&identity.uid).cloned() else { return };
        let (matching, others) = self.partition(&node, &identity);
        let is_other = absent && if node.is_virtual { !others.is_empty() } else { node.identity != identity };
        if is_other {
            if !matching.is_empty() {
                self.absent.add(identity.clone());
            }
            for dependent in matching {
                self.attempt_to_delete(&dependent.uid);
            }
            if node.is_virtual && node.identity == identity {
                self.rename(&node, &identity);
            }
            return;
        }
        self.nodes.remove(&identity.uid);
        for owner in &node.owners {
            if let Some(owner) = self.nodes.get_mut(&owner.uid) {
                owner.dependents.remove(&identity.uid);
            }
        }
        if !node.dependents.is_empty() {
            self.absent.add(identity);
        }
        for dependent in &node.dependents {
            self.attempt_to_delete(dependent);
        }
        for owner in &node.owners {
            if self.nodes.get(&owner.uid).is_some_and(|owner| owner.is_deleting_dependents) {
                self.attempt_to_delete(&owner.uid);
            }
        }
    }

    /// Gives a node that is known by references alone the next of the identities by which it is referred to.
    fn rename(&mut self, node: &Node, absent: &Identity) {
        let mut candidates = BTreeSet::new();
        for dependent in self.dependents(node) {
            for owner in dependent.owners.iter().filter(|owner| owner.uid == absent.uid) {
                let mut identity = owner.identity(&dependent.identity.namespace);
                let same_kind = identity.kind == absent.kind && identity.api_version == absent.api_version;
                if absent.namespace.is_empty() && same_kind {
                    identity.namespace.clear();
                }
                if identity != *absent {
                    candidates.insert(identity);
                }
            }
        }
        let next = candidates.range(absent.clone()..).next().or_else(|| candidates.first()).cloned();
        if let (Some(next), Some(node)) = (next, self.nodes.get_mut(&absent.uid)) {
            node.identity = next;
            self.tasks.push(Task::AttemptAgain(absent.uid.clone()));
        }
    }

    /// Returns the dependents of a node that refer to it by an identity, and those that refer to it by another one.
    fn partition(&self, node: &Node, identity: &Identity) -> (Vec<Identity>, Vec<Identity>) {
        let (mut matching, mut others) = (Vec::new(), Vec::new());
        for dependent in self.dependents(node) {
            let elsewhere =
                !identity.namespace.is_empty() && dependent.identity.namespace != identity.namespace;
            let references = dependent.owners.iter().filter(|owner| owner.uid == identity.uid);
            let (same, different): (Vec<_>, Vec<_>) = references.partition(|owner| owner.names(identity));
            if !elsewhere && !same.is_empty() {
                matching.push(dependent.identity.clone());
            }
            if elsewhere || !different.is_empty() {
                others.push(dependent.identity.clone());
            }
        }
        (matching, others)
    }
}
