//! The scheduler: it finds a node for each pod.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/>.

mod amounts;
mod filter;
mod inter_pod;
mod node_info;
mod outcome;
mod preemption;
mod rejection;
mod score;
mod spread;
mod terms;
#[cfg(test)]
mod tests;
mod volumes;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::node_affinity;
use crate::object::{self, list};
use crate::pace::Doubling;
use crate::pod;
use crate::pod_claims::claimed;
use crate::queue::DELAYS;
use crate::resource::{
    NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, POD_DISRUPTION_BUDGETS, PODS,
    REPLICA_SETS, REPLICATION_CONTROLLERS, Resource, SERVICES, STATEFUL_SETS, STORAGE_CLASSES,
};
use crate::store::{Shared, Stores};
use filter::Cycle;
use node_info::{Cache, NodeInfo, PodInfo};
use preemption::{Candidate, sentence};
use rejection::Rejection;
use volumes::Volumes;

/// The name of the scheduler, and the source of its events.
pub(crate) const NAME: &str = "default-scheduler";

/// The reason against nodes that a pod does not name, if it names some.
const NOT_NAMED: &str = "node(s) didn't satisfy plugin(s) [NodeAffinity]";

/// The end of the sentence for a pod that names no node that it may run on.
const CONFLICT: &str = " pod affinity terms conflict.";

/// The delays between attempts for one pod.
const BACK_OFF: Doubling = Doubling { first: Duration::from_secs(1), longest: Duration::from_secs(10) };

/// The scheduler. Its keys are those of pods.
#[derive(Default)]
pub(crate) struct Scheduler {
    cache: Cache,
    /// The pods that were looked at and have no node, until they have.
    attempts: BTreeMap<String, Attempts>,
}

/// The attempts for a pod.
#[derive(Clone, Copy, Default)]
struct Attempts {
    /// The number of those that found no node.
    unschedulable: u32,
    /// The number of those that ended with an error since then.
    errors: u32,
    /// The time of the last one.
    last: Duration,
}

impl Attempts {
    /// Returns the time before which there is no other one.
    fn next(&self) -> Duration {
        let count = if self.errors > 0 { self.errors } else { self.unschedulable };
        self.last.saturating_add(BACK_OFF.after(count.saturating_sub(1)))
    }
}

/// The node that was found for a pod, or why there is none.
enum Found {
    Node(String),
    /// There is no node, and with these words.
    Nothing(String, Nomination),
}

/// The nomination of a pod to run on a node, once there is room.
enum Nomination {
    /// There is none, whichever there was.
    None,
    /// There is the one that there was, if any.
    Kept,
    /// There will be room on this node, if some pods go.
    On(Candidate),
}

impl Scheduler {
    /// Finds a node.
    fn find(&self, pod: &PodInfo, stores: &Stores) -> Found {
        let nodes = self.cache.nodes();
        if nodes.is_empty() {
            return Found::Nothing("no nodes available to schedule pods".to_owned(), Nomination::None);
        }
        let mut cycle = Cycle::new(pod, &nodes, stores);
        let names = node_affinity::names(&pod.pod);
        let (mut fitting, mut rejections) = (Vec::new(), Vec::new());
        let refusal = cycle
            .volumes
            .as_ref()
            .err()
            .cloned()
            .filter(|_| names.as_ref().is_none_or(|names| !names.is_empty()));
        if let Some(why) = refusal {
            rejections.extend(nodes.iter().filter_map(|node| Some((*node, Rejection::unresolvable(&why)?))));
            let text = sentence(nodes.len(), std::iter::empty()) + " " + &why + ".";
            return self.post_filter(&mut cycle, text, &rejections);
        }
        for node in &nodes {
            let rejection = match &names {
                Some(names) if !names.contains(node.name.as_str()) => Rejection::unresolvable(NOT_NAMED),
                _ => self.reject(&mut cycle, node),
            };
            match rejection {
                None => fitting.push(*node),
                Some(rejection) => rejections.push((*node, rejection)),
            }
        }
        // Others have made room for it there.
        let nominated = pod.pod.text_at("/status/nominatedNodeName");
        if let Some(node) = fitting.iter().find(|node| node.name == nominated) {
            return Found::Node(node.name.clone());
        }
        match fitting.as_slice() {
            [] => {
                let reasons = rejections.iter().flat_map(|(_, rejection)| &rejection.reasons);
                let text = match names {
                    Some(names) if names.is_empty() => sentence(nodes.len(), std::iter::empty()) + CONFLICT,
                    _ => sentence(nodes.len(), reasons.map(String::as_str)),
                };
                self.post_filter(&mut cycle, text, &rejections)
            }
            [only] => Found::Node(only.name.clone()),
            _ => {
                let scores = score::scores(&cycle, &fitting, &nodes);
                Found::Node(fitting[score::best(&scores)].name.clone())
            }
        }
    }

