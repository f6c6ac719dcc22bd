//! The warnings to writers of objects of the kind StatefulSet.

use json_tree::Value;

use crate::core::persistent_volume_claim::warnings::claim_spec;
use crate::core::workload::warnings::{is_unchanged, workload};
use crate::validation::warnings::{integer, list};
use field::Path;

pub(super) fn warn(set: &Value, old: Option<&Value>) -> Vec<String> {
    let (spec, path) = (&set["spec"], Path::new("spec"));
    let mut warnings = workload(set, old);
    if !is_unchanged(set, old) {
        let at = path.child("volumeClaimTemplates");
        for (index, claim) in list(spec, "volumeClaimTemplates").iter().enumerate() {
            warnings.extend(claim_spec(&claim["spec"], &at.index(index).child("Spec")));
        }
    }
    if integer(spec, "revisionHistoryLimit") < 0 {
        warnings.push(format!(
            "{}: a negative value retains all historical revisions; a value >= 0 is recommended",
            path.child("revisionHistoryLimit")
        ));
    }
    warnings
}
