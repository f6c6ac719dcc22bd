//! The warnings to writers of objects of the kind PersistentVolume.

use apimachinery::storage_class::OLD_CLASS;
use json_tree::Value;

use crate::core::volume_source::warnings::sources;
use crate::validation::warnings::{annotation, annotations, labels, list};
use field::Path;

pub(crate) fn warn(volume: &Value, _: Option<&Value>) -> Vec<String> {
    let (spec, path) = (&volume["spec"], Path::new("spec"));
    let mut warnings: Vec<String> = beta_class(volume).into_iter().collect();
    let terms = list(&spec["nodeAffinity"]["required"], "nodeSelectorTerms");
    let at = path.child("nodeAffinity").child("required").child("nodeSelectorTerms");
    warnings.extend(labels::terms(terms, &at));
    if spec.text("persistentVolumeReclaimPolicy") == "Recycle" {
        warnings.push(format!(
            "{}: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic \
             provisioning.",
            path.child("persistentVolumeReclaimPolicy")
        ));
    }
    warnings.extend(sources(spec, &path));
    warnings
}

pub(crate) fn beta_class(object: &Value) -> Option<String> {
    annotation(object, OLD_CLASS).map(|_| {
        format!(
            "{}: deprecated since v1.8; use \"storageClassName\" attribute instead",
            annotations(&Path::default()).key(OLD_CLASS)
        )
    })
}