    /// Returns why a pod cannot run on a node: as it is, or once those are there that are nominated to run on it.
    fn reject(&self, cycle: &mut Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
        let (priority, key) = (cycle.pod.priority, &cycle.pod.key);
        let nominated = self.cache.nominated_on(&node.name);
        let expected: Vec<_> =
            nominated.filter(|other| other.priority >= priority && other.key != *key).collect();
        if !expected.is_empty() {
            let mut later = node.clone();
            for other in &expected {
                later.add(Arc::clone(other));
                cycle.add(other, node, 1);
            }
            let rejection = cycle.reject(&later);
            expected.iter().for_each(|other| cycle.add(other, node, -1));
            if rejection.is_some() {
                return rejection;
            }
        }
        cycle.reject(node)
    }

    /// Looks for a node for a pod, and binds it, or says why not.
    async fn schedule(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let known = context.stores.of(&PODS).get(key).cloned();
        let Some(pod) = known.filter(|pod| is_waiting(pod) && !self.cache.has_pod(pod)) else {
            return Ok(Outcome::Done);
        };
        let next = self.attempts.get(key).map(Attempts::next).unwrap_or_default();
        if next > context.now() && context.queue.failures(key) == 0 {
            // It was to be looked at when there was another pod of its name.
            return Ok(Outcome::After(next - context.now()));
        }
        match self.find(&PodInfo::new(&pod), context.stores) {
            Found::Node(node) => {
                if self.prepare_volumes(&pod, &node, context).await? {
                    return self.bind(&pod, &node, context).await;
                }
                // It is looked at again when its claims are bound.
                self.attempts.entry(key.to_owned()).or_default();
                Ok(Outcome::Done)
            }
            Found::Nothing(text, nomination) => {
                let attempts = self.attempts.entry(key.to_owned()).or_default();
                let unschedulable = attempts.unschedulable.saturating_add(1);
                *attempts = Attempts { unschedulable, errors: 0, last: context.now() };
                self.fail(&pod, &text, nomination, context).await
            }
        }
    }

    /// Has volumes be reserved or made for a pod on a node. Reports whether all of its claims are bound.
    async fn prepare_volumes(&self, pod: &Value, node: &str, context: &Context<'_>) -> Result<bool, Error> {
        let Some(node) = context.stores.of(&NODES).get(node) else { return Ok(true) };
        let plan =
            Volumes::of(pod, context.stores).ok().and_then(|volumes| volumes.plan(node, context.stores));
        let Some(plan) = plan.filter(|plan| plan.waits) else { return Ok(true) };
        plan.carry_out(context).await.map(|()| false)
    }

    /// Queues a pod for the time at which it may be tried again.
    fn queue(&self, key: &str, context: &mut Context<'_>) {
        match self.attempts.get(key).map(Attempts::next).filter(|next| *next > context.now()) {
            Some(next) => context.queue.add_at(key, next),
            None => context.queue.add(key),
        }
    }

    /// Has pods be tried again that have no node, if they are among the chosen ones.
    fn wake(&self, context: &mut Context<'_>, chosen: impl Fn(&Value) -> bool) {
        for key in self.attempts.keys() {
            if context.stores.of(&PODS).get(key).is_some_and(|pod| chosen(pod)) {
                self.queue(key, context);
            }
        }
    }

    /// Hears of a pod.
    fn pod_changed(&mut self, old: Option<&Shared>, new: Option<&Shared>, context: &mut Context<'_>) {
        let Some(pod) = new.or(old) else { return };
        let key = object::key(pod);
        let node = pod.text_at("/spec/nodeName");
        match new {
            Some(pod) if !node.is_empty() && !pod::is_terminal(pod) => {
                self.forget(&key, context);
                let is_new = old.is_none_or(|old| {
                    old.text_at("/spec/nodeName").is_empty()
                        || object::meta(old, "labels") != object::meta(pod, "labels")
                });
                if self.cache.put_pod(pod, node) {
                    self.wake(context, |_| true);
                } else if is_new {
                    self.wake(context, looks_at_others);
                }
            }
            Some(pod) if is_waiting(pod) => self.waiting_pod_changed(&key, old, pod, context),
            _ => {
                self.forget(&key, context);
                if self.cache.remove_pod(&key) {
                    self.wake(context, |_| true);
                } else if let Some(old) = old.filter(|old| is_waiting(old)) {
                    self.nomination_changed(old, "", context);
                }
            }
        }
    }

