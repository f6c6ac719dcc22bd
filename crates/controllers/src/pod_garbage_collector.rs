//! The controller that deletes pods that nobody else does: too many that have ended, and those without a node.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection>.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::claim::aggregate;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::pod;
use crate::resource::{NODES, PODS, Resource};
use crate::store::Shared;

/// The number of pods that have ended and may stay.
const THRESHOLD: usize = 12_500;

/// The time for which a node has to be gone before its pods are deleted.
const QUARANTINE: Duration = Duration::from_secs(40);

/// The time between two looks at all pods.
const PERIOD: Duration = Duration::from_secs(20);

/// The key of a look at all pods.
const ALL: &str = "all pods";

/// The taint of a node that somebody has said is out of service.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

const REASON: &str = "DeletionByPodGC";
const MESSAGE: &str = "PodGC: node no longer exists";

/// The controller. Its only key is [`ALL`].
#[derive(Default)]
pub(crate) struct PodGarbageCollector {
    /// The nodes that pods name and that are not there, and until when that may change.
    missing: BTreeMap<String, Duration>,
    /// The time of the last look.
    looked: Option<Duration>,
}

impl PodGarbageCollector {
    /// Looks at all pods.
    async fn collect(&mut self, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let now = context.now();
        self.looked = Some(now);
        let pods: Vec<Shared> = context.stores.of(&PODS).iter().map(|(_, pod)| pod.clone()).collect();
        let mut errors = Vec::new();
        for pod in too_many(&pods) {
            errors.extend(delete(pod, false, context).await.err());
        }
        for pod in pods.iter().filter(|pod| object::is_being_deleted(pod)) {
            let node = context.stores.of(&NODES).get(pod.text_at("/spec/nodeName"));
            if node.is_some_and(|node| is_out_of_service(node)) {
                errors.extend(delete(pod, false, context).await.err());
            }
        }
        let gone = self.gone_nodes(&pods, context).await;
        for pod in pods.iter().filter(|pod| gone.iter().any(|node| pod.text_at("/spec/nodeName") == node)) {
            errors.extend(delete(pod, true, context).await.err());
        }
        for pod in pods.iter().filter(|pod| is_unscheduled(pod)) {
            errors.extend(delete(pod, false, context).await.err());
        }
        if let Some(due) = self.missing.values().min() {
            context.queue.add_at(ALL, (*due).max(now.saturating_add(PERIOD)));
        }
        aggregate(&errors).map_or(Ok(Outcome::Done), Err)
    }

    /// Returns the nodes that pods name and that have been gone for long enough.
    async fn gone_nodes(&mut self, pods: &[Shared], context: &Context<'_>) -> Vec<String> {
        let now = context.now();
        let nodes = context.stores.of(&NODES);
        let names = pods.iter().map(|pod| pod.text_at("/spec/nodeName"));
        let named: Vec<&str> = names.filter(|name| !name.is_empty() && nodes.get(name).is_none()).collect();
        self.missing.retain(|name, _| named.contains(&name.as_str()));
        for name in named {
            self.missing.entry(name.to_owned()).or_insert_with(|| now.saturating_add(QUARANTINE));
        }
        let due = self.missing.iter().filter(|(_, until)| **until <= now).map(|(name, _)| name.clone());
        let mut gone = Vec::new();
        for name in due.collect::<Vec<_>>() {
            self.missing.remove(&name);
            let known = context.client.get(&NODES, "", &name, View::Metadata).await;
            if known.is_err_and(|error| error.is_not_found()) {
                gone.push(name);
            }
        }
        gone
    }
}

impl Controller for PodGarbageCollector {
    fn resources(&self) -> Vec<(Resource, View)> {
        [NODES, PODS].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let needs_look = match &change.new {
            _ if change.resource == NODES => change.new.as_ref().is_none_or(|node| is_out_of_service(node)),
            None => false,
            Some(pod) => {
                let node = pod.text_at("/spec/nodeName");
                let known = context.stores.of(&NODES).get(node);
                let goes = object::is_being_deleted(pod) && known.is_none_or(|node| is_out_of_service(node));
                let may_be_too_many =
                    || has_ended(pod) && context.stores.of(&PODS).iter().nth(THRESHOLD).is_some();
                goes || (known.is_none() && !node.is_empty()) || may_be_too_many()
            }
        };
        if needs_look {
            // As often as the real one looks, whatever happens.
            let next = self.looked.map_or(Duration::ZERO, |looked| looked.saturating_add(PERIOD));
            if next <= context.now() {
                context.queue.add(ALL);
            } else {
                context.queue.add_at(ALL, next);
            }
        }
    }

    fn sync<'a>(&'a mut self, _key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.collect(context).boxed()
    }
}

/// Reports whether a pod is to go, and has no node that could end it.
fn is_unscheduled(pod: &Value) -> bool {
    object::is_being_deleted(pod) && pod.text_at("/spec/nodeName").is_empty()
}

/// Reports whether somebody has said that a node that is not ready will not come back.
fn is_out_of_service(node: &Value) -> bool {
    let is_ready = list(node, "/status/conditions")
        .iter()
        .any(|condition| condition.text("type") == "Ready" && condition.text("status") == "True");
    !is_ready && list(node, "/spec/taints").iter().any(|taint| taint.text("key") == OUT_OF_SERVICE)
}

/// Returns the pods that have ended and are too many: those that were evicted first, then the oldest.
fn too_many(pods: &[Shared]) -> Vec<&Shared> {
    let mut ended: Vec<&Shared> = pods.iter().filter(|pod| has_ended(pod)).collect();
    let count = ended.len().saturating_sub(THRESHOLD);
    if count > 0 {
        ended.sort_by_cached_key(|pod| {
            let is_evicted = pod::phase(pod) == "Failed" && pod.text_at("/status/reason") == "Evicted";
            (!is_evicted, object::creation_time(pod), object::name(pod).to_owned())
        });
    }
    ended.truncate(count);
    ended
}

fn has_ended(pod: &Value) -> bool {
    !["Pending", "Running", "Unknown"].contains(&pod::phase(pod))
}

/// Deletes a pod at once. One that has not ended has failed by that; of an orphan it is said why.
async fn delete(pod: &Value, is_orphan: bool, context: &Context<'_>) -> Result<(), Error> {
    let at = (object::namespace(pod), object::name(pod));
    if !pod::is_terminal(pod) {
        let disruption = pod::disruption(pod, REASON, MESSAGE, context.now()).filter(|_| is_orphan);
        let mut status = disruption.unwrap_or_else(|| json!({}));
        object::set(&mut status, "phase", "Failed".into());
        object::set(&mut status, "observedGeneration", object::generation(pod).into());
        let patch = json!({"metadata": {"uid": object::uid(pod)}, "status": status});
        match context.client.patch_status(&PODS, at, &patch).await {
            Err(error) if error.is_not_found() => return Ok(()),
            patched => patched?,
        }
    }
    match context.client.delete(&PODS, at.0, at.1, &json!({"gracePeriodSeconds": 0})).await {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}
