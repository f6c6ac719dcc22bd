//! Rolling updates of DaemonSets: old pods go, or new ones come beside them, a few at a time.
//!
//! See <https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/>.

use json_tree::Value;

use super::manage::Plan;
use super::{ByNode, Daemon, DaemonSets};
use crate::controller::Context;
use crate::error::Error;
use crate::store::Shared;
use crate::{intstr, object};

/// The pods on a node that are not about to be deleted: of the current template, and of another one.
#[derive(Default)]
struct Pair {
    new: Option<Shared>,
    old: Option<Shared>,
}

/// How many nodes may lack an available pod, or have two pods, and how many are to have one.
struct Limits {
    surge: usize,
    unavailable: usize,
    desired: usize,
}

impl Daemon {
    /// Returns the number that a field of the strategy comes to, for so many nodes.
    fn limit(&self, field: &str, nodes: usize) -> Result<usize, Error> {
        if self.owner.text_at("/spec/updateStrategy/type") != "RollingUpdate" {
            return Ok(0);
        }
        let rolling = self.owner.pointer("/spec/updateStrategy/rollingUpdate");
        let value = rolling.and_then(|rolling| rolling.get(field));
        let total = i64::try_from(nodes).unwrap_or(i64::MAX);
        intstr::scaled(value, total, true).map(|count| usize::try_from(count).unwrap_or_default())
    }

    /// Reports whether a node may have two pods while it is updated.
    pub(super) fn allows_surge(&self) -> bool {
        self.limit("maxSurge", 1).is_ok_and(|surge| surge > 0)
    }

    fn limits(&self) -> Result<Limits, Error> {
        let desired = self.nodes.iter().filter(|node| self.fit.on(node).0).count();
        let surge = self.limit("maxSurge", desired)?;
        let unavailable = self.limit("maxUnavailable", desired)?;
        // One of them must be there, or nothing could ever move.
        let unavailable = if desired > 0 && unavailable == 0 && surge == 0 { 1 } else { unavailable };
        Ok(Limits { surge, unavailable, desired })
    }

    /// Returns the pods of a node; `None` if there are too many.
    fn pair(&self, pods: &[Shared]) -> Option<Pair> {
        let mut pair = Pair::default();
        for pod in pods.iter().filter(|pod| !object::is_being_deleted(pod)) {
            let place = if self.is_updated(pod) { &mut pair.new } else { &mut pair.old };
            if place.replace(Shared::clone(pod)).is_some() {
                return None;
            }
        }
        Some(pair)
    }

    /// Plans which old pods go, so that not too many nodes lack an available one.
    fn replace(&self, by_node: &ByNode, limits: &Limits, context: &Context<'_>) -> Plan {
        let mut unavailable: usize = 0;
        let (mut delete, mut candidates) = (Vec::new(), Vec::new());
        for pods in by_node.values() {
            match self.pair(pods) {
                Some(Pair { new: Some(new), old: None }) => {
                    unavailable += usize::from(!self.is_available(&new, context));
                }
                Some(Pair { new: None, old: Some(old) }) => {
                    if !self.is_available(&old, context) {
                        delete.push(old);
                        unavailable += 1;
                    } else if unavailable < limits.unavailable {
                        candidates.push(old);
                    }
                }
                _ => unavailable += 1,
            }
        }
        candidates.truncate(limits.unavailable.saturating_sub(unavailable));
        delete.extend(candidates);
        Plan { create: Vec::new(), delete }
    }

    /// Plans on which nodes new pods come beside old ones, and which old ones go because their successors are available.
    fn surge(&self, by_node: &ByNode, limits: &Limits, context: &Context<'_>) -> Plan {
        let (mut surging, mut available): (usize, usize) = (0, 0);
        let mut plan = Plan::default();
        let (mut misplaced, mut candidates) = (Vec::new(), Vec::new());
        for (name, pods) in by_node {
            let Some(pair) = self.pair(pods) else {
                surging += 1;
                continue;
            };
            let is_available = |pod: &Value| self.is_available(pod, context);
            let first = pair.old.as_ref().or(pair.new.as_ref());
            available += usize::from(first.is_some_and(|pod| is_available(pod)));
            match (pair.new, pair.old) {
                (_, None) => {}
                (None, Some(old)) => {
                    // A pod whose node is gone is left alone.
                    let place = self.nodes.binary_search_by(|node| object::name(node).cmp(name));
                    let Some(node) = place.ok().and_then(|place| self.nodes.get(place)) else { continue };
                    match (self.fit.on(node).0, is_available(&old)) {
                        (true, false) => plan.create.push(name.clone()),
                        (false, false) => plan.delete.push(old),
                        (false, true) => misplaced.push(old),
                        (true, true) if surging < limits.surge => candidates.push(name.clone()),
                        (true, true) => {}
                    }
                }
                (Some(new), Some(_)) if !is_available(&new) => surging += 1,
                (Some(_), Some(old)) => plan.delete.push(old),
            }
        }
        // A pod that is where it is not to be stays until there are enough others.
        misplaced.truncate(available.saturating_sub(limits.desired));
        plan.delete.extend(misplaced);
        candidates.truncate(limits.surge.saturating_sub(surging));
        plan.create.extend(candidates);
        plan
    }
}

impl DaemonSets {
    /// Moves a rolling update on.
    pub(super) async fn roll(&mut self, daemon: &Daemon, context: &mut Context<'_>) -> Result<(), Error> {
        let mut by_node = daemon.by_node(false);
        let limits = daemon.limits()?;
        for node in daemon.nodes.iter().filter(|node| daemon.fit.on(node).0) {
            by_node.entry(object::name(node).to_owned()).or_default();
        }
        let plan = match limits.surge {
            0 => daemon.replace(&by_node, &limits, context),
            _ => daemon.surge(&by_node, &limits, context),
        };
        self.carry_out(daemon, plan, context).await
    }
}
