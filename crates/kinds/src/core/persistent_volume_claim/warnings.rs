//! The warnings to writers of objects of the kind PersistentVolumeClaim.

use json_tree::Value;

use crate::core::persistent_volume::warnings::beta_class;
use crate::validation::warnings::fractional;
use field::Path;

pub(crate) fn warn(claim: &Value, _: Option<&Value>) -> Vec<String> {
    let mut warnings: Vec<String> = beta_class(claim).into_iter().collect();
    warnings.extend(claim_spec(&claim["spec"], &Path::new("spec")));
    warnings
}

/// The warnings of a claim's spec, wherever it is.
pub(crate) fn claim_spec(spec: &Value, path: &Path) -> Vec<String> {
    let path = path.child("resources");
    ["requests", "limits"]
        .into_iter()
        .filter_map(|kind| fractional(&spec["resources"][kind], "storage", &path.child(kind)))
        .collect()
}
