//! The warnings to writers of objects that several kinds share.

use json_tree::Value;

use crate::core::pod::warnings as pod;
use crate::validation::name;
use field::Path;

pub(crate) fn is_unchanged(object: &Value, old: Option<&Value>) -> bool {
    old.is_some_and(|old| object["metadata"]["generation"] == old["metadata"]["generation"])
}

/// A workload without a say in the hostnames of its pods.
pub(crate) fn workload(object: &Value, old: Option<&Value>) -> Vec<String> {
    if is_unchanged(object, old) {
        return Vec::new();
    }
    pod::template(&object["spec"]["template"], &Path::new("spec").child("template"))
}

pub(crate) fn named_workload(object: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = new_name(object, old);
    warnings.extend(workload(object, old));
    warnings
}

/// Names do not change, so that they are looked at once.
pub(crate) fn new_name(object: &Value, old: Option<&Value>) -> Vec<String> {
    if old.is_some() { Vec::new() } else { pod_names(object).into_iter().collect() }
}

/// Returns the warning of a name that is no label: a name that pods get theirs from should be a label.
fn pod_names(object: &Value) -> Option<String> {
    let errors = name::label(object["metadata"].text("name"));
    (!errors.is_empty()).then(|| {
        format!(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS \
             label is recommended: [{}]",
            errors.join(" ")
        )
    })
}
