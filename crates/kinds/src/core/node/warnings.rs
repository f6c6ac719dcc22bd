//! The warnings to writers of objects of the kind Node.

use json_tree::Value;

use crate::validation::warnings::addresses::{of_cidr, of_each};
use crate::validation::warnings::list;
use field::Path;

pub(super) fn warn(node: &Value, _: Option<&Value>) -> Vec<String> {
    let (spec, path) = (&node["spec"], Path::new("spec"));
    let mut warnings = Vec::new();
    if spec.get("configSource").is_some_and(|source| !source.is_null()) {
        warnings.push("spec.configSource: the feature is removed".to_owned());
    }
    if !spec.text("externalID").is_empty() {
        let warning = "spec.externalID: this field is deprecated, and is unused by Kubernetes";
        warnings.push(warning.to_owned());
    }
    warnings.extend(of_each(list(spec, "podCIDRs"), &path.child("podCIDRs"), of_cidr));
    warnings
}
