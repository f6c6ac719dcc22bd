//! The pods of a DaemonSet: what is added to its template, and on which nodes they may run.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled>.

use golang::strconv::parse_int;
use json_tree::{Value, json};

use crate::node_affinity::{is_selected, untolerated};
use crate::object::{self, list};
use crate::revision::HASH_LABEL;

pub(super) const GENERATION_LABEL: &str = "pod-template-generation";
const GENERATION: &str = "deprecated.daemonset.template.generation";

/// The taints that each pod tolerates, and the one that those in the network of the node do, too.
const TOLERATED: [(&str, &str); 7] = [
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
    ("network-unavailable", "NoSchedule"),
];

/// The pod that a DaemonSet would make, as far as nodes ask for it.
pub(super) struct Fit(Value);

impl Fit {
    /// Makes the pod.
    pub(super) fn new(owner: &Value) -> Self {
        Self(json!({"spec": spec(owner)}))
    }

    /// Reports whether the pod may start on a node, and whether one that is there may stay.
    pub(super) fn on(&self, node: &Value) -> (bool, bool) {
        let named = self.0.text_at("/spec/nodeName");
        if !named.is_empty() && named != object::name(node) || !is_selected(&self.0, node) {
            return (false, false);
        }
        let tolerates = |effects| untolerated(&self.0, node, effects).next().is_none();
        (tolerates(&["NoExecute", "NoSchedule"]), tolerates(&["NoExecute"]))
    }
}

/// Returns the specification of pods.
fn spec(owner: &Value) -> Value {
    let mut spec = owner.pointer("/spec/template/spec").cloned().unwrap_or_else(|| json!({}));
    let mut tolerations = list(&spec, "/tolerations").to_vec();
    let count = if spec.get("hostNetwork") == Some(&Value::Bool(true)) { 7 } else { 6 };
    for (key, effect) in &TOLERATED[..count] {
        let key = ["node.kubernetes.io/", key].concat();
        let toleration = json!({"key": key, "operator": "Exists", "effect": *effect});
        let is_same = |own: &Value| {
            ["key", "operator", "effect", "value"]
                .iter()
                .all(|field| own.text(field) == toleration.text(field))
        };
        let mut is_there = false;
        for own in tolerations.iter_mut().filter(|own| is_same(own)) {
            own.clone_from(&toleration);
            is_there = true;
        }
        if !is_there {
            tolerations.push(toleration);
        }
    }
    object::set(&mut spec, "tolerations", Value::Array(tolerations));
    spec
}

/// Returns the template of pods of a revision.
pub(super) fn template(owner: &Value, generation: Option<&str>, hash: &str) -> Value {
    let mut metadata = owner.pointer("/spec/template/metadata").cloned().unwrap_or_else(|| json!({}));
    let labels = object::child(&mut metadata, "labels");
    if let Some(generation) = generation {
        object::set(labels, GENERATION_LABEL, generation.into());
    }
    if !hash.is_empty() {
        object::set(labels, HASH_LABEL, hash.into());
    }
    json!({"metadata": metadata, "spec": spec(owner)})
}

/// Binds a pod to a node by its affinity: the scheduler does the rest.
pub(super) fn aim(pod: &mut Value, node: &str) {
    let field = json!({"key": "metadata.name", "operator": "In", "values": [node]});
    let required = json!({"nodeSelectorTerms": [{"matchFields": [field]}]});
    let affinity = object::child(object::child(pod, "spec"), "affinity");
    let name = "requiredDuringSchedulingIgnoredDuringExecution";
    object::set(object::child(affinity, "nodeAffinity"), name, required);
}

/// Returns the name of the node that a pod is on, or is to be on.
pub(super) fn target(pod: &Value) -> Option<&str> {
    let node = pod.text_at("/spec/nodeName");
    if !node.is_empty() {
        return Some(node);
    }
    let terms =
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    let mut fields = list(pod, terms).iter().flat_map(|term| list(term, "/matchFields"));
    let field = fields.find(|one| one.text("key") == "metadata.name" && one.text("operator") == "In")?;
    match list(field, "/values") {
        [only] => only.as_str(),
        _ => None,
    }
}

/// Returns the generation of the template, as an annotation tells it.
pub(super) fn generation(owner: &Value) -> Option<String> {
    let generation: i64 = parse_int(object::annotation(owner, GENERATION)?).ok()?;
    Some(generation.to_string())
}
