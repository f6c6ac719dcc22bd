//! The controller of DaemonSets: it keeps a pod on each node that fits.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/>.

mod backoff;
mod history;
mod manage;
mod rollout;
mod status;
mod template;

use std::collections::BTreeMap;

use apimachinery::selector::LabelSelector;
use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::claim::Claimant;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::expectations::Expectations;
use crate::resource::{CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS, Resource};
use crate::revision::HASH_LABEL;
use crate::store::Shared;
use crate::{dependents, object, pod};
use backoff::Backoffs;
use template::Fit;

/// The controller. Its keys are those of DaemonSets.
#[derive(Default)]
pub(crate) struct DaemonSets {
    expectations: Expectations,
    failed: Backoffs,
}

/// A DaemonSet that is being looked at.
struct Daemon {
    owner: Shared,
    key: String,
    fit: Fit,
    /// All nodes, by their names.
    nodes: Vec<Shared>,
    /// The pods that it manages.
    pods: Vec<Shared>,
    /// The hash of the current revision.
    hash: String,
    /// The generation of the template, if it is known.
    generation: Option<String>,
}

/// Pods by the names of the nodes that they are on, or are to be on.
type ByNode = BTreeMap<String, Vec<Shared>>;

impl Daemon {
    /// Returns the pods by their nodes. Those that have ended and are about to be deleted count only if `all` do.
    fn by_node(&self, all: bool) -> ByNode {
        let mut by_node = ByNode::new();
        for pod in &self.pods {
            let is_over = pod::is_terminal(pod) && object::is_being_deleted(pod);
            if let Some(node) = template::target(pod).filter(|_| all || !is_over) {
                by_node.entry(node.to_owned()).or_default().push(Shared::clone(pod));
            }
        }
        by_node
    }

    /// Reports whether a pod is of the current template.
    fn is_updated(&self, pod: &Value) -> bool {
        let labels = object::meta(pod, "labels");
        let has_hash = !self.hash.is_empty() && labels.text(HASH_LABEL) == self.hash;
        let generation = labels.get(template::GENERATION_LABEL).and_then(Value::as_str);
        has_hash || self.generation.is_some() && generation == self.generation.as_deref()
    }

    fn is_available(&self, pod: &Value, context: &Context<'_>) -> bool {
        pod::is_available(pod, self.min_ready_seconds(), context.now())
    }

    fn min_ready_seconds(&self) -> i64 {
        object::int(&self.owner, "/spec/minReadySeconds")
    }
}

/// Sorts the pods of a node: those that are assigned to it first, then by their age.
fn sort(pods: &mut [Shared]) {
    let order = |pod: &Value| (pod.text_at("/spec/nodeName").is_empty(), object::creation_time(pod));
    pods.sort_by(|a, b| (order(a), object::name(a)).cmp(&(order(b), object::name(b))));
}

/// Claims objects in the name of a DaemonSet.
async fn claim(
    owner: &Value,
    selector: &LabelSelector,
    dependents: &Resource,
    context: &Context<'_>,
) -> Result<Vec<Shared>, Error> {
    let store = context.stores.of(dependents);
    let own = store.managed_by(&DAEMON_SETS.kind, owner);
    let objects = own.chain(store.unmanaged(object::namespace(owner))).cloned().collect();
    Claimant { owner, owners: &DAEMON_SETS, selector, dependents }.claim(objects, context).await
}

/// Queues the DaemonSets that a change of a node concerns: those that miss a pod there, and those that have one there that may not stay,
/// or that was misplaced.
fn node_changed(change: &Change, context: &mut Context<'_>) {
    let Some(node) = &change.new else { return };
    let is_same = |old: &Value| {
        object::meta(old, "labels") == object::meta(node, "labels")
            && old.pointer("/spec/taints") == node.pointer("/spec/taints")
    };
    if change.old.as_ref().is_some_and(|old| is_same(old)) {
        return;
    }
    let (stores, name) = (context.stores, object::name(node));
    for (key, owner) in stores.of(&DAEMON_SETS).iter() {
        let (may_start, may_stay) = Fit::new(owner).on(node);
        let mut pods = stores.of(&PODS).managed_by(&DAEMON_SETS.kind, owner);
        let is_there = pods.any(|pod| pod.text_at("/spec/nodeName") == name);
        let was_misplaced = object::int(owner, "/status/numberMisscheduled") > 0;
        if may_start && !is_there || is_there && (!may_stay || was_misplaced) {
            context.queue.add(key.as_str());
        }
    }
}

