//! Nodes with the pods on them, as the scheduler remembers them.

use std::collections::BTreeMap;
use std::sync::Arc;

use json_tree::Value;

use super::amounts::{Amounts, requests};
use super::terms::Terms;
use crate::object::{self, list};
use crate::pod;
use crate::store::Shared;

/// A port of a node that a pod takes: address, protocol and number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostPort {
    address: String,
    protocol: String,
    number: i64,
}

impl HostPort {
    /// Reports whether both cannot be taken at once.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        const ANY: &str = "0.0.0.0";
        let same_address = self.address == other.address || self.address == ANY || other.address == ANY;
        same_address && self.protocol == other.protocol && self.number == other.number
    }

    fn all(pod: &Value) -> Vec<Self> {
        let or = |text: &str, default: &str| if text.is_empty() { default } else { text }.to_owned();
        let ports = pod::containers(pod).flat_map(|container| list(container, "/ports"));
        let host_ports = ports.map(|port| Self {
            address: or(port.text("hostIP"), "0.0.0.0"),
            protocol: or(port.text("protocol"), "TCP"),
            number: object::int(port, "/hostPort"),
        });
        host_ports.filter(|port| port.number > 0).collect()
    }
}

/// A pod, and what is read of it once.
pub(super) struct PodInfo {
    pub(super) pod: Shared,
    pub(super) key: String,
    pub(super) priority: i64,
    pub(super) requests: Amounts,
    /// The requests that count for scores: for these, no container requests nothing.
    pub(super) scored: Amounts,
    pub(super) ports: Vec<HostPort>,
    pub(super) affinity: Terms,
    pub(super) anti_affinity: Terms,
}

impl PodInfo {
    /// Reads a pod.
    pub(super) fn new(pod: &Shared) -> Self {
        Self {
            key: object::key(pod),
            priority: pod::priority(pod),
            requests: requests(pod, false),
            scored: requests(pod, true),
            ports: HostPort::all(pod),
            affinity: Terms::of(pod, "podAffinity"),
            anti_affinity: Terms::of(pod, "podAntiAffinity"),
            pod: Arc::clone(pod),
        }
    }

    /// Returns the namespace.
    pub(super) fn namespace(&self) -> &str {
        object::namespace(&self.pod)
    }

    /// Reports whether it has terms of affinity to other pods, or against them.
    fn has_affinity(&self) -> bool {
        !self.affinity.is_empty() || !self.anti_affinity.is_empty()
    }
}

/// A node, and the pods on it.
#[derive(Clone, Default)]
pub(super) struct NodeInfo {
    pub(super) name: String,
    /// The node; `null` if it is not known, and pods name it all the same.
    pub(super) node: Shared,
    pub(super) allocatable: Amounts,
    pub(super) requested: Amounts,
    pub(super) scored: Amounts,
    pub(super) pods: BTreeMap<String, Arc<PodInfo>>,
    /// The number of pods with terms of affinity, whichever.
    pub(super) with_affinity: usize,
    /// The number of pods with terms against others that have to be met.
    pub(super) with_required_anti_affinity: usize,
}

impl NodeInfo {
    fn set(&mut self, node: &Shared) {
        self.allocatable = Amounts::of(node.pointer("/status/allocatable"));
        self.node = Arc::clone(node);
    }

    /// Returns a label of the node.
    pub(super) fn label(&self, key: &str) -> Option<&str> {
        object::meta(&self.node, "labels").get(key).and_then(Value::as_str)
    }

    /// Adds a pod.
    pub(super) fn add(&mut self, pod: Arc<PodInfo>) {
        self.requested.add(&pod.requests);
        self.scored.add(&pod.scored);
        self.with_affinity += usize::from(pod.has_affinity());
        self.with_required_anti_affinity += usize::from(!pod.anti_affinity.required.is_empty());
        self.pods.insert(pod.key.clone(), pod);
    }

    /// Removes a pod.
    pub(super) fn remove(&mut self, key: &str) -> Option<Arc<PodInfo>> {
        let pod = self.pods.remove(key)?;
        self.requested.subtract(&pod.requests);
        self.scored.subtract(&pod.scored);
        self.with_affinity -= usize::from(pod.has_affinity());
        self.with_required_anti_affinity -= usize::from(!pod.anti_affinity.required.is_empty());
        Some(pod)
    }
}

