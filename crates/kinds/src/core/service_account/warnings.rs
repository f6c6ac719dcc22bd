//! The warnings to writers of objects of the kind ServiceAccount.

use json_tree::Value;

use crate::validation::warnings::{annotation, annotations};
use field::Path;

const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

pub(super) fn warn(account: &Value, old: Option<&Value>) -> Vec<String> {
    let annotated = |account: &Value| annotation(account, MOUNTABLE_SECRETS).is_some();
    if !annotated(account) || old.is_some_and(annotated) {
        return Vec::new();
    }
    vec![format!(
        "{}: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
        annotations(&Path::default()).key(MOUNTABLE_SECRETS)
    )]
}
