//! Constraints that spread pods over places.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/>.

use std::collections::BTreeMap;

use apimachinery::selector::LabelSelector;
use json_tree::{Value, json};

use super::node_affinity::{is_selected, untolerated};
use super::node_info::NodeInfo;
use crate::object::{self, list};
use crate::resource::{REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS};
use crate::store::Stores;

/// The label of nodes that is another one for each.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The constraints of a pod that has none, by the labels of nodes and by how much the numbers may differ: they are only preferred.
const DEFAULTS: [(&str, i64); 2] = [(HOSTNAME, 3), ("topology.kubernetes.io/zone", 5)];

/// A constraint, and the numbers of the pods that it is about.
pub(super) struct Constraint {
    pub(super) topology_key: String,
    max_skew: i64,
    min_domains: usize,
    /// The selector; `None` selects nothing.
    selector: Option<LabelSelector>,
    honors_affinity: bool,
    honors_taints: bool,
    /// The numbers of pods, by the values of the label.
    counts: BTreeMap<String, i64>,
}

/// The constraints of a pod.
pub(super) struct Spread {
    pub(super) constraints: Vec<Constraint>,
    /// True if they are those of pods that have none.
    is_default: bool,
}

impl Constraint {
    fn of(constraint: &Value) -> Self {
        let selector = constraint.get("labelSelector").filter(|selector| !selector.is_null());
        Self {
            topology_key: constraint.text("topologyKey").to_owned(),
            max_skew: object::int(constraint, "/maxSkew"),
            min_domains: usize::try_from(object::int(constraint, "/minDomains")).unwrap_or_default().max(1),
            selector: selector.and_then(LabelSelector::of),
            honors_affinity: constraint.text("nodeAffinityPolicy") != "Ignore",
            honors_taints: constraint.text("nodeTaintsPolicy") == "Honor",
            counts: BTreeMap::new(),
        }
    }

    /// Reports whether pods on a node count.
    fn includes(&self, pod: &Value, node: &NodeInfo) -> bool {
        (!self.honors_affinity || is_selected(pod, node))
            && (!self.honors_taints || untolerated(pod, node, &["NoSchedule", "NoExecute"]).next().is_none())
    }

    fn selects(&self, pod: &Value) -> bool {
        self.selector.as_ref().is_some_and(|selector| object::selects(selector, pod))
    }

    /// Returns the number of the pods of a namespace on a node that it is about.
    fn count(&self, namespace: &str, node: &NodeInfo) -> i64 {
        let pods = node.pods.values().filter(|pod| pod.namespace() == namespace);
        pods.filter(|pod| !object::is_being_deleted(&pod.pod) && self.selects(&pod.pod)).count() as i64
    }

    /// Reports whether the numbers would differ too much with a pod more in a place.
    pub(super) fn would_skew(&self, value: &str, pod: &Value) -> bool {
        let least = if self.counts.len() < self.min_domains { None } else { self.counts.values().min() };
        let own = self.counts.get(value).copied().unwrap_or_default() + i64::from(self.selects(pod));
        own - least.copied().unwrap_or_default() > self.max_skew
    }
}

impl Spread {
    /// Reads the constraints that have to be met, and counts.
    pub(super) fn required(pod: &Value, nodes: &[&NodeInfo]) -> Self {
        let mut spread = Self { constraints: constraints(pod, "DoNotSchedule"), is_default: false };
        spread.fill(pod, nodes, true);
        spread
    }

    /// Reads the constraints that are preferred, or takes those of pods that have none, and counts.
    pub(super) fn preferred(pod: &Value, nodes: &[&NodeInfo], stores: &Stores) -> Self {
        let mut spread = Self { constraints: constraints(pod, "ScheduleAnyway"), is_default: false };
        if list(pod, "/spec/topologySpreadConstraints").is_empty()
            && let Some(selector) = default_selector(pod, stores)
        {
            spread.is_default = true;
            spread.constraints = DEFAULTS
                .iter()
                .map(|(key, max_skew)| {
                    let constraint = json!({"topologyKey": *key, "maxSkew": *max_skew});
                    Constraint { selector: Some(selector.clone()), ..Constraint::of(&constraint) }
                })
                .collect();
        }
        let needs_all = !spread.is_default;
        spread.fill(pod, nodes, needs_all);
        spread
    }

    /// Counts pods on nodes that have a place for every constraint, if all are needed.
    fn fill(&mut self, pod: &Value, nodes: &[&NodeInfo], needs_all: bool) {
        let namespace = object::namespace(pod);
        let keys: Vec<String> = self.constraints.iter().map(|one| one.topology_key.clone()).collect();
        for node in nodes {
            if needs_all && keys.iter().any(|key| node.label(key).is_none()) {
                continue;
            }
            for constraint in &mut self.constraints {
                let Some(value) = node.label(&constraint.topology_key).map(str::to_owned) else { continue };
                if constraint.includes(pod, node) {
                    let count = constraint.count(namespace, node);
                    *constraint.counts.entry(value).or_default() += count;
                }
            }
        }
    }

