//! Affinity between pods: how many of the pods that terms mean are near each node.

use std::collections::BTreeMap;

use super::node_info::{NodeInfo, PodInfo};
use super::terms::Term;
use crate::store::Stores;

/// Numbers by topology pairs: the key of a label of nodes, and its value.
#[derive(Default)]
pub(super) struct TopologyPairs(BTreeMap<String, BTreeMap<String, i64>>);

impl TopologyPairs {
    /// Adds a number to the pair of a node, if it has the label. Pairs with 0 are not kept.
    fn add(&mut self, key: &str, node: &NodeInfo, number: i64) {
        let Some(value) = node.label(key) else { return };
        let values = self.0.entry(key.to_owned()).or_default();
        let sum = values.entry(value.to_owned()).or_default();
        *sum += number;
        if *sum == 0 {
            values.remove(value);
            if values.is_empty() {
                self.0.remove(key);
            }
        }
    }

    /// Returns the number of the pair of a node with one key.
    fn get(&self, key: &str, node: &NodeInfo) -> i64 {
        let value = node.label(key).and_then(|value| self.0.get(key)?.get(value));
        value.copied().unwrap_or_default()
    }

    /// Returns the sum of the numbers of all pairs of a node.
    fn sum(&self, node: &NodeInfo) -> i64 {
        self.0.keys().map(|key| self.get(key, node)).sum()
    }

    /// Reports whether a pair of a node has a number.
    pub(super) fn has_any(&self, node: &NodeInfo) -> bool {
        self.0.keys().any(|key| self.get(key, node) > 0)
    }
}

/// The numbers of pods that required terms mean.
#[derive(Default)]
pub(super) struct Counts {
    /// The pods near which the pod has to be.
    affine: TopologyPairs,
    /// The pods near which it must not be.
    pub(super) anti_affine: TopologyPairs,
    /// The pods that must not have it near them.
    pub(super) repelled: TopologyPairs,
}

impl Counts {
    /// Counts the pods on all nodes.
    pub(super) fn required(pod: &PodInfo, nodes: &[&NodeInfo], stores: &Stores) -> Self {
        let mut counts = Self::default();
        let has_terms = !(pod.affinity.required.is_empty() && pod.anti_affinity.required.is_empty());
        for node in nodes.iter().filter(|node| has_terms || node.with_required_anti_affinity > 0) {
            node.pods.values().for_each(|other| counts.add(pod, other, node, 1, stores));
        }
        counts
    }

    /// Adds a number to those of a pod on a node: -1 if it leaves.
    pub(super) fn add(
        &mut self,
        pod: &PodInfo,
        other: &PodInfo,
        node: &NodeInfo,
        number: i64,
        stores: &Stores,
    ) {
        let (near, far) = (&pod.affinity.required, &pod.anti_affinity.required);
        if !near.is_empty() && near.iter().all(|term| term.means(&other.pod, stores)) {
            near.iter().for_each(|term| self.affine.add(&term.topology_key, node, number));
        }
        for term in far.iter().filter(|term| term.means(&other.pod, stores)) {
            self.anti_affine.add(&term.topology_key, node, number);
        }
        for term in other.anti_affinity.required.iter().filter(|term| term.means(&pod.pod, stores)) {
            self.repelled.add(&term.topology_key, node, number);
        }
    }

    /// Reports whether the pods near which a pod has to be are near a node. The first of pods that want to be near each other may be
    /// anywhere.
    pub(super) fn has_affine(&self, pod: &PodInfo, node: &NodeInfo, stores: &Stores) -> bool {
        let terms = &pod.affinity.required;
        let has_label = |term: &Term| node.label(&term.topology_key).is_some();
        let is_first = || self.affine.0.is_empty() && terms.iter().all(|term| term.means(&pod.pod, stores));
        terms.iter().all(has_label)
            && (terms.iter().all(|term| self.affine.get(&term.topology_key, node) > 0) || is_first())
    }
}

/// Returns the scores of nodes by preferred terms: those of the pod, and those of the pods that are there, whose required terms count
/// as much as one of weight 1.
pub(super) fn scores(pod: &PodInfo, nodes: &[&NodeInfo], all: &[&NodeInfo], stores: &Stores) -> Vec<i64> {
    let mut pairs = TopologyPairs::default();
    let mut add = |terms: &[Term], means: &PodInfo, node: &NodeInfo, sign: i64| {
        for term in terms.iter().filter(|term| term.means(&means.pod, stores)) {
            pairs.add(&term.topology_key, node, sign * term.weight.max(1));
        }
    };
    let has_terms = !(pod.affinity.preferred.is_empty() && pod.anti_affinity.preferred.is_empty());
    let counted = all.iter().filter(|node| has_terms || node.with_affinity > 0);
    for (node, other) in counted.flat_map(|node| node.pods.values().map(move |other| (node, other))) {
        add(&pod.affinity.preferred, other, node, 1);
        add(&pod.anti_affinity.preferred, other, node, -1);
        add(&other.affinity.required, pod, node, 1);
        add(&other.affinity.preferred, pod, node, 1);
        add(&other.anti_affinity.preferred, pod, node, -1);
    }
    nodes.iter().map(|node| pairs.sum(node)).collect()
}
