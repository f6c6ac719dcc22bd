//! Groups of the Kubernetes community are protected: an annotation says where an API in them was approved.
//!
//! See <https://kubernetes.io/docs/reference/labels-annotations-taints/#api-approved-kubernetes-io>.

use json_tree::Value;

use crate::validation::read::{at, text};
use field::{Error, Path};
use golang::url::Url;

/// The annotation that says where the API was approved.
pub const ANNOTATION: &str = "api-approved.kubernetes.io";

const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// The state of an approval, by its annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Invalid,
    Approved,
    Bypassed,
    Missing,
}

/// Validates the approval of a definition. What has not changed is never wrong.
pub(super) fn validate(object: &Value, old: Option<&Value>) -> Option<Error> {
    if !is_protected(text(at(object, "/spec"), "group")) {
        return None;
    }
    let annotation = |object| text(at(object, "/metadata/annotations"), ANNOTATION);
    let new = state(annotation(object));
    if old.is_some_and(|old| state(annotation(old)) == new) {
        return None;
    }
    let path = Path::new("metadata").child("annotations").key(ANNOTATION);
    let needed = format!("protected groups must have approval annotation \"{ANNOTATION}\"");
    match new {
        State::Approved | State::Bypassed => None,
        State::Missing => Some(Error::required(&path, format!("{needed}, {SEE}"))),
        State::Invalid => {
            let why = format!("{needed} with either a URL or a reason starting with \"unapproved\", {SEE}");
            Some(Error::invalid(&path, annotation(object), why))
        }
    }
}

/// Reports whether a group is one of the Kubernetes community.
pub fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|end| group.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('.')))
}

fn state(annotation: &str) -> State {
    if annotation.is_empty() {
        return State::Missing;
    }
    if annotation.starts_with("unapproved") {
        return State::Bypassed;
    }
    match Url::parse(annotation) {
        Ok(url) if !url.scheme.is_empty() && !url.host.is_empty() => State::Approved,
        _ => State::Invalid,
    }
}
