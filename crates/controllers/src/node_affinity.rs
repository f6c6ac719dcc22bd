//! Nodes by their labels, and taints.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity> and
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/>.

use std::collections::BTreeSet;

use json_tree::Value;

use crate::object::{self, list};

/// The labels of nodes with their hosts and zones.
/// See <https://kubernetes.io/docs/reference/labels-annotations-taints/>.
pub(crate) const HOSTNAME: &str = "kubernetes.io/hostname";
pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";

/// The terms of nodes that have to be met.
const REQUIRED: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

/// Returns the names of the only nodes that the required terms of a pod can mean, where each of the terms names some: the others need
/// no look. Empty if the names in each term exclude each other.
pub(crate) fn names(pod: &Value) -> Option<BTreeSet<&str>> {
    let terms = pod.pointer(REQUIRED).map_or(&[][..], |required| list(required, "/nodeSelectorTerms"));
    let mut names = BTreeSet::new();
    for term in terms {
        let fields = list(term, "/matchFields").iter();
        let mut named = fields
            .filter(|field| field.text("key") == "metadata.name" && field.text("operator") == "In")
            .map(|field| list(field, "/values").iter().map(Value::as_text).collect::<BTreeSet<_>>());
        let first = named.next()?;
        names.extend(named.fold(first, |own, others| &own & &others));
    }
    Some(names).filter(|_| !terms.is_empty())
}

/// Returns a label of a node.
fn label<'a>(node: &'a Value, key: &str) -> Option<&'a str> {
    object::meta(node, "labels").get(key).and_then(Value::as_str)
}

/// Reports whether a node is one that a pod's selector and its required terms mean.
pub(crate) fn is_selected(pod: &Value, node: &Value) -> bool {
    let labels = pod.pointer("/spec/nodeSelector").and_then(Value::as_object);
    if !labels.into_iter().flatten().all(|(key, value)| label(node, key) == value.as_str()) {
        return false;
    }
    let Some(required) = pod.pointer(REQUIRED).filter(|required| !required.is_null()) else { return true };
    list(required, "/nodeSelectorTerms").iter().any(|term| matches_term(term, node))
}

/// Returns the sum of the weights of the preferred terms that mean a node.
pub(crate) fn preference(pod: &Value, node: &Value) -> i64 {
    let preferred = "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
    let terms = list(pod, preferred).iter();
    let is_met = |item: &&Value| item.get("preference").is_some_and(|term| matches_term(term, node));
    terms.filter(is_met).map(|item| object::int(item, "/weight")).sum()
}

/// Reports whether one of some terms means a node.
pub(crate) fn matches_any(terms: &[Value], node: &Value) -> bool {
    terms.iter().any(|term| matches_term(term, node))
}

/// Reports whether a term means a node. An empty one means none.
fn matches_term(term: &Value, node: &Value) -> bool {
    let (expressions, fields) = (list(term, "/matchExpressions"), list(term, "/matchFields"));
    let name = |key: &str| Some(object::name(node)).filter(|_| key == "metadata.name");
    !(expressions.is_empty() && fields.is_empty())
        && expressions.iter().all(|expression| is_met(expression, label(node, expression.text("key"))))
        && fields.iter().all(|expression| is_met(expression, name(expression.text("key"))))
}

/// Reports whether a value, or none, meets an expression.
fn is_met(expression: &Value, value: Option<&str>) -> bool {
    let values = list(expression, "/values");
    let is_listed = || value.is_some_and(|value| values.iter().any(|one| one.as_text() == value));
    let compares = |holds: fn(i64, i64) -> bool| {
        let limit = values.first().and_then(|limit| limit.as_text().parse().ok());
        value
            .and_then(|value| value.parse().ok())
            .zip(limit)
            .is_some_and(|(value, limit)| holds(value, limit))
    };
    match expression.text("operator") {
        "In" => is_listed(),
        "NotIn" => !is_listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => compares(|value, limit| value > limit),
        "Lt" => compares(|value, limit| value < limit),
        _ => false,
    }
}

/// Returns the taints of a node with some effects that a pod does not tolerate. For the effect `PreferNoSchedule`, tolerations of
/// other effects do not count.
pub(crate) fn untolerated<'a>(
    pod: &'a Value,
    node: &'a Value,
    effects: &'static [&'static str],
) -> impl Iterator<Item = &'a Value> {
    let taints = list(node, "/spec/taints").iter();
    let tolerations = list(pod, "/spec/tolerations");
    taints
        .filter(move |taint| effects.contains(&taint.text("effect")))
        .filter(move |taint| !tolerations.iter().any(|toleration| tolerates(toleration, taint)))
}

/// Reports whether a pod tolerates a taint.
pub(crate) fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let same_or_empty =
        |field| toleration.text(field).is_empty() || toleration.text(field) == taint.text(field);
    same_or_empty("effect")
        && same_or_empty("key")
        && match toleration.text("operator") {
            "Exists" => true,
            "" | "Equal" => toleration.text("value") == taint.text("value"),
            _ => false,
        }
}
