//! Reading objects and writes from lists and watch events, for clusters that report them in no other way.

use protocol::trace::ObjectKey;

use crate::cluster::event::{Event, EventType};
use crate::cluster::head::{self, Head, Metadata};

/// The objects that a list of `group`'s `resource` names, each with the revision of its last write.
pub(crate) fn named(list: &[u8], group: &str, resource: &str) -> Vec<(ObjectKey, u64)> {
    let items = head::list(list).and_then(|list| list.items).unwrap_or_default();
    let heads = items.into_iter().filter_map(|item| head::head(head::bytes(item)));
    heads
        .map(|Head { metadata: Metadata { namespace, name, version, .. }, .. }| {
            let (group, resource) = (group.to_owned(), resource.to_owned());
            (ObjectKey { group, resource, namespace, name }, version.parse().unwrap_or(u64::MAX))
        })
        .filter(|(known, _)| !known.name.is_empty())
        .collect()
}

/// The write that an event of a watch on `group`'s `resource` tells of.
pub(crate) fn told(event: &Event, group: &str, resource: &str) -> Option<(u64, EventType, ObjectKey)> {
    if matches!(event.kind, EventType::Bookmark | EventType::Error) {
        return None;
    }
    let object = ObjectKey {
        group: group.to_owned(),
        resource: resource.to_owned(),
        namespace: event.namespace.clone(),
        name: event.name.clone(),
    };
    Some((event.version.parse().ok()?, event.kind, object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timeline::samples::configmap;

    #[test]
    fn lists_name_what_lives() {
        let list = br#"{"items":[{"metadata":{"name":"a","namespace":"default","resourceVersion":"7"},"data":{}},{"metadata":{"name":"b","namespace":"default"}}]}"#;
        assert_eq!(
            named(list, "", "configmaps"),
            [(configmap("a"), 7), (configmap("b"), u64::MAX)],
            "what has no version is taken for new"
        );
        assert!(named(b"{}", "", "pods").is_empty() && named(b"nonsense", "", "pods").is_empty());
    }

    #[test]
    fn reads_writes_out_of_events() {
        let event = |kind: &str| {
            let text = format!(
                r#"{{"type":"{kind}","object":{{"metadata":{{"name":"a","namespace":"default","resourceVersion":"12"}}}}}}"#
            );
            Event::read(text.into_bytes(), 0.0).unwrap()
        };
        assert_eq!(told(&event("ADDED"), "", "configmaps"), Some((12, EventType::Added, configmap("a"))));
        assert_eq!(told(&event("BOOKMARK"), "", "configmaps"), None);
    }
}
