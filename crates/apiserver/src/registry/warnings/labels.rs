//! Labels of nodes that have others in their place.
//!
//! <https://kubernetes.io/docs/reference/labels-annotations-taints/>

use serde_json::Value;

use super::{list, text};
use crate::field::Path;

const DEPRECATED: &[(&str, &str)] = &[
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// What to say of a label, if there is anything.
pub(super) fn deprecation(label: &str) -> Option<&'static str> {
    DEPRECATED.iter().find(|(name, _)| *name == label).map(|(_, message)| *message)
}

/// The warnings of a list of node selector terms.
pub(super) fn terms(terms: &[Value], path: &Path) -> Vec<String> {
    terms.iter().enumerate().flat_map(|(index, one)| term(one, &path.index(index))).collect()
}

/// The warnings of one node selector term.
pub(super) fn term(term: &Value, path: &Path) -> Vec<String> {
    let path = path.child("matchExpressions");
    let keys = list(term, "matchExpressions").iter().map(|expression| text(expression, "key")).enumerate();
    keys.filter_map(|(index, key)| {
        deprecation(key).map(|message| format!("{}: {key} is {message}", path.index(index).child("key")))
    })
    .collect()
}
