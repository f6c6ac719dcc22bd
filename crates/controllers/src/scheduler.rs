//! The scheduler: it finds a node for each pod.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/>.

mod amounts;
mod filter;
mod inter_pod;
mod node_affinity;
mod node_info;
mod outcome;
mod preemption;
mod score;
mod spread;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::pace::Doubling;
use crate::resource::{
    NAMESPACES, NODES, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, Resource,
    SERVICES, STATEFUL_SETS,
};
use crate::store::{Shared, Stores};
use crate::{object, pod};
use filter::{Cycle, Rejection, is_waiting, sentence};
use node_info::{Cache, NodeInfo, PodInfo};
use preemption::Candidate;

/// The name of the scheduler, and the source of its events.
pub(crate) const NAME: &str = "default-scheduler";

/// The delays between attempts for one pod.
const BACK_OFF: Doubling = Doubling { first: Duration::from_secs(1), longest: Duration::from_secs(10) };

/// The scheduler. Its keys are those of pods.
#[derive(Default)]
pub(crate) struct Scheduler {
    cache: Cache,
    /// The pods that did not fit anywhere, until they do.
    unschedulable: BTreeMap<String, Attempts>,
}

/// The attempts for a pod: how many there were, and when the last one was.
#[derive(Clone, Copy, Default)]
struct Attempts {
    count: u32,
    last: Duration,
}

/// The node that was found for a pod, or why there is none.
enum Found {
    Node(String),
    /// There is no node, and with these words.
    Nothing(String, Hope),
}

/// The node on which there may be room later.
enum Hope {
    /// There is none.
    None,
    /// There may be the one that the pod waits for already.
    Same,
    /// There will be room on this one, if some pods go.
    Node(Candidate),
}

