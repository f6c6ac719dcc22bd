//! The warnings to writers of objects of the kind RuntimeClass.

use json_tree::Value;

use crate::validation::warnings::labels;
use field::Path;

/// A class of container runtimes, and the nodes that have it.
pub(super) fn warn(class: &Value, _: Option<&Value>) -> Vec<String> {
    let path = Path::new("scheduling").child("nodeSelector");
    let selector = class["scheduling"]["nodeSelector"].as_object();
    let messages = selector.into_iter().flatten().filter_map(|(key, _)| labels::deprecation(key));
    messages.map(|message| format!("{path}: {message}")).collect()
}
