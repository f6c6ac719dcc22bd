//! The controller of the lives of nodes: which of them are ready, and what that means for their taints and their pods.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller>.

mod conditions;
mod health;
mod zones;

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::{STRATEGIC_MERGE_PATCH, View};
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::node_taints::{has_taint, swap};
use crate::object::{self, list};
use crate::resource::{LEASES, NODES, PODS, Resource};
use crate::store::Shared;
use conditions::{LABELS, NOT_READY, UNREACHABLE, ready, status_of, wanted_taints};
use health::Health;
use zones::Zones;

/// The key of a look at all nodes.
const ALL: &str = "all nodes";

/// The beginning of the keys of zones.
const ZONE: &str = "zone ";

/// The namespace of the leases of nodes.
const LEASE_NAMESPACE: &str = "kube-node-lease";

/// The time after which a zone is looked at whose nodes wait for taints.
const TAINT_DELAY: Duration = Duration::from_millis(100);

/// The number of times that a status is tried to be written.
const TRIES: u32 = 5;

/// The controller. Its keys are those of nodes and of pods, of zones, and [`ALL`].
#[derive(Default)]
pub(crate) struct NodeLifecycle {
    /// The nodes that it knows of, with their uids.
    known: BTreeMap<String, String>,
    healths: BTreeMap<String, Health>,
    zones: Zones,
}

impl NodeLifecycle {
    /// Has taints follow the conditions of a node, and older labels the newer ones.
    async fn sync_node(&self, name: &str, context: &Context<'_>) -> Result<Outcome, Error> {
        let Some(node) = context.stores.of(&NODES).get(name).cloned() else { return Ok(Outcome::Done) };
        let (put, take) = wanted_taints(&node);
        if !put.is_empty() || !take.is_empty() {
            swap(&node, &put, &take, context).await?;
        }
        let labels = object::meta(&node, "labels");
        let mut changed = json!({});
        for (newer, older) in LABELS {
            if let Some(value) = labels.get(newer).filter(|value| labels.get(older) != Some(value)) {
                object::set(&mut changed, older, value.clone());
            }
        }
        if changed.as_object().is_some_and(|changed| !changed.is_empty()) {
            let patch = json!({"metadata": {"labels": changed}});
            context.client.patch(&NODES, ("", name), STRATEGIC_MERGE_PATCH, &patch, View::Whole).await?;
        }
        Ok(Outcome::Done)
    }

    /// Looks at all nodes: which are new, which are gone, and of which nothing is heard any more.
    async fn sync_all(&mut self, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let nodes: Vec<Shared> = context.stores.of(&NODES).iter().map(|(_, node)| node.clone()).collect();
        let mut failed = self.note_nodes(&nodes, context).await.err();
        let mut zones = BTreeMap::<String, Vec<bool>>::new();
        for node in &nodes {
            match self.look_at(node, context).await {
                Ok(is_ready) if !conditions::is_excluded(node) => {
                    zones.entry(zones::of(node)).or_default().push(is_ready);
                }
                Ok(_) => {}
                Err(error) => failed = Some(error),
            }
        }
        self.handle_disruption(&zones, &nodes, context).await?;
        let now = context.now();
        let silent =
            nodes.iter().map(|node| object::name(node)).filter(|name| !context.heartbeats.is_alive(name));
        let due = silent.filter_map(|name| self.healths.get(name)?.due());
        if let Some(due) = due.filter(|due| *due > now).min() {
            context.queue.add_at(ALL, due);
        }
        failed.map_or(Ok(Outcome::Done), Err)
    }

    /// Tells of nodes that are new, and of those that are gone.
    async fn note_nodes(&mut self, nodes: &[Shared], context: &mut Context<'_>) -> Result<(), Error> {
        let mut done = Ok(());
        for node in nodes {
            let name = object::name(node);
            self.zones.note(&zones::of(node));
            if self.known.insert(name.to_owned(), object::uid(node).to_owned()).is_none() {
                report(name, object::uid(node), "RegisteredNode", &registered(name), context);
                done = done.and(self.mark_reachable(node, context).await);
            }
        }
        let is_gone = |name: &&String| !nodes.iter().any(|node| object::name(node) == name.as_str());
        let gone: Vec<String> = if self.known.len() > nodes.len() {
            self.known.keys().filter(is_gone).cloned().collect()
        } else {
            Vec::new()
        };
        for name in gone {
            let uid = self.known.remove(&name).unwrap_or_default();
            self.healths.remove(&name);
            let text = format!("Node {name} event: Removing Node {name} from Controller");
            report(&name, &uid, "RemovingNode", &text, context);
        }
        done
    }

