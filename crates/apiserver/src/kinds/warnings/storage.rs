//! Claims, volumes, storage classes, and other things that say which nodes they are of.

use json_tree::Value;

use super::labels;
use crate::kinds::warnings::{annotation, annotations, fractional, list};
use field::Path;

const STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Sources of volumes that are on their way out, or gone: field, and what to say of it.
pub(crate) const SOURCES: &[(&str, &str)] = &[
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

pub(crate) fn claim(claim: &Value, _: Option<&Value>) -> Vec<String> {
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

pub(crate) fn volume(volume: &Value, _: Option<&Value>) -> Vec<String> {
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

/// The warnings of a volume's sources.
pub(crate) fn sources(holder: &Value, path: &Path) -> Vec<String> {
    let used = SOURCES.iter().filter(|(field, _)| holder.get(field).is_some_and(|source| !source.is_null()));
    used.map(|(field, message)| format!("{}: {message}", path.child(field))).collect()
}

pub(crate) fn class(class: &Value, _: Option<&Value>) -> Vec<String> {
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

/// A driver that is given tokens where they may be logged, if there is something new about them.
pub(crate) fn driver(driver: &Value, old: Option<&Value>) -> Vec<String> {
    let spec = &driver["spec"];
    let told = spec.get("serviceAccountTokenInSecrets").is_some_and(|told| !told.is_null());
    let kept = old.is_some_and(|old| list(&old["spec"], "tokenRequests") == list(spec, "tokenRequests"));
    if told || kept || list(spec, "tokenRequests").is_empty() {
        return Vec::new();
    }
    let warning = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent \
                   possible logging of tokens in volume attributes";
    vec![warning.to_owned()]
}

/// A report of how much storage there is, and where.
pub(crate) fn capacity(capacity: &Value, _: Option<&Value>) -> Vec<String> {
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

/// A class of container runtimes, and the nodes that have it.
pub(crate) fn runtime_class(class: &Value, _: Option<&Value>) -> Vec<String> {
    let path = Path::new("scheduling").child("nodeSelector");
    let selector = class["scheduling"]["nodeSelector"].as_object();
    let messages = selector.into_iter().flatten().filter_map(|(key, _)| labels::deprecation(key));
    messages.map(|message| format!("{path}: {message}")).collect()
}

fn beta_class(object: &Value) -> Option<String> {
    annotation(object, STORAGE_CLASS).map(|_| {
        format!(
            "{}: deprecated since v1.8; use \"storageClassName\" attribute instead",
            annotations(&Path::default()).key(STORAGE_CLASS)
        )
    })
}
