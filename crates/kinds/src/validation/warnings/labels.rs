//! Labels of nodes that have others in their place.
//!
//! <https://kubernetes.io/docs/reference/labels-annotations-taints/>

use json_tree::Value;

use crate::validation::name;
use crate::validation::warnings::list;
use field::Path;

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
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
    ),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// Returns the deprecation warning for a label, if there is one.
pub(crate) fn deprecation(label: &str) -> Option<&'static str> {
    DEPRECATED.iter().find(|(name, _)| *name == label).map(|(_, message)| *message)
}

/// The warnings of a list of node selector terms.
pub(crate) fn terms(terms: &[Value], path: &Path) -> Vec<String> {
    terms.iter().enumerate().flat_map(|(index, one)| term(one, false, &path.index(index))).collect()
}

/// The warnings of one node selector term. The values of labels are checked where nothing refuses them.
pub(crate) fn term(term: &Value, checks_values: bool, path: &Path) -> Vec<String> {
    let path = path.child("matchExpressions");
    let mut warnings = Vec::new();
    for (index, expression) in list(term, "matchExpressions").iter().enumerate() {
        let (key, path) = (expression.text("key"), path.index(index));
        if let Some(message) = deprecation(key) {
            warnings.push(format!("{}: {key} is {message}", path.child("key")));
        }
        for (index, value) in list(expression, "values").iter().enumerate().filter(|_| checks_values) {
            let (value, path) = (value.as_str().unwrap_or_default(), path.child("values").index(index));
            let complaints = name::label_value(value).into_iter();
            warnings.extend(complaints.map(|why| format!("{path}: {value} is invalid, {why}")));
        }
    }
    warnings
}
