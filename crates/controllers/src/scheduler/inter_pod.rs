//! Affinity between pods: how many of the pods that terms mean are in each place.

use std::collections::BTreeMap;

use super::node_info::{NodeInfo, PodInfo};
use super::terms::Term;
use crate::store::Stores;

/// Numbers by places: the key of a label of nodes, and its value.
#[derive(Default)]
pub(super) struct Places(BTreeMap<String, BTreeMap<String, i64>>);

impl Places {
    /// Adds a number to the place of a node, if it is in one.
    fn add(&mut self, key: &str, node: &NodeInfo, number: i64) {
        if let Some(value) = node.label(key) {
            *self.0.entry(key.to_owned()).or_default().entry(value.to_owned()).or_default() += number;
        }
    }

    /// Returns the number of the place of a node by one label.
    fn get(&self, key: &str, node: &NodeInfo) -> i64 {
        let value = node.label(key).and_then(|value| self.0.get(key)?.get(value));
        value.copied().unwrap_or_default()
    }

    /// Returns the sum of the numbers of the places of a node.
    fn sum(&self, node: &NodeInfo) -> i64 {
        self.0.keys().map(|key| self.get(key, node)).sum()
    }

    /// Reports whether a node is in a place that has a number.
    pub(super) fn has_any(&self, node: &NodeInfo) -> bool {
        self.0.keys().any(|key| self.get(key, node) > 0)
    }
}

/// The places that the required terms mean.
pub(super) struct Counts {
    /// The pods near which the pod has to be.
    affine: Places,
    /// The pods near which it must not be.
    pub(super) anti_affine: Places,
    /// The pods that must not have it near them.
    pub(super) repelled: Places,
}

impl Counts {
    /// Counts the pods on all nodes.
    pub(super) fn required(pod: &PodInfo, nodes: &[&NodeInfo], stores: &Stores) -> Self {
        let mut counts =
            Self { affine: Places::default(), anti_affine: Places::default(), repelled: Places::default() };
        let (near, far) = (&pod.affinity.required, &pod.anti_affinity.required);
        for (node, other) in nodes.iter().flat_map(|node| node.pods.values().map(move |other| (node, other)))
        {
            if !near.is_empty() && near.iter().all(|term| term.means(&other.pod, stores)) {
                near.iter().for_each(|term| counts.affine.add(&term.topology_key, node, 1));
            }
            for term in far.iter().filter(|term| term.means(&other.pod, stores)) {
                counts.anti_affine.add(&term.topology_key, node, 1);
            }
            for term in other.anti_affinity.required.iter().filter(|term| term.means(&pod.pod, stores)) {
                counts.repelled.add(&term.topology_key, node, 1);
            }
        }
        counts
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
    let mut places = Places::default();
    let mut add = |terms: &[Term], means: &PodInfo, node: &NodeInfo, sign: i64| {
        for term in terms.iter().filter(|term| term.means(&means.pod, stores)) {
            places.add(&term.topology_key, node, sign * term.weight.max(1));
        }
    };
    for (node, other) in all.iter().flat_map(|node| node.pods.values().map(move |other| (node, other))) {
        add(&pod.affinity.preferred, other, node, 1);
        add(&pod.anti_affinity.preferred, other, node, -1);
        add(&other.affinity.required, pod, node, 1);
        add(&other.affinity.preferred, pod, node, 1);
        add(&other.anti_affinity.preferred, pod, node, -1);
    }
    nodes.iter().map(|node| places.sum(node)).collect()
}
