//! The warnings to writers of objects of the kind PodTemplate.

use crate::kinds::core::pod::warnings as pod;
use crate::kinds::core::workload::warnings::is_unchanged;
use field::Path;
use json_tree::Value;

pub(crate) fn pod_template(template: &Value, old: Option<&Value>) -> Vec<String> {
    if is_unchanged(template, old) {
        return Vec::new();
    }
    pod::template(&template["template"], &Path::new("template"))
}
