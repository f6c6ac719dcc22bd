//! The warnings to writers of objects of the kind PodTemplate.

use json_tree::Value;

use crate::core::pod::warnings as pod;
use crate::core::workload::warnings::is_unchanged;
use field::Path;

pub(super) fn warn(template: &Value, old: Option<&Value>) -> Vec<String> {
    if is_unchanged(template, old) {
        return Vec::new();
    }
    pod::template(&template["template"], &Path::new("template"))
}
