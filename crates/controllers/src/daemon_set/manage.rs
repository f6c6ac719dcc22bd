//! Making and deleting the pods of a DaemonSet.

use std::collections::BTreeSet;

use super::{ByNode, Daemon, DaemonSets, sort, template};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::pods::Keeper;
use crate::resource::DAEMON_SETS;
use crate::store::Shared;
use crate::{object, pod};

/// The pods that are made or deleted at once, at most.
const BURST: usize = 250;

/// The work to be done: the names of nodes on which pods are to be made, and the pods that are to go.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) create: Vec<String>,
    pub(super) delete: Vec<Shared>,
}

impl DaemonSets {
    /// Makes pods on nodes that miss one, and deletes those that are too many, have ended, or are where they are not to be.
    pub(super) async fn manage(&mut self, daemon: &Daemon, context: &mut Context<'_>) -> Result<(), Error> {
        let by_node = daemon.by_node(false);
        let mut plan = Plan::default();
        for node in &daemon.nodes {
            let name = object::name(node);
            let pods = by_node.get(name);
            let (may_start, may_stay) = daemon.fit.on(node);
            match pods {
                None if may_start => plan.create.push(name.to_owned()),
                None => {}
                Some(pods) if may_stay => {
                    self.check_node(daemon, (name, may_start), pods, &mut plan, context)
                }
                Some(pods) => {
                    plan.delete.extend(pods.iter().filter(|pod| !object::is_being_deleted(pod)).cloned());
                }
            }
        }
        plan.delete.extend(without_node(daemon, &by_node));
        self.carry_out(daemon, plan, context).await
    }

    /// Plans what becomes of the pods of a node on which they may stay.
    fn check_node(
        &mut self,
        daemon: &Daemon,
        (node, may_start): (&str, bool),
        pods: &[Shared],
        plan: &mut Plan,
        context: &mut Context<'_>,
    ) {
        let mut running = Vec::new();
        for pod in pods.iter().filter(|pod| !object::is_being_deleted(pod)) {
            if !pod::is_terminal(pod) {
                running.push(Shared::clone(pod));
            } else if self.may_replace(daemon, node, pod, context) {
                plan.delete.push(Shared::clone(pod));
            }
        }
        sort(&mut running);
        if !daemon.allows_surge() {
            plan.delete.extend(running.into_iter().skip(1));
            return;
        }
        if running.is_empty() && may_start {
            plan.create.push(node.to_owned());
        }
        if running.len() <= 1 {
            return;
        }
        // Two may stay: the oldest of the current template, and the oldest other one, as long as this one is ready and that one not
        // available.
        let is_new =
            |pod: &Shared| object::meta(pod, "labels").text(crate::revision::HASH_LABEL) == daemon.hash;
        let (mut new, mut old) = (running.clone(), running);
        new.retain(|pod| is_new(pod));
        old.retain(|pod| !is_new(pod));
        plan.delete.extend(new.iter().skip(1).chain(old.iter().skip(1)).cloned());
        if let (Some(new), Some(old)) = (new.first(), old.first())
            && (!pod::is_ready(old) || daemon.is_available(new, context))
        {
            plan.delete.push(Shared::clone(old));
        }
    }

    /// Reports whether a pod that has ended is to be replaced now, and tells of it. One that has failed waits longer each time.
    fn may_replace(&mut self, daemon: &Daemon, node: &str, pod: &Shared, context: &mut Context<'_>) -> bool {
        let owner = &daemon.owner;
        let has_failed = pod::phase(pod) == "Failed";
        if has_failed {
            let generation = object::int(owner, "/status/observedGeneration").to_string();
            let now = context.now();
            let key = [object::uid(owner), "/", &generation, "/", node].concat();
            if let Some(delay) = self.failed.next(&key, now) {
                context.queue.add_at(daemon.key.as_str(), now.saturating_add(delay));
                return false;
            }
        }
        let (kind, reason, found, will) = match has_failed {
            true => (EventType::Warning, "FailedDaemonPod", "failed", "kill"),
            false => (EventType::Normal, "SucceededDaemonPod", "succeeded", "delete"),
        };
        let pod = object::key(pod);
        let message =
            ["Found ", found, " daemon pod ", &pod, " on node ", node, ", will try to ", will, " it"]
                .concat();
        context.recorder.report(&DAEMON_SETS, owner, kind, reason, message);
        true
    }

    /// Makes and deletes pods, and expects to hear of it.
    pub(super) async fn carry_out(
        &mut self,
        daemon: &Daemon,
        mut plan: Plan,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        plan.create.truncate(BURST);
        plan.delete.truncate(BURST);
        let deletions: BTreeSet<String> = plan.delete.iter().map(|pod| object::key(pod)).collect();
        self.expectations.expect(&daemon.key, plan.create.len(), deletions, context.now());
        let keeper = Keeper { owner: &daemon.owner, owners: &DAEMON_SETS };
        let template = template::template(&daemon.owner, daemon.generation.as_deref(), &daemon.hash);
        let pod = keeper.pod_of(&template);
        let pod_at = |index: usize| {
            let mut pod = pod.clone();
            template::aim(&mut pod, plan.create.get(index).map_or("", String::as_str));
            pod
        };
        let (created, mut outcome) = keeper.create(plan.create.len(), &pod_at, context).await;
        (created..plan.create.len()).for_each(|_| self.expectations.creation_observed(&daemon.key));
        for pod in &plan.delete {
            if let Err(error) = keeper.delete(pod, context).await {
                self.expectations.deletion_observed(&daemon.key, &object::key(pod));
                if !error.is_not_found() {
                    outcome = outcome.and(Err(error));
                }
            }
        }
        outcome
    }
}

/// Returns the pods that wait for nodes that are not there. Nobody else deletes them.
fn without_node(daemon: &Daemon, by_node: &ByNode) -> Vec<Shared> {
    let names: BTreeSet<&str> = daemon.nodes.iter().map(|node| object::name(node)).collect();
    let lost = by_node.iter().filter(|(node, _)| !names.contains(node.as_str()));
    let pods = lost.flat_map(|(_, pods)| pods);
    pods.filter(|pod| pod.text_at("/spec/nodeName").is_empty()).cloned().collect()
}