/// All nodes, with the pods that are on them or are assumed to be, and the pods that are nominated to run on one.
#[derive(Default)]
pub(super) struct Cache {
    nodes: BTreeMap<String, NodeInfo>,
    /// The nodes of pods, by their keys.
    places: BTreeMap<String, String>,
    /// The pods that others make room for, by their keys, and on which nodes.
    nominated: BTreeMap<String, (String, Arc<PodInfo>)>,
}

impl Cache {
    /// Returns the known nodes, by their names.
    pub(super) fn nodes(&self) -> Vec<&NodeInfo> {
        self.nodes.values().filter(|info| !info.node.is_null()).collect()
    }

    /// Puts a node.
    pub(super) fn put_node(&mut self, node: &Shared) {
        self.node_mut(object::name(node)).set(node);
    }

    /// Removes a node. The pods on it are remembered.
    pub(super) fn remove_node(&mut self, name: &str) {
        self.node_mut(name).set(&Shared::default());
        self.tidy(name);
    }

    /// Puts a pod on a node, and reports whether there is room now that a pod with its key took before.
    pub(super) fn put_pod(&mut self, pod: &Shared, node: &str) -> bool {
        let info = Arc::new(PodInfo::new(pod));
        let before = self.take_pod(&info.key);
        let makes_room = before.is_some_and(|(place, own)| {
            place != node || object::uid(&own.pod) != object::uid(pod) || own.requests.exceeds(&info.requests)
        });
        self.places.insert(info.key.clone(), node.to_owned());
        self.node_mut(node).add(info);
        makes_room
    }

    /// Removes a pod, and reports whether it was on a node.
    pub(super) fn remove_pod(&mut self, key: &str) -> bool {
        self.take_pod(key).is_some()
    }

    fn take_pod(&mut self, key: &str) -> Option<(String, Arc<PodInfo>)> {
        self.nominated.remove(key);
        let place = self.places.remove(key)?;
        let pod = self.node_mut(&place).remove(key);
        self.tidy(&place);
        Some((place, pod?))
    }

    /// Reports whether a pod is on a node, or is assumed to be.
    pub(super) fn has_pod(&self, pod: &Value) -> bool {
        let key = object::key(pod);
        let place = self.places.get(&key).and_then(|place| self.nodes.get(place));
        place.is_some_and(|info| {
            info.pods.get(&key).is_some_and(|own| object::uid(&own.pod) == object::uid(pod))
        })
    }

    /// Notes on which node others make room for a pod; on none, if the name is empty.
    pub(super) fn nominate(&mut self, pod: &Shared, node: &str) {
        if node.is_empty() {
            self.nominated.remove(&object::key(pod));
        } else {
            let info = Arc::new(PodInfo::new(pod));
            self.nominated.insert(info.key.clone(), (node.to_owned(), info));
        }
    }

    /// Returns the pods for which others make room on a node.
    pub(super) fn nominated_on<'a>(&'a self, node: &'a str) -> impl Iterator<Item = &'a Arc<PodInfo>> {
        self.nominated.values().filter(move |(own, _)| own == node).map(|(_, pod)| pod)
    }

    fn node_mut(&mut self, name: &str) -> &mut NodeInfo {
        let new = || NodeInfo { name: name.to_owned(), ..NodeInfo::default() };
        self.nodes.entry(name.to_owned()).or_insert_with(new)
    }

    /// Forgets a node that is not there, and that nobody names.
    fn tidy(&mut self, name: &str) {
        if self.nodes.get(name).is_some_and(|info| info.node.is_null() && info.pods.is_empty()) {
            self.nodes.remove(name);
        }
    }
}

/// Orders pods by which is less to be given up: the higher priority first, then the longer run.
pub(super) fn by_importance(a: &PodInfo, b: &PodInfo) -> std::cmp::Ordering {
    b.priority.cmp(&a.priority).then_with(|| pod::start(&a.pod).cmp(&pod::start(&b.pod)))
}