    /// Looks at one node, and has its taints and its pods follow what is known of it. Reports whether it is ready.
    async fn look_at(&mut self, node: &Shared, context: &mut Context<'_>) -> Result<bool, Error> {
        let name = object::name(node);
        let before = ready(node).map_or("Unknown", |ready| ready.text("status")).to_owned();
        let node = self.update_health(node, context).await?;
        let Some(current) = ready(&node).map(|ready| ready.text("status").to_owned()) else {
            return Ok(false);
        };
        match current.as_str() {
            "True" => self.mark_reachable(&node, context).await?,
            "False" => self.mark_for_taint(&node, (NOT_READY, UNREACHABLE), context).await?,
            "Unknown" => self.mark_for_taint(&node, (UNREACHABLE, NOT_READY), context).await?,
            _ => {}
        }
        let is_lost = current != "True" && before == "True";
        let health = self.healths.entry(name.to_owned()).or_default();
        if is_lost {
            report(
                name,
                object::uid(&node),
                "NodeNotReady",
                &format!("Node {name} status is now: NodeNotReady"),
                context,
            );
        }
        if is_lost || (health.has_unmarked_pods && before != "True") {
            health.has_unmarked_pods = true;
            let of_node = |pod: &&Shared| pod.text_at("/spec/nodeName") == name;
            let pods = context.stores.of(&PODS).iter().map(|(_, pod)| pod).filter(of_node);
            let pods: Vec<Shared> = pods.cloned().collect();
            mark_not_ready(&pods, context).await?;
        }
        if let Some(health) = self.healths.get_mut(name) {
            health.has_unmarked_pods = false;
        }
        Ok(current == "True")
    }

