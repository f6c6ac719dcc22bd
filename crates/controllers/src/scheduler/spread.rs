//! Constraints that spread pods over topology domains.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/>.

use std::collections::BTreeMap;

use apimachinery::selector::LabelSelector;
use json_tree::{Value, json};

use super::node_info::{NodeInfo, PodInfo};
use crate::node_affinity::{HOSTNAME, ZONE};
use crate::node_affinity::{is_selected, untolerated};
use crate::object::{self, list};
use crate::resource::{REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS};
use crate::store::Stores;

/// The constraints of a pod that has none, by the labels of nodes and by how much the numbers may differ: they are only preferred.
const DEFAULTS: [(&str, i64); 2] = [(HOSTNAME, 3), (ZONE, 5)];

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
    /// The smallest of them; 0 if there are too few domains.
    least: i64,
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
            least: 0,
        }
    }

    /// Reports whether pods on a node count.
    fn includes(&self, pod: &Value, node: &NodeInfo) -> bool {
        (!self.honors_affinity || is_selected(pod, &node.node))
            && (!self.honors_taints
                || untolerated(pod, &node.node, &["NoSchedule", "NoExecute"]).next().is_none())
    }

    fn selects(&self, pod: &Value) -> bool {
        self.selector.as_ref().is_some_and(|selector| object::selects(selector, pod))
    }

    /// Reports whether a pod that is on a node counts: with an empty selector none does, though it selects the pod itself.
    fn counts(&self, namespace: &str, other: &PodInfo) -> bool {
        let selector = self.selector.as_ref().filter(|selector| !selector.is_empty());
        other.namespace() == namespace
            && !object::is_being_deleted(&other.pod)
            && selector.is_some_and(|selector| object::selects(selector, &other.pod))
    }

    /// Returns the number of the pods on a node that count.
    fn count(&self, namespace: &str, node: &NodeInfo) -> i64 {
        node.pods.values().filter(|other| self.counts(namespace, other)).count() as i64
    }

    /// Adds a number to the domain of a node.
    fn add(&mut self, node: &NodeInfo, number: i64) {
        if let Some(value) = node.label(&self.topology_key) {
            *self.counts.entry(value.to_owned()).or_default() += number;
        }
    }

    fn find_least(&mut self) {
        let has_enough = self.counts.len() >= self.min_domains;
        self.least = self.counts.values().min().copied().filter(|_| has_enough).unwrap_or_default();
    }

    /// Reports whether the numbers would differ too much with a pod more in a domain.
    pub(super) fn would_skew(&self, value: &str, pod: &Value) -> bool {
        let own = self.counts.get(value).copied().unwrap_or_default() + i64::from(self.selects(pod));
        own - self.least > self.max_skew
    }
}

impl Spread {
    /// Reads the constraints that have to be met, and counts.
    pub(super) fn required(pod: &Value, nodes: &[&NodeInfo]) -> Self {
        let mut spread = Self { constraints: constraints(pod, "DoNotSchedule"), is_default: false };
        spread.fill(pod, nodes);
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
        spread.fill(pod, nodes);
        spread
    }

    /// Reports whether a node has all the labels that it needs: none for the constraints of pods that have none.
    fn has_labels(&self, node: &NodeInfo) -> bool {
        self.is_default || self.constraints.iter().all(|one| node.label(&one.topology_key).is_some())
    }

    /// Counts pods on nodes.
    fn fill(&mut self, pod: &Value, nodes: &[&NodeInfo]) {
        let namespace = object::namespace(pod);
        for node in nodes {
            if self.has_labels(node) {
                for constraint in self.constraints.iter_mut().filter(|one| one.includes(pod, node)) {
                    constraint.add(node, constraint.count(namespace, node));
                }
            }
        }
        self.constraints.iter_mut().for_each(Constraint::find_least);
    }

    /// Adds a number to those of a pod on a node: -1 if it leaves.
    pub(super) fn add(&mut self, pod: &Value, other: &PodInfo, node: &NodeInfo, number: i64) {
        if !self.has_labels(node) {
            return;
        }
        let namespace = object::namespace(pod);
        let counted = self.constraints.iter_mut().filter(|one| one.counts(namespace, other));
        for constraint in counted.filter(|one| one.includes(pod, node)) {
            constraint.add(node, number);
            constraint.find_least();
        }
    }

    /// Returns the scores of nodes, from 0 to 100: the fewer pods are in their domains, the higher.
    pub(super) fn scores(&self, pod: &Value, nodes: &[&NodeInfo]) -> Vec<i64> {
        if self.constraints.is_empty() {
            return vec![0; nodes.len()];
        }
        let weights: Vec<f64> =
            self.constraints.iter().map(|constraint| self.weight(constraint, nodes)).collect();
        let raw: Vec<Option<i64>> = nodes
            .iter()
            .map(|node| self.has_labels(node).then(|| self.raw_score(pod, node, &weights)))
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

    /// Returns the weight of a constraint: the more domains there are, the more each pod counts. Nodes without the label are one
    /// domain, where they need none.
    fn weight(&self, constraint: &Constraint, nodes: &[&NodeInfo]) -> f64 {
        let counted = nodes.iter().filter(|node| self.has_labels(node));
        let domains = if constraint.topology_key == HOSTNAME {
            counted.count()
        } else {
            let values = counted.map(|node| node.label(&constraint.topology_key).unwrap_or_default());
            values.collect::<std::collections::BTreeSet<_>>().len()
        };
        (domains as f64 + 2.0).ln()
    }
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
        let resource = kinds.iter().find(|resource| {
            resource.kind == owner.text("kind") && resource.api_version() == owner.text("apiVersion")
        });
        let manager = resource.and_then(|resource| stores.of(resource).get(&key));
        if let Some(selector) = manager.and_then(|manager| manager.pointer("/spec/selector")) {
            if owner.text("kind") == REPLICATION_CONTROLLERS.kind {
                labels.push(selector.clone());
            } else {
                // They are to be met beside those of services, even if no pod can.
                let own = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
                let met = |(key, value): (&String, &Value)| json!({"key": key.as_str(), "operator": "In", "values": [value.clone()]});
                expressions.extend(own.map(met));
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
