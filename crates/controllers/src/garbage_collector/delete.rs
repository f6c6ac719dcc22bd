//! The decision whether an object is to be deleted.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion>.

use json_tree::Value;

use super::node::{FOREGROUND, Identity, Node, ORPHAN, Owner, has_finalizer};
use super::requests::Failure;
use super::{DELETE, GarbageCollector};
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::object;

/// The owners of an object, by how they are.
#[derive(Default)]
struct Owners {
    /// Those that exist, and wait for nothing.
    solid: usize,
    /// The uids of those that do not exist.
    dangling: Vec<String>,
    /// The uids of those that wait until their dependents are deleted.
    waiting: Vec<String>,
}

/// The state of an owner.
enum State {
    Solid,
    Dangling,
    Waiting,
}

impl GarbageCollector {
    /// Looks whether the object of a uid is to be deleted, and does it.
    pub(super) async fn attempt_to_delete(
        &mut self,
        uid: &str,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Error> {
        let Some(node) = self.graph.get(uid).cloned() else { return Ok(Outcome::Done) };
        match self.delete_if_unowned(&node, context).await {
            Ok(()) if node.is_virtual => Ok(if self.graph.get(uid).is_some_and(|node| node.is_virtual) {
                // It may have come and gone between two watches: it is looked for until it is seen.
                Outcome::Retry
            } else {
                Outcome::Done
            }),
            Ok(()) | Err(Failure::NamespacedOwner) => Ok(Outcome::Done),
            Err(Failure::Error(error)) if error.is_not_found() => {
                self.graph.observe_absence(node.identity);
                Ok(Outcome::Done)
            }
            Err(Failure::Error(error)) => Err(error),
        }
    }

    /// Deletes an object unless an owner of it is there. One that waits for its dependents goes once they have.
    async fn delete_if_unowned(&mut self, node: &Node, context: &mut Context<'_>) -> Result<(), Failure> {
        if node.is_being_deleted && !node.is_deleting_dependents {
            return Ok(());
        }
        let latest = self.get(&node.identity, context).await?;
        if object::uid(&latest) != node.identity.uid {
            self.graph.observe_absence(node.identity.clone());
            return Ok(());
        }
        if node.is_deleting_dependents {
            return self.wait_for_dependents(node, context).await;
        }
        let references = Owner::all_of(&latest);
        if references.is_empty() {
            return Ok(());
        }
        let owners = self.classify(node, &references, context).await?;
        if owners.solid > 0 {
            let gone = [owners.dangling, owners.waiting].concat();
            if !gone.is_empty() {
                self.remove_owners(&node.identity, &gone, context).await?;
            }
            return Ok(());
        }
        let policy = if !owners.waiting.is_empty() && !node.dependents.is_empty() {
            // In a circle of owners each would wait for the other.
            if self.graph.dependents(node).any(|dependent| dependent.is_deleting_dependents) {
                self.unblock_owners(node, context).await?;
            }
            "Foreground"
        } else if has_finalizer(&latest, ORPHAN) {
            "Orphan"
        } else if has_finalizer(&latest, FOREGROUND) {
            "Foreground"
        } else {
            "Background"
        };
        // After a patch, too: what it has changed is no reason to keep the object.
        Ok(self.delete(&node.identity, &latest, policy, context).await?)
    }

    /// Lets an object go whose dependents are gone; else queues them.
    async fn wait_for_dependents(&self, node: &Node, context: &mut Context<'_>) -> Result<(), Failure> {
        let blocking: Vec<&Node> = self.graph.blocking_dependents(node).collect();
        if blocking.is_empty() {
            return self.remove_finalizer(&node.identity, FOREGROUND, context).await;
        }
        for dependent in blocking.into_iter().filter(|dependent| !dependent.is_deleting_dependents) {
            context.queue.add([DELETE, &dependent.identity.uid].concat());
        }
        Ok(())
    }

    /// Looks for all owners of an object.
    async fn classify(
        &mut self,
        node: &Node,
        references: &[Owner],
        context: &Context<'_>,
    ) -> Result<Owners, Failure> {
        let mut owners = Owners::default();
        for reference in references {
            match self.look_for(reference, &node.identity.namespace, context).await? {
                State::Solid => owners.solid += 1,
                State::Dangling => owners.dangling.push(reference.uid.clone()),
                State::Waiting => owners.waiting.push(reference.uid.clone()),
            }
        }
        Ok(owners)
    }

    /// Looks for an owner of an object that is in a namespace.
    async fn look_for(
        &mut self,
        reference: &Owner,
        namespace: &str,
        context: &Context<'_>,
    ) -> Result<State, Failure> {
        let identity = reference.identity(namespace);
        let without = Identity { namespace: String::new(), ..identity.clone() };
        if self.graph.absent.has(&without) || self.graph.absent.has(&identity) {
            return Ok(State::Dangling);
        }
        let namespaced = self.resource(&reference.api_version, &reference.kind)?.namespaced;
        let absent = if namespaced { identity.clone() } else { without };
        match self.get(&identity, context).await {
            Ok(owner) if object::uid(&owner) == reference.uid => Ok(state(&owner)),
            Err(Failure::Error(error)) if !error.is_not_found() => Err(Failure::Error(error)),
            Err(Failure::NamespacedOwner) => Err(Failure::NamespacedOwner),
            Ok(_) | Err(Failure::Error(_)) => {
                self.graph.absent.add(absent);
                Ok(State::Dangling)
            }
        }
    }
}

fn state(owner: &Value) -> State {
    if object::is_being_deleted(owner) && has_finalizer(owner, FOREGROUND) {
        State::Waiting
    } else {
        State::Solid
    }
}
