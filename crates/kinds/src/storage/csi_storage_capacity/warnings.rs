//! The warnings to writers of objects of the kind CSIStorageCapacity.

use json_tree::Value;

use crate::validation::warnings::{labels, list};
use field::Path;

/// A report of how much storage there is, and where.
pub(super) fn warn(capacity: &Value, _: Option<&Value>) -> Vec<String> {
    let (topology, path) = (&capacity["nodeTopology"], Path::new("nodeTopology"));
    let mut warnings = Vec::new();
    for (index, expression) in list(topology, "matchExpressions").iter().enumerate() {
        let key = expression.text("key");
        if let Some(message) = labels::deprecation(key) {
            let at = path.child("matchExpressions").index(index).child("key");
            warnings.push(format!("{at}: {key} is {message}"));
        }
    }
    for key in topology["matchLabels"].as_object().into_iter().flatten().map(|(key, _)| key) {
        if let Some(message) = labels::deprecation(key) {
            warnings.push(format!("{}: {message}", path.child("matchLabels").named(key)));
        }
    }
    warnings
}
