//! Scores: the best of the nodes on which a pod can run.

use json_tree::Value;

use super::amounts::Amounts;
use super::filter::Cycle;
use super::inter_pod;
use super::node_info::NodeInfo;
use super::spread::Spread;
use crate::node_affinity::{preference, untolerated};

type Score = fn(&Cycle<'_>, &[&NodeInfo], &[&NodeInfo]) -> Vec<i64>;

/// The scores of plugins and their weights: `TaintToleration`, `NodeAffinity`, `NodeResourcesFit`, `PodTopologySpread`,
/// `InterPodAffinity`, `NodeResourcesBalancedAllocation`. Each gives the nodes from 0 to 100.
const SCORES: [(Score, i64); 6] = [
    (taints, 3),
    (node_affinity, 2),
    (least_allocated, 1),
    (spread, 2),
    (inter_pod_affinity, 2),
    (balanced, 1),
];

/// Returns the sums of the scores of nodes; `all` are the others, too.
pub(super) fn scores(cycle: &Cycle<'_>, nodes: &[&NodeInfo], all: &[&NodeInfo]) -> Vec<i64> {
    let mut sums = vec![0; nodes.len()];
    for (score, weight) in SCORES {
        for (sum, score) in sums.iter_mut().zip(score(cycle, nodes, all)) {
            *sum += score * weight;
        }
    }
    sums
}

/// Returns the index of the node with the highest score; of several, the first.
pub(super) fn best(scores: &[i64]) -> usize {
    let mut best = 0;
    for (index, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = index;
        }
    }
    best
}

/// Stretches scores so that the highest is 100.
fn stretch(scores: &mut [i64]) {
    let most = scores.iter().max().copied().unwrap_or_default();
    if most > 0 {
        scores.iter_mut().for_each(|score| *score = *score * 100 / most);
    }
}

fn taints(cycle: &Cycle<'_>, nodes: &[&NodeInfo], _: &[&NodeInfo]) -> Vec<i64> {
    let count =
        |node: &&NodeInfo| untolerated(&cycle.pod.pod, &node.node, &["PreferNoSchedule"]).count() as i64;
    let mut scores: Vec<i64> = nodes.iter().map(count).collect();
    stretch(&mut scores);
    scores.iter().map(|score| 100 - score).collect()
}

fn node_affinity(cycle: &Cycle<'_>, nodes: &[&NodeInfo], _: &[&NodeInfo]) -> Vec<i64> {
    let mut scores: Vec<i64> = nodes.iter().map(|node| preference(&cycle.pod.pod, &node.node)).collect();
    stretch(&mut scores);
    scores
}

/// Scores nodes by how much of them is free.
fn least_allocated(cycle: &Cycle<'_>, nodes: &[&NodeInfo], _: &[&NodeInfo]) -> Vec<i64> {
    let free = |node: &NodeInfo, name: &str| {
        let there = node.allocatable.get(name);
        let taken = node.scored.get(name) + cycle.pod.scored.get(name);
        (there > 0).then(|| (there - taken).max(0) * 100 / there)
    };
    let score = |node: &&NodeInfo| {
        let parts: Vec<i128> = ["cpu", "memory"].iter().filter_map(|name| free(node, name)).collect();
        // None is above 100.
        if parts.is_empty() { 0 } else { parts.iter().sum::<i128>() as i64 / parts.len() as i64 }
    };
    nodes.iter().map(score).collect()
}

/// Scores nodes by how much more evenly their resources are taken with the pod than without it: no less evenly is 75. For a pod that
/// requests nothing, none is better.
fn balanced(cycle: &Cycle<'_>, nodes: &[&NodeInfo], _: &[&NodeInfo]) -> Vec<i64> {
    let requests = &cycle.pod.requests;
    if requests.get("cpu") == 0 && requests.get("memory") == 0 {
        return vec![0; nodes.len()];
    }
    let balance = |node: &NodeInfo, requests: &Amounts| {
        let fraction = |name| {
            let there = node.allocatable.get(name);
            let taken = node.requested.get(name) + requests.get(name);
            (there > 0).then(|| (taken as f64 / there as f64).min(1.0))
        };
        let deviation = match (fraction("cpu"), fraction("memory")) {
            (Some(cpu), Some(memory)) => (cpu - memory).abs() / 2.0,
            _ => 0.0,
        };
        ((1.0 - deviation) * 100.0) as i64
    };
    let nothing = Amounts::default();
    let score = |node: &&NodeInfo| 50 + (50 + balance(node, requests) - balance(node, &nothing)) / 2;
    nodes.iter().map(score).collect()
}

fn spread(cycle: &Cycle<'_>, nodes: &[&NodeInfo], all: &[&NodeInfo]) -> Vec<i64> {
    let pod: &Value = &cycle.pod.pod;
    Spread::preferred(pod, all, cycle.stores).scores(pod, nodes)
}

fn inter_pod_affinity(cycle: &Cycle<'_>, nodes: &[&NodeInfo], all: &[&NodeInfo]) -> Vec<i64> {
    let scores = inter_pod::scores(cycle.pod, nodes, all, cycle.stores);
    let most = scores.iter().max().copied().unwrap_or_default();
    let least = scores.iter().min().copied().unwrap_or_default();
    // In floats, as kube-scheduler does: 29 of 100 are 28.
    let stretched = |score: &i64| 100.0 * ((score - least) as f64 / (most - least) as f64);
    scores.iter().map(|score| if most > least { stretched(score) as i64 } else { 0 }).collect()
}