    /// Returns the scores of nodes, from 0 to 100: the fewer pods are in their places, the higher.
    pub(super) fn scores(&self, pod: &Value, nodes: &[&NodeInfo]) -> Vec<i64> {
        if self.constraints.is_empty() {
            return vec![0; nodes.len()];
        }
        let ignored = |node: &NodeInfo| {
            !self.is_default && self.constraints.iter().any(|one| node.label(&one.topology_key).is_none())
        };
        let weights: Vec<f64> =
            self.constraints.iter().map(|constraint| weight(constraint, nodes, &ignored)).collect();
        let raw: Vec<Option<i64>> = nodes
            .iter()
            .map(|node| Some(self.raw_score(pod, node, &weights)).filter(|_| !ignored(node)))
            .collect();
        let most = raw.iter().flatten().max().copied().unwrap_or_default();
        let least = raw.iter().flatten().min().copied().unwrap_or_default();
        let score = |raw: &Option<i64>| match raw {
            None => 0,
            Some(_) if most == 0 => 100,
            Some(raw) => 100 * (most + least - raw) / most,
        };
        raw.iter().map(score).collect()
    }

    fn raw_score(&self, pod: &Value, node: &NodeInfo, weights: &[f64]) -> i64 {
        let namespace = object::namespace(pod);
        let score = self.constraints.iter().zip(weights).map(|(constraint, weight)| {
            let Some(value) = node.label(&constraint.topology_key) else { return 0.0 };
            let count = if constraint.topology_key == HOSTNAME {
                constraint.count(namespace, node)
            } else {
                constraint.counts.get(value).copied().unwrap_or_default()
            };
            count as f64 * weight + (constraint.max_skew - 1) as f64
        });
        score.sum::<f64>().round() as i64
    }
}

/// Returns the weight of a constraint: the more places there are, the more each pod counts.
fn weight(constraint: &Constraint, nodes: &[&NodeInfo], ignored: &dyn Fn(&NodeInfo) -> bool) -> f64 {
    let counted = nodes.iter().filter(|node| !ignored(node));
    let places = if constraint.topology_key == HOSTNAME {
        counted.count()
    } else {
        let values = counted.filter_map(|node| node.label(&constraint.topology_key));
        values.collect::<std::collections::BTreeSet<_>>().len()
    };
    (places as f64 + 2.0).ln()
}

/// Returns the constraints of a pod that are to be met, or only preferred.
fn constraints(pod: &Value, when: &str) -> Vec<Constraint> {
    let all = list(pod, "/spec/topologySpreadConstraints").iter();
    all.filter(|one| one.text("whenUnsatisfiable") == when).map(Constraint::of).collect()
}

/// Returns the selector of the pods that are like a pod: those of its services and of its manager. `None` if it has neither.
fn default_selector(pod: &Value, stores: &Stores) -> Option<LabelSelector> {
    let (mut labels, mut expressions) = (Vec::new(), Vec::new());
    let namespace = object::namespace(pod);
    for service in stores.of(&SERVICES).in_namespace(namespace) {
        let Some(selector) = service.pointer("/spec/selector").filter(|selector| !selector.is_null()) else {
            continue;
        };
        let own = LabelSelector::of(&json!({"matchLabels": selector.clone()}));
        if own.is_some_and(|own| !own.is_empty() && object::selects(&own, pod)) {
            labels.push(selector.clone());
        }
    }
    if let Some(owner) = object::controller_of(pod) {
        let key = object::join_key(namespace, owner.text("name"));
        let kinds = [&REPLICA_SETS, &STATEFUL_SETS, &REPLICATION_CONTROLLERS];
        let resource = kinds.iter().find(|resource| resource.kind == owner.text("kind"));
        let manager = resource.and_then(|resource| stores.of(resource).get(&key));
        if let Some(selector) = manager.and_then(|manager| manager.pointer("/spec/selector")) {
            if owner.text("kind") == REPLICATION_CONTROLLERS.kind {
                labels.push(selector.clone());
            } else {
                labels.extend(selector.get("matchLabels").cloned());
                expressions.extend(list(selector, "/matchExpressions").iter().cloned());
            }
        }
    }
    let mut all = json!({});
    for (key, value) in labels.iter().filter_map(Value::as_object).flatten() {
        object::set(&mut all, key, value.clone());
    }
    let selector = LabelSelector::of(&json!({"matchLabels": all, "matchExpressions": expressions}))?;
    Some(selector).filter(|selector| !selector.is_empty())
}
