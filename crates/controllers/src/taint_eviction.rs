//! The controller that deletes pods from nodes with taints that they do not tolerate, or no longer.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions>.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::node_affinity::tolerates;
use crate::object::{self, list};
use crate::pod;
use crate::resource::{NODES, PODS, Resource};
use crate::store::Shared;

/// The effect of taints that pods have to leave.
const NO_EXECUTE: &str = "NoExecute";

/// The beginning of the keys of pods that are to be deleted at a time.
const EVICT: &str = "evict ";

const REASON: &str = "DeletionByTaintManager";
const MESSAGE: &str = "Taint manager: deleting due to NoExecute taint";

/// The controller. Its keys are those of nodes, of pods, and of pods that are to be deleted.
#[derive(Default)]
pub(crate) struct TaintEviction {
    /// The pods that are to be deleted later, by their keys: since when that is known, and when.
    planned: BTreeMap<String, (Duration, Duration)>,
}

impl TaintEviction {
    /// Looks at the pods of a node whose taints have changed.
    fn sync_node(&mut self, name: &str, context: &mut Context<'_>) {
        let Some(node) = context.stores.of(&NODES).get(name).cloned() else { return };
        let pods = context.stores.of(&PODS).iter().map(|(_, pod)| pod);
        let pods: Vec<Shared> = pods.filter(|pod| pod.text_at("/spec/nodeName") == name).cloned().collect();
        for pod in pods {
            self.plan(&pod, &node, context);
        }
    }

    /// Looks at a pod that is new on its node, tolerates others than before, or is gone.
    fn sync_pod(&mut self, key: &str, context: &mut Context<'_>) {
        let Some(pod) = context.stores.of(&PODS).get(key).cloned() else {
            return self.cancel(key, context);
        };
        let node = context.stores.of(&NODES).get(pod.text_at("/spec/nodeName")).cloned();
        if let Some(node) = node.filter(|node| taints(node).next().is_some()) {
            self.plan(&pod, &node, context);
        }
    }

    /// Plans when a pod has to go, or that it may stay.
    fn plan(&mut self, pod: &Value, node: &Value, context: &mut Context<'_>) {
        let (key, now) = (object::key(pod), context.now());
        let stay = match tolerated_for(pod, node) {
            Some(stay) if taints(node).next().is_some() => stay,
            // There is no taint any more.
            Some(_) => Duration::MAX,
            None => {
                self.cancel(&key, context);
                return context.queue.add([EVICT, &key].concat());
            }
        };
        if stay == Duration::MAX {
            return self.cancel(&key, context);
        }
        if let Some((since, _)) = self.planned.get(&key) {
            if *since < now {
                return;
            }
            self.cancel(&key, context);
        }
        let evict = [EVICT, &key].concat();
        if stay.is_zero() {
            return context.queue.add(evict);
        }
        let at = now.saturating_add(stay);
        self.planned.insert(key, (now, at));
        context.queue.add_at(evict, at);
    }

    /// Forgets that a pod has to go, and says so.
    fn cancel(&mut self, key: &str, context: &mut Context<'_>) {
        if self.planned.remove(key).is_some() {
            context.queue.remove(&[EVICT, key].concat());
            report(key, "Cancelling deletion of Pod ", context);
        }
    }

    /// Deletes a pod, and says before why it goes; unless it may stay after all, or for longer.
    async fn evict(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let now = context.now();
        match self.planned.get(key) {
            Some((_, at)) if *at > now => return Ok(Outcome::After(*at - now)),
            Some(_) => {}
            None if !self.has_to_go(key, context) => return Ok(Outcome::Done),
            None => {}
        }
        if context.queue.failures(&[EVICT, key].concat()) == 0 {
            report(key, "Marking for deletion Pod ", context);
        }
        let (namespace, name) = key.split_once('/').unwrap_or_default();
        let fresh = match context.client.get(&PODS, namespace, name, View::Whole).await {
            Err(error) if error.is_not_found() => {
                self.planned.remove(key);
                return Ok(Outcome::Done);
            }
            fresh => fresh?,
        };
        pod::disrupt(&fresh, REASON, MESSAGE, context).await?;
        match context.client.delete(&PODS, namespace, name, &Value::Null).await {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
        self.planned.remove(key);
        Ok(Outcome::Done)
    }

    /// Reports whether a pod does not tolerate its node any more, for no time.
    fn has_to_go(&self, key: &str, context: &Context<'_>) -> bool {
        let Some(pod) = context.stores.of(&PODS).get(key) else { return false };
        let node = context.stores.of(&NODES).get(pod.text_at("/spec/nodeName"));
        node.is_some_and(|node| {
            taints(node).next().is_some() && tolerated_for(pod, node).is_none_or(|stay| stay.is_zero())
        })
    }
}

impl Controller for TaintEviction {
    fn resources(&self) -> Vec<(Resource, View)> {
        [NODES, PODS].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        let Some(object) = new.or(old) else { return };
        if change.resource == NODES {
            let known = |node: Option<&Shared>| -> Vec<Value> {
                node.into_iter().flat_map(|node| taints(node)).cloned().collect()
            };
            if old.is_none() || known(old) != known(new) {
                context.queue.add(object::name(object));
            }
            return;
        }
        let read = |pod: Option<&Shared>, pointer| pod.and_then(|pod| pod.pointer(pointer)).cloned();
        let differs = |pointer| read(old, pointer) != read(new, pointer);
        if old.is_none() || new.is_none() || differs("/spec/tolerations") || differs("/spec/nodeName") {
            context.queue.add(object::key(object));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            match key.strip_prefix(EVICT) {
                Some(pod) => return self.evict(pod, context).await,
                None if key.contains('/') => self.sync_pod(key, context),
                None => self.sync_node(key, context),
            }
            Ok(Outcome::Done)
        }
        .boxed()
    }
}

/// Returns the taints of a node that pods have to leave.
fn taints(node: &Value) -> impl Iterator<Item = &Value> {
    list(node, "/spec/taints").iter().filter(|taint| taint.text("effect") == NO_EXECUTE)
}

/// Returns for how long a pod tolerates all taints of a node; the end of all time for ever. `None` if it does not tolerate one.
fn tolerated_for(pod: &Value, node: &Value) -> Option<Duration> {
    let tolerations = list(pod, "/spec/tolerations");
    let mut shortest = Duration::MAX;
    for taint in taints(node) {
        let used = tolerations.iter().find(|toleration| tolerates(toleration, taint))?;
        if let Some(seconds) = used.get("tolerationSeconds").and_then(Value::as_i64) {
            shortest = shortest.min(pod::seconds(seconds));
        }
    }
    Some(shortest)
}

/// Reports something about a pod, of which no more is named than its key.
fn report(key: &str, text: &str, context: &mut Context<'_>) {
    let (namespace, name) = key.split_once('/').unwrap_or_default();
    let about = json!({"metadata": {"namespace": namespace, "name": name}});
    let message = [text, key].concat();
    context.recorder.report(&PODS, &about, EventType::Normal, "TaintManagerEviction", message);
}