    /// Hears of a pod that waits for a node.
    fn waiting_pod_changed(
        &mut self,
        key: &str,
        old: Option<&Shared>,
        pod: &Shared,
        context: &mut Context<'_>,
    ) {
        let nominated = pod.text_at("/status/nominatedNodeName");
        if !self.cache.has_pod(pod) {
            // One with its name was there before.
            if self.cache.remove_pod(key) {
                self.wake(context, |_| true);
            }
            self.cache.nominate(pod, nominated);
        }
        if old.is_some_and(|old| object::uid(old) != object::uid(pod)) {
            self.attempts.remove(key);
        }
        if old.is_none_or(|old| may_fit_now(old, pod)) {
            context.queue.set_rank(key, pod::priority(pod).saturating_neg());
            self.queue(key, context);
        }
        if let Some(old) = old {
            self.nomination_changed(old, nominated, context);
        }
    }

    /// Hears which node a pod is nominated to run on. If that was another one, pods that are not more important may run there now.
    fn nomination_changed(&self, old: &Value, nominated: &str, context: &mut Context<'_>) {
        let before = old.text_at("/status/nominatedNodeName");
        if !before.is_empty() && before != nominated {
            self.wake(context, |other| pod::priority(other) <= pod::priority(old));
        }
    }

    /// Hears of a node.
    fn node_changed(&mut self, old: Option<&Shared>, new: Option<&Shared>, context: &mut Context<'_>) {
        let Some(node) = new else {
            let name = old.map_or("", |old| object::name(old));
            self.cache.remove_node(name);
            // Pods on it may have kept others away from all of its zone.
            return self.wake(context, |_| true);
        };
        self.cache.put_node(node);
        let differs = |old: &Shared| {
            let read = |node: &Value, pointer| node.pointer(pointer).cloned();
            let fields = ["/spec", "/metadata/labels", "/status/allocatable"];
            fields.iter().any(|field| read(old, field) != read(node, field))
        };
        if old.is_none_or(differs) {
            self.wake(context, |_| true);
        }
    }

    /// Forgets that a pod waits for a node.
    fn forget(&mut self, key: &str, context: &mut Context<'_>) {
        self.attempts.remove(key);
        context.queue.set_rank(key, 0);
    }
}

impl Controller for Scheduler {
    fn resources(&self) -> Vec<(Resource, View)> {
        let all = [
            PODS,
            NODES,
            NAMESPACES,
            POD_DISRUPTION_BUDGETS,
            REPLICA_SETS,
            REPLICATION_CONTROLLERS,
            SERVICES,
            STATEFUL_SETS,
            PERSISTENT_VOLUMES,
            PERSISTENT_VOLUME_CLAIMS,
            STORAGE_CLASSES,
        ];
        all.map(|resource| (resource, View::Whole)).to_vec()
    }

    fn delays(&self) -> Doubling {
        Doubling { longest: BACK_OFF.longest, ..DELAYS }
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        match &*change.resource.kind {
            "Pod" => self.pod_changed(old, new, context),
            "Node" => self.node_changed(old, new, context),
            "PersistentVolume" | "PersistentVolumeClaim" | "StorageClass" => {
                self.wake(context, |pod| claimed(pod).next().is_some());
            }
            "Namespace" => {
                let labels = |object: Option<&Shared>| object.map(|one| object::meta(one, "labels").clone());
                if labels(old) != labels(new) {
                    self.wake(context, |_| true);
                }
            }
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.schedule(key, context).boxed()
    }
}

/// Reports whether a pod waits for a node that this scheduler is to find.
fn is_waiting(pod: &Value) -> bool {
    pod.text_at("/spec/nodeName").is_empty()
        && pod.text_at("/spec/schedulerName") == NAME
        && list(pod, "/spec/schedulingGates").is_empty()
        && pod::is_active(pod)
}

/// Reports whether a pod itself says near which others it may run.
fn looks_at_others(pod: &Value) -> bool {
    pod.pointer("/spec/affinity").is_some() || pod.pointer("/spec/topologySpreadConstraints").is_some()
}

/// Reports whether a pod may fit now that it has changed: all but its status counts.
fn may_fit_now(old: &Value, new: &Value) -> bool {
    let metadata = ["labels", "annotations", "uid"];
    old.get("spec") != new.get("spec")
        || metadata.iter().any(|field| object::meta(old, field) != object::meta(new, field))
}
