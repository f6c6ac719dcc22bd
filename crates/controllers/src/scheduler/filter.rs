//! Filters: the nodes on which a pod can run, and why it cannot run on others.
//!
//! See <https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins>.

use json_tree::{Value, json};

use super::inter_pod::Counts;
use super::node_info::{NodeInfo, PodInfo};
use super::rejection::Rejection;
use super::spread::Spread;
use super::volumes::Volumes;
use crate::node_affinity::{is_selected, tolerates, untolerated};
use crate::object::list;
use crate::store::Stores;

/// A pod that is looked for a node for, and what is known of all nodes.
pub(super) struct Cycle<'a> {
    pub(super) pod: &'a PodInfo,
    pub(super) stores: &'a Stores,
    /// The claims of the pod, or why it can run nowhere.
    pub(super) volumes: Result<Volumes, String>,
    spread: Spread,
    counts: Counts,
}

type Filter = fn(&Cycle<'_>, &NodeInfo) -> Option<Rejection>;

/// The filters of plugins, in the order of the default profile: `NodeUnschedulable`, `TaintToleration`, `NodeAffinity`, `NodePorts`,
/// `NodeResourcesFit`, `VolumeBinding`, `PodTopologySpread`, `InterPodAffinity`. `NodeName` is for pods that name a node, for which none is sought.
const FILTERS: [Filter; 8] =
    [unschedulable, taints, node_affinity, ports, resources, volumes, spread, inter_pod];

impl<'a> Cycle<'a> {
    /// Counts what filters need of all nodes.
    pub(super) fn new(pod: &'a PodInfo, nodes: &[&NodeInfo], stores: &'a Stores) -> Self {
        Self {
            pod,
            stores,
            volumes: Volumes::of(&pod.pod, stores),
            spread: Spread::required(&pod.pod, nodes),
            counts: Counts::required(pod, nodes, stores),
        }
    }

    /// Adds a number to those of a pod on a node: 1 if it comes, -1 if it leaves.
    pub(super) fn add(&mut self, other: &PodInfo, node: &NodeInfo, number: i64) {
        self.spread.add(&self.pod.pod, other, node, number);
        self.counts.add(self.pod, other, node, number, self.stores);
    }

    /// Returns why the pod cannot run on a node; `None` if it can.
    pub(super) fn reject(&self, node: &NodeInfo) -> Option<Rejection> {
        FILTERS.iter().find_map(|filter| filter(self, node))
    }
}

fn unschedulable(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    if node.node.pointer("/spec/unschedulable") != Some(&Value::Bool(true)) {
        return None;
    }
    let taint = json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
    let is_tolerated = list(&cycle.pod.pod, "/spec/tolerations").iter().any(|own| tolerates(own, &taint));
    if is_tolerated { None } else { Rejection::unresolvable("node(s) were unschedulable") }
}

fn taints(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    untolerated(&cycle.pod.pod, &node.node, &["NoSchedule", "NoExecute"]).next()?;
    Rejection::unresolvable("node(s) had untolerated taint(s)")
}

fn node_affinity(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    if is_selected(&cycle.pod.pod, &node.node) {
        return None;
    }
    Rejection::unresolvable("node(s) didn't match Pod's node affinity/selector")
}

fn ports(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    let is_taken = |pod: &PodInfo| {
        pod.ports.iter().any(|port| cycle.pod.ports.iter().any(|wanted| wanted.conflicts(port)))
    };
    if cycle.pod.ports.is_empty() || !node.pods.values().any(|pod| is_taken(pod)) {
        return None;
    }
    Rejection::resolvable("node(s) didn't have free ports for the requested pod ports")
}

fn resources(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    let mut rejection = Rejection { reasons: Vec::new(), is_resolvable: true };
    if node.pods.len() as i128 + 1 > node.allocatable.get("pods") {
        rejection.reasons.push("Too many pods".to_owned());
    }
    for (name, amount) in cycle.pod.requests.iter().filter(|(_, amount)| *amount > 0) {
        let there = node.allocatable.get(name);
        if amount > there - node.requested.get(name) {
            rejection.reasons.push(["Insufficient ", name].concat());
            rejection.is_resolvable &= amount <= there;
        }
    }
    Some(rejection).filter(|rejection| !rejection.reasons.is_empty())
}

fn volumes(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    match &cycle.volumes {
        Ok(volumes) => volumes.reject(node, cycle.stores),
        Err(why) => Rejection::unresolvable(why),
    }
}

fn spread(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    const REASON: &str = "node(s) didn't match pod topology spread constraints";
    for constraint in &cycle.spread.constraints {
        let Some(value) = node.label(&constraint.topology_key) else {
            return Rejection::unresolvable(&[REASON, " (missing required label)"].concat());
        };
        if constraint.would_skew(value, &cycle.pod.pod) {
            return Rejection::resolvable(REASON);
        }
    }
    None
}

fn inter_pod(cycle: &Cycle<'_>, node: &NodeInfo) -> Option<Rejection> {
    let counts = &cycle.counts;
    if !counts.has_affine(cycle.pod, node, cycle.stores) {
        return Rejection::unresolvable("node(s) didn't match pod affinity rules");
    }
    if counts.anti_affine.has_any(node) {
        return Rejection::resolvable("node(s) didn't match pod anti-affinity rules");
    }
    if counts.repelled.has_any(node) {
        return Rejection::resolvable("node(s) didn't satisfy existing pods anti-affinity rules");
    }
    None
}