impl Scheduler {
    /// Finds a node.
    fn find(&self, pod: &PodInfo, stores: &Stores) -> Found {
        let nodes = self.cache.nodes();
        if nodes.is_empty() {
            return Found::Nothing("no nodes available to schedule pods".to_owned(), Hope::None);
        }
        let cycle = Cycle::new(pod, &nodes, stores);
        let (mut fitting, mut rejections) = (Vec::new(), Vec::new());
        for node in &nodes {
            match self.reject(&cycle, &nodes, node) {
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
            [] => self.give_up(pod, &rejections, stores),
            [only] => Found::Node(only.name.clone()),
            _ => {
                let scores = score::scores(&cycle, &fitting, &nodes);
                Found::Node(fitting[score::best(&scores)].name.clone())
            }
        }
    }

    /// Returns why a pod cannot run on a node: as it is, or once those are there for which others make room.
    fn reject(&self, cycle: &Cycle<'_>, nodes: &[&NodeInfo], node: &NodeInfo) -> Option<Rejection> {
        let expected: Vec<_> = self
            .cache
            .nominated_on(&node.name)
            .filter(|other| other.priority >= cycle.pod.priority && other.key != cycle.pod.key)
            .collect();
        if !expected.is_empty() {
            let mut later = node.clone();
            expected.into_iter().for_each(|other| later.add(other.clone()));
            let replace = |own: &&'_ NodeInfo| own.name == later.name;
            let nodes: Vec<&NodeInfo> =
                nodes.iter().map(|own| if replace(own) { &later } else { *own }).collect();
            if let Some(rejection) = Cycle::new(cycle.pod, &nodes, cycle.stores).reject(&later) {
                return Some(rejection);
            }
        }
        cycle.reject(node)
    }

    /// Says why a pod fits nowhere, and looks for pods that could make room.
    fn give_up(&self, pod: &PodInfo, rejections: &[(&NodeInfo, Rejection)], stores: &Stores) -> Found {
        let reasons = rejections.iter().flat_map(|(_, rejection)| &rejection.reasons).map(String::as_str);
        let mut text = sentence(rejections.len(), reasons);
        match self.find_victims(pod, rejections, stores) {
            Ok(candidate) => Found::Nothing(text, Hope::Node(candidate)),
            Err(why) => {
                // No pod has claims of devices here, and the plugin for them says so.
                text.push_str(" no new claims to deallocate, preemption: ");
                text.push_str(&why.text);
                Found::Nothing(text, if why.keeps_nomination { Hope::Same } else { Hope::None })
            }
        }
    }

    /// Looks for a node for a pod, and binds it, or says why not.
    async fn schedule(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let known = context.stores.of(&PODS).get(key).cloned();
        let Some(pod) = known.filter(|pod| is_waiting(pod, NAME) && !self.cache.has_pod(pod)) else {
            return Ok(Outcome::Done);
        };
        match self.find(&PodInfo::new(&pod), context.stores) {
            Found::Node(node) => self.bind(&pod, &node, context).await,
            Found::Nothing(text, hope) => {
                let now = context.now();
                let attempts = self.unschedulable.entry(key.to_owned()).or_default();
                *attempts = Attempts { count: attempts.count.saturating_add(1), last: now };
                self.fail(&pod, &text, hope, context).await
            }
        }
    }

    /// Has pods be tried again that did not fit, if they are among the chosen ones.
    fn wake(&self, context: &mut Context<'_>, chosen: impl Fn(&Value) -> bool) {
        let now = context.now();
        for (key, attempts) in &self.unschedulable {
            let pod = context.stores.of(&PODS).get(key);
            if pod.is_some_and(|pod| chosen(pod)) {
                let at = attempts.last.saturating_add(BACK_OFF.after(attempts.count.saturating_sub(1)));
                if at > now {
                    context.queue.add_at(key.as_str(), at);
                } else {
                    context.queue.add(key.as_str());
                }
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
                self.cache.put_pod(pod, node);
                if is_new {
                    self.wake(context, looks_at_others);
                }
            }
            Some(pod) if is_waiting(pod, NAME) => {
                if !self.cache.has_pod(pod) {
                    self.cache.nominate(pod, pod.text_at("/status/nominatedNodeName"));
                }
                if old.is_none_or(|old| may_fit_now(old, pod)) {
                    let rank = object::int(pod, "/spec/priority").saturating_neg();
                    context.queue.set_rank(&key, rank);
                    context.queue.add(key);
                }
            }
            _ => {
                self.forget(&key, context);
                if self.cache.remove_pod(&key) {
                    self.wake(context, |_| true);
                }
            }
        }
    }

    /// Hears of a node.
    fn node_changed(&mut self, old: Option<&Shared>, new: Option<&Shared>, context: &mut Context<'_>) {
        let Some(node) = new else {
            let name = old.map_or("", |old| object::name(old));
            self.cache.remove_node(name);
            return self.wake(context, looks_at_others);
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
        self.unschedulable.remove(key);
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
        ];
        all.map(|resource| (resource, View::Whole)).to_vec()
    }

    fn max_delay(&self) -> Duration {
        BACK_OFF.longest
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        match &*change.resource.kind {
            "Pod" => self.pod_changed(old, new, context),
            "Node" => self.node_changed(old, new, context),
            "Namespace" => {
                let labels = |object: Option<&Shared>| object.map(|one| object::meta(one, "labels").clone());
                if labels(old) != labels(new) {
                    self.wake(context, looks_at_others);
                }
            }
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.schedule(key, context).boxed()
    }
}

/// Reports whether it depends on other pods where a pod may run.
fn looks_at_others(pod: &Value) -> bool {
    pod.pointer("/spec/affinity").is_some() || pod.pointer("/spec/topologySpreadConstraints").is_some()
}

/// Reports whether a pod may fit now that it has changed: all but its status counts.
fn may_fit_now(old: &Value, new: &Value) -> bool {
    let metadata = ["labels", "annotations", "uid"];
    old.get("spec") != new.get("spec")
        || metadata.iter().any(|field| object::meta(old, field) != object::meta(new, field))
}
