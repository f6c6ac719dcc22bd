//! The warnings to writers of sources of volumes.

use json_tree::Value;

use field::Path;

/// Sources of volumes that are on their way out, or gone: field, and what to say of it.
const SOURCES: &[(&str, &str)] = &[
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

/// The warnings of a volume's sources.
pub(crate) fn sources(holder: &Value, path: &Path) -> Vec<String> {
    let used = SOURCES.iter().filter(|(field, _)| holder.get(field).is_some_and(|source| !source.is_null()));
    used.map(|(field, message)| format!("{}: {message}", path.child(field))).collect()
}