    /// Finds out when a node last gave a sign of life, and says so in its status if that was too long ago. Returns the node as it is then.
    async fn update_health(&mut self, node: &Shared, context: &Context<'_>) -> Result<Shared, Error> {
        let name = object::name(node);
        let mut node = node.clone();
        let mut tries = TRIES;
        loop {
            let lease = context.stores.of(&LEASES).get(&object::join_key(LEASE_NAMESPACE, name));
            let health = self.healths.entry(name.to_owned()).or_default();
            health.observe(&node, lease, context.heartbeats.last(name, context.now()), context.now());
            let Some(lost) = health.lost(&node, context.now()) else { return Ok(node) };
            match context.client.update(&NODES, &lost, "status").await {
                Ok(updated) => {
                    health.know(&updated);
                    return Ok(updated.into());
                }
                Err(_) if tries > 1 => {
                    tries -= 1;
                    node = context.client.get(&NODES, "", name, View::Whole).await?.into();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes the taints off a node by which pods leave it.
    async fn mark_reachable(&mut self, node: &Value, context: &Context<'_>) -> Result<(), Error> {
        for taint in [UNREACHABLE, NOT_READY] {
            swap(node, &[], &[taint], context).await?;
        }
        self.zones.leave(&zones::of(node), object::name(node));
        Ok(())
    }

    /// Has a node get a taint when its zone may have one more; at once, if it has the opposite one.
    async fn mark_for_taint(
        &mut self,
        node: &Value,
        (taint, opposite): (crate::node_taints::Taint, crate::node_taints::Taint),
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        if has_taint(node, opposite) {
            return swap(node, &[taint], &[opposite], context).await;
        }
        let zone = zones::of(node);
        if has_taint(node, taint) {
            self.zones.leave(&zone, object::name(node));
        } else if self.zones.join(&zone, object::name(node)) {
            context.queue.add_at([ZONE, &zone].concat(), context.now().saturating_add(TAINT_DELAY));
        }
        Ok(())
    }

    /// Puts taints on the nodes of a zone that wait for them, as many as the zone may have now.
    async fn sync_zone(&mut self, zone: &str, context: &Context<'_>) -> Result<Outcome, Error> {
        let now = context.now();
        while let Some(name) = self.zones.first(zone) {
            match self.zones.take_turn(zone, now) {
                Some(pause) if pause.is_zero() => {}
                Some(pause) => return Ok(Outcome::After(pause)),
                None => return Ok(Outcome::Done),
            }
            if let Some(node) = context.stores.of(&NODES).get(&name).cloned() {
                match status_of(&node) {
                    "False" => swap(&node, &[NOT_READY], &[UNREACHABLE], context).await?,
                    "Unknown" => swap(&node, &[UNREACHABLE], &[NOT_READY], context).await?,
                    _ => {}
                }
            }
            self.zones.leave(zone, &name);
        }
        Ok(Outcome::Done)
    }

    /// Sets how many nodes a zone may lose at a time. Where no node of any zone is ready, none is given up.
    async fn handle_disruption(
        &mut self,
        zones: &BTreeMap<String, Vec<bool>>,
        nodes: &[Shared],
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        match self.zones.update(zones, context.now()) {
            zones::Turn::Ends => {
                for node in nodes {
                    // What cannot be done is done at the next look.
                    let _ = self.mark_reachable(node, context).await;
                }
                self.zones.stop();
            }
            zones::Turn::Begins => {
                let now = context.now();
                self.healths.values_mut().for_each(|health| health.renew(now));
            }
            zones::Turn::None => {}
        }
        for zone in self.zones.waiting() {
            context.queue.add_at([ZONE, &zone].concat(), context.now().saturating_add(TAINT_DELAY));
        }
        Ok(())
    }

    /// Says that a pod that was put on a node is not ready, if the node is not.
    async fn sync_pod(&self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(pod) = context.stores.of(&PODS).get(key).cloned() else { return Ok(Outcome::Done) };
        let health = self.healths.get(pod.text_at("/spec/nodeName"));
        if health.and_then(Health::status).is_some_and(|status| status != "True") {
            mark_not_ready(&[pod], context).await?;
        }
        Ok(Outcome::Done)
    }
}

impl Controller for NodeLifecycle {
    fn resources(&self) -> Vec<(Resource, View)> {
        [NODES, PODS, LEASES].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let Some(object) = change.object() else { return };
        match &*change.resource.kind {
            "Node" => {
                if change.new.is_some() {
                    context.queue.add(object::name(object));
                }
                context.queue.add(ALL);
            }
            "Pod" => {
                let place = |pod: &Shared| pod.text_at("/spec/nodeName").to_owned();
                let before = change.old.as_ref().map(place).unwrap_or_default();
                let now = change.new.as_ref().map(place).unwrap_or_default();
                if !now.is_empty() && now != before {
                    context.queue.add(object::key(object));
                }
            }
            _ if object::namespace(object) == LEASE_NAMESPACE => context.queue.add(ALL),
            _ => {}
        }
    }

    fn kubelet_changed(&mut self, _node: &str, context: &mut Context<'_>) {
        context.queue.add(ALL);
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            match key.strip_prefix(ZONE) {
                Some(zone) => self.sync_zone(zone, context).await,
                None if key == ALL => self.sync_all(context).await,
                None if key.contains('/') => self.sync_pod(key, context).await,
                None => self.sync_node(key, context).await,
            }
        }
        .boxed()
    }
}

fn registered(name: &str) -> String {
    format!("Node {name} event: Registered Node {name} in Controller")
}

/// Reports something about a node, of which no more is named than its uid.
fn report(name: &str, uid: &str, reason: &'static str, message: &str, context: &mut Context<'_>) {
    let about = json!({"metadata": {"name": name, "uid": uid}});
    context.recorder.report(&NODES, &about, EventType::Normal, reason, message.to_owned());
}

/// Says of pods that they are not ready, because their node is not. All are tried, whatever fails.
async fn mark_not_ready(pods: &[Shared], context: &mut Context<'_>) -> Result<(), Error> {
    let mut errors = Vec::new();
    for pod in pods {
        let conditions = list(pod, "/status/conditions");
        let known = conditions.iter().position(|condition| condition.text("type") == "Ready");
        let Some(index) = known.filter(|index| conditions[*index].text("status") != "False") else {
            continue;
        };
        let mut conditions = conditions.to_vec();
        object::set(&mut conditions[index], "status", "False".into());
        object::set(&mut conditions[index], "lastTransitionTime", object::timestamp(context.now()).into());
        let mut changed = Value::clone(pod);
        object::set(object::child(&mut changed, "status"), "conditions", Value::Array(conditions));
        match context.client.update(&PODS, &changed, "status").await {
            Err(error) if error.is_not_found() => continue,
            Err(error) => errors.push(error),
            Ok(_) => {}
        }
        let text = "Node is not ready".to_owned();
        context.recorder.report(&PODS, pod, EventType::Warning, "NodeNotReady", text);
    }
    crate::claim::aggregate(&errors).map_or(Ok(()), Err)
}
