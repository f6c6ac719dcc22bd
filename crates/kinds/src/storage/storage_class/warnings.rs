//! The warnings to writers of objects of the kind StorageClass.

use json_tree::Value;

use crate::validation::warnings::{labels, list};
use field::Path;

pub(super) fn warn(class: &Value, _: Option<&Value>) -> Vec<String> {
    let path = Path::new("allowedTopologies");
    let mut warnings = Vec::new();
    for (index, topology) in list(class, "allowedTopologies").iter().enumerate() {
        let at = path.index(index).child("matchLabelExpressions");
        for (index, expression) in list(topology, "matchLabelExpressions").iter().enumerate() {
            let key = expression.text("key");
            if let Some(message) = labels::deprecation(key) {
                warnings.push(format!("{}: {message}", at.index(index).child("key")));
            }
        }
    }
    warnings
}