impl DaemonSets {
    /// Notes that expected pods have appeared or gone.
    fn observe_pod(&mut self, change: &Change, context: &Context<'_>) {
        let Some(pod) = change.object() else { return };
        let Some(owner) = dependents::manager(&DAEMON_SETS, pod, context.stores) else { return };
        let key = object::key(owner);
        if change.new.is_none() || object::is_being_deleted(pod) {
            self.expectations.deletion_observed(&key, &object::key(pod));
        } else if change.old.is_none() {
            self.expectations.creation_observed(&key);
        }
    }

    /// Finds the revision and the pods of a DaemonSet, makes and deletes pods unless the copy is too old for that, and writes the status.
    async fn sync_object(&mut self, key: &str, context: &mut Context<'_>) -> Result<(), Error> {
        let Some(owner) = context.stores.of(&DAEMON_SETS).get(key).cloned() else {
            self.expectations.forget(key);
            return Ok(());
        };
        let Some(selector) = dependents::selector(&owner).filter(|selector| !selector.is_empty()) else {
            return Ok(());
        };
        // The revisions may be gone by now, or be orphans.
        if object::is_being_deleted(&owner) {
            return Ok(());
        }
        let (current, old) = history::construct(&owner, &selector, context).await?;
        let daemon = Daemon {
            key: key.to_owned(),
            fit: Fit::new(&owner),
            nodes: context.stores.of(&NODES).iter().map(|(_, node)| Shared::clone(node)).collect(),
            pods: claim(&owner, &selector, &PODS, context).await?,
            hash: object::meta(&current, "labels").text(HASH_LABEL).to_owned(),
            generation: template::generation(&owner),
            owner,
        };
        if !self.expectations.are_met(key, context.now()) {
            return daemon.update_status(false, context).await;
        }
        let updated = self.update(&daemon, old, context).await;
        let written = daemon.update_status(true, context).await;
        updated.and(written)
    }

    /// Makes and deletes pods as nodes and the strategy ask for it, and deletes old revisions.
    async fn update(
        &mut self,
        daemon: &Daemon,
        old: Vec<Shared>,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        self.manage(daemon, context).await?;
        let is_rolling = daemon.owner.text_at("/spec/updateStrategy/type") == "RollingUpdate";
        if is_rolling && self.expectations.are_met(&daemon.key, context.now()) {
            self.roll(daemon, context).await?;
        }
        let failed = |error: Error| error.context("failed to clean up revisions of DaemonSet");
        history::clean_up(daemon, old, context).await.map_err(failed)
    }
}

impl Controller for DaemonSets {
    fn resources(&self) -> Vec<(Resource, View)> {
        [DAEMON_SETS, PODS, NODES, CONTROLLER_REVISIONS].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource == NODES {
            node_changed(change, context);
        } else if change.resource == PODS {
            self.observe_pod(change, context);
            dependents::queue_owners(&DAEMON_SETS, change, context);
        } else if change.resource == CONTROLLER_REVISIONS {
            // A new one that has a controller is no reason to look: its DaemonSet has made it, or somebody for it.
            let is_new_and_managed =
                |new: &Shared| change.old.is_none() && object::controller_of(new).is_some();
            if !change.new.as_ref().is_some_and(is_new_and_managed) {
                dependents::queue_owners(&DAEMON_SETS, change, context);
            }
        } else if let Some(owner) = change.object() {
            let key = object::key(owner);
            let is_same =
                |old: &Shared| change.new.as_ref().is_some_and(|new| object::uid(new) == object::uid(old));
            if change.old.as_ref().is_some_and(|old| !is_same(old)) {
                self.expectations.forget(&key);
            }
            context.queue.add(key);
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move { self.sync_object(key, context).await.map(|()| Outcome::Done) }.boxed()
    }
}
