//! Paths of collections and objects, and what they are about.

use std::sync::Arc;

use apimachinery::target;
use leptos::prelude::*;
use protocol::trace::ObjectKey;

use crate::cluster::place::Place;
use crate::model::explore::served::Kind;
use crate::state::Page;
use crate::ui::memo::Memo;

/// Returns the kind that a path is about, once it is known.
pub(super) fn kind_of(page: Page, path: &str) -> Memo<Option<Arc<Kind>>> {
    let path = path.to_owned();
    Memo::new(move |_| find(page, Place::of(&path)?))
}

pub(super) fn find(page: Page, place: Place<'_>) -> Option<Arc<Kind>> {
    let is = |kind: &&Arc<Kind>| {
        kind.resource == place.resource && kind.path("").starts_with(&[place.root, "/"].concat())
    };
    page.explore.kinds.with(|kinds| kinds.iter().find(is).cloned())
}

/// Returns whether a write concerns what is at a path.
pub(super) fn concerns(path: &str) -> impl Fn(&ObjectKey) -> bool + Send + Sync + use<> {
    let place = Place::of(path).unwrap_or_default();
    let name = target::decoded(place.name);
    let [group, resource, namespace] = [place.group(), place.resource, place.namespace].map(str::to_owned);
    move |key| {
        let in_namespace = namespace.is_empty() || namespace == key.namespace;
        let same = resource == key.resource && group == key.group;
        same && in_namespace && (name.is_empty() || name == key.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_concerns_its_collection_and_its_object() {
        let key = |resource: &str, namespace: &str, name: &str| ObjectKey {
            group: String::new(),
            resource: resource.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        for (path, key, expected) in [
            ("/api/v1/pods", key("pods", "a", "x"), true),
            ("/api/v1/namespaces/a/pods", key("pods", "a", "x"), true),
            ("/api/v1/namespaces/b/pods", key("pods", "a", "x"), false),
            ("/api/v1/namespaces/a/pods/x", key("pods", "a", "x"), true),
            ("/api/v1/namespaces/a/pods/y", key("pods", "a", "x"), false),
            ("/api/v1/pods", key("nodes", "", "x"), false),
            ("/apis/apps/v1/pods", key("pods", "a", "x"), false),
        ] {
            assert_eq!(concerns(path)(&key), expected, "{path}");
        }
    }
}
