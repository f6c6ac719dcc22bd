//! The controllers of ReplicaSets and ReplicationControllers: each keeps as many pods as it is told.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/> and
//! <https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/>.

mod scale;
mod status;

use std::time::Duration;

use apimachinery::selector::LabelSelector;
use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::claim::Claimant;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::expectations::Expectations;
use crate::resource::{PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, Resource};
use crate::store::{Shared, Stores};
use crate::{object, pod};

/// A kind of object that keeps a number of pods.
pub(crate) struct Kind {
    pub(crate) resource: &'static Resource,
    /// True if its selector is a map of labels alone.
    has_plain_selector: bool,
    /// True if its status counts the pods that are about to be deleted.
    counts_terminating: bool,
}

pub(crate) const REPLICA_SET: Kind =
    Kind { resource: &REPLICA_SETS, has_plain_selector: false, counts_terminating: true };
pub(crate) const REPLICATION_CONTROLLER: Kind =
    Kind { resource: &REPLICATION_CONTROLLERS, has_plain_selector: true, counts_terminating: false };

impl Kind {
    /// Returns the selector of an object of this kind. `None` if it makes no sense.
    fn selector(&self, object: &Value) -> Option<LabelSelector> {
        let selector = object.pointer("/spec/selector")?;
        if self.has_plain_selector {
            return LabelSelector::of(&json!({"matchLabels": selector.clone()}));
        }
        LabelSelector::of(selector)
    }
}

/// The controller of one kind. Its keys are those of the objects.
pub(crate) struct ReplicaSets {
    kind: &'static Kind,
    expectations: Expectations,
}

impl ReplicaSets {
    /// Makes the controller of a kind.
    pub(crate) fn new(kind: &'static Kind) -> Self {
        Self { kind, expectations: Expectations::default() }
    }

    /// Returns the object that a pod names as its manager, if it is of this kind, and there.
    fn resolve<'a>(&self, pod: &Value, stores: &'a Stores) -> Option<&'a Shared> {
        let reference =
            object::controller_of(pod).filter(|one| one.text("kind") == self.kind.resource.kind)?;
        let key = object::join_key(object::namespace(pod), reference.text("name"));
        stores.of(self.kind.resource).get(&key).filter(|owner| object::uid(owner) == reference.text("uid"))
    }

    /// Queues all objects that may adopt a pod.
    fn queue_adopters(&self, pod: &Value, context: &mut Context<'_>) {
        for owner in context.stores.of(self.kind.resource).in_namespace(object::namespace(pod)) {
            if object::may_join(pod, self.kind.selector(owner).as_ref()) {
                context.queue.add(object::key(owner));
            }
        }
    }

    /// Hears that a pod is about to be deleted, or gone.
    fn pod_deleted(&mut self, pod: &Value, context: &mut Context<'_>) {
        if let Some(owner) = self.resolve(pod, context.stores) {
            let key = object::key(owner);
            self.expectations.deletion_observed(&key, &object::key(pod));
            context.queue.add(key);
        }
    }

    /// Hears of a new pod.
    fn pod_created(&mut self, pod: &Value, context: &mut Context<'_>) {
        if object::is_being_deleted(pod) {
            return self.pod_deleted(pod, context);
        }
        if object::controller_of(pod).is_none() {
            return self.queue_adopters(pod, context);
        }
        if let Some(owner) = self.resolve(pod, context.stores) {
            let key = object::key(owner);
            self.expectations.creation_observed(&key);
            context.queue.add(key);
        }
    }

    /// Hears that a pod has changed: its manager, the one before, or who may adopt it has to look at it.
    fn pod_updated(&mut self, old: &Value, new: &Value, context: &mut Context<'_>) {
        let labels_changed = object::meta(old, "labels") != object::meta(new, "labels");
        if object::is_being_deleted(new) {
            self.pod_deleted(new, context);
            if labels_changed {
                self.pod_deleted(old, context);
            }
            return;
        }
        let (before, now) = (object::controller_of(old), object::controller_of(new));
        if before != now
            && let Some(owner) = self.resolve(old, context.stores)
        {
            context.queue.add(object::key(owner));
        }
        if now.is_none() {
            if labels_changed || before.is_some() {
                self.queue_adopters(new, context);
            }
            return;
        }
        let Some(owner) = self.resolve(new, context.stores) else { return };
        context.queue.add(object::key(owner));
        let seconds = min_ready_seconds(owner);
        if seconds > 0 && !pod::is_ready(old) && pod::is_ready(new) {
            let at = context.now().saturating_add(Duration::from_secs(seconds.unsigned_abs()));
            context.queue.add_at(object::key(owner), at);
        }
    }

    /// Claims the pods of an object, makes or deletes some unless the copy is too old for that, and writes the status.
    async fn sync_object(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(owner) = context.stores.of(self.kind.resource).get(key).cloned() else {
            self.expectations.forget(key);
            return Ok(Outcome::Done);
        };
        let may_manage = self.expectations.are_met(key, context.now());
        let Some(selector) = self.kind.selector(&owner) else { return Ok(Outcome::Done) };
        let store = context.stores.of(&PODS);
        let own = store.managed_by(&self.kind.resource.kind, &owner);
        let orphans = store.unmanaged(object::namespace(&owner));
        let (active, others): (Vec<Shared>, Vec<Shared>) =
            own.chain(orphans).cloned().partition(|pod| pod::is_active(pod));
        let claimant =
            Claimant { owner: &owner, owners: self.kind.resource, selector: &selector, dependents: &PODS };
        let active = claimant.claim(active, context).await?;
        let is_claimed =
            |pod: &&Shared| object::is_controlled_by(pod, &owner) && object::selects(&selector, pod);
        let terminating = others.iter().filter(|pod| pod::is_terminating(pod)).filter(is_claimed).count();
        let managed = match may_manage && !object::is_being_deleted(&owner) {
            true => self.manage(&owner, &active, context).await,
            false => Ok(()),
        };
        let now = context.now();
        let status = status::calculate(self.kind, &owner, &active, terminating, managed.as_ref().err(), now);
        let written = status::update(self.kind, &owner, status, context).await?;
        managed?;
        let seconds = min_ready_seconds(&written);
        let count = |field| object::int(&written, field);
        if seconds > 0 && count("/status/readyReplicas") != count("/status/availableReplicas") {
            let next = active.iter().filter_map(|pod| pod::available_in(pod, seconds, now)).min();
            let next = next.unwrap_or(Duration::from_secs(seconds.unsigned_abs()));
            context.queue.add_at(key, now.saturating_add(next));
        }
        Ok(Outcome::Done)
    }
}

impl Controller for ReplicaSets {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(self.kind.resource.clone(), View::Whole), (PODS, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource == PODS {
            match (&change.old, &change.new) {
                (None, Some(new)) => self.pod_created(new, context),
                (Some(old), Some(new)) => self.pod_updated(old, new, context),
                (Some(old), None) => self.pod_deleted(old, context),
                (None, None) => {}
            }
        } else if change.resource == *self.kind.resource
            && let Some(owner) = change.object()
        {
            let key = object::key(owner);
            let uid_of =
                |object: &Option<Shared>| object.as_ref().map(|object| object::uid(object).to_owned());
            if change.old.is_some() && uid_of(&change.old) != uid_of(&change.new) {
                self.expectations.forget(&key);
            }
            context.queue.add(key);
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.sync_object(key, context).boxed()
    }
}

fn min_ready_seconds(owner: &Value) -> i64 {
    object::int(owner, "/spec/minReadySeconds")
}
