//! The writes of a cluster, from its store's log or from what its watches tell.

use std::collections::{BTreeMap, VecDeque};

use crate::cluster::head::{self, Head, Metadata};
use crate::request::complete::Known;
use crate::watches::model::{Event, EventType};

/// How many writes are kept.
pub(crate) const KEPT: usize = 2000;

/// How many objects are known by name.
const OBJECTS: usize = 5000;

/// A write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    /// The revision that it made.
    pub(crate) revision: u64,
    /// What it did: [`EventType::Added`], [`EventType::Modified`] or [`EventType::Deleted`].
    pub(crate) change: EventType,
    /// Whose it is.
    pub(crate) object: Known,
}

impl Write {
    /// `configmaps/settings`, with the namespace before it where it is not `default`.
    pub(crate) fn label(&self) -> String {
        label(&self.object)
    }
}

/// `configmaps/settings`, with the namespace before it where it is not `default`.
pub(crate) fn label(object: &Known) -> String {
    let Known { resource, namespace, name, .. } = object;
    match namespace.as_str() {
        "" | "default" => format!("{resource}/{name}"),
        _ => format!("{namespace}/{resource}/{name}"),
    }
}

/// The newest writes of a cluster, in the order of their revisions.
#[derive(Debug, Default)]
pub(crate) struct Log {
    writes: VecDeque<Write>,
    /// The objects that have been heard of, and whether they exist.
    objects: BTreeMap<Known, bool>,
}

impl Log {
    /// The newest revision in it.
    pub(crate) fn head(&self) -> u64 {
        self.writes.back().map_or(0, |write| write.revision)
    }

    /// Takes a write. One that is known already changes nothing, and one that comes late finds its place.
    pub(crate) fn push(&mut self, write: Write) {
        let at = self.writes.partition_point(|known| known.revision < write.revision);
        if self.writes.get(at).is_some_and(|known| known.revision == write.revision) {
            return;
        }
        if at == self.writes.len() {
            self.heard(write.object.clone(), write.change != EventType::Deleted);
        }
        self.writes.insert(at, write);
        if self.writes.len() > KEPT {
            self.writes.pop_front();
        }
    }

    /// The writes, oldest first.
    pub(crate) fn writes(&self) -> impl DoubleEndedIterator<Item = &Write> + ExactSizeIterator {
        self.writes.iter()
    }

    /// Takes note of the objects that a list has just named.
    pub(crate) fn listed(&mut self, objects: Vec<Known>) {
        for object in objects {
            self.heard(object, true);
        }
    }

    /// The objects that exist, as far as is known, by name.
    pub(crate) fn objects(&self) -> Vec<Known> {
        self.objects.iter().filter(|(_, lives)| **lives).map(|(object, _)| object.clone()).collect()
    }

    fn heard(&mut self, object: Known, lives: bool) {
        if self.objects.len() < OBJECTS || self.objects.contains_key(&object) {
            self.objects.insert(object, lives);
        }
    }
}

/// The objects that a list of `group`'s `resource` names.
pub(crate) fn named(list: &[u8], group: &str, resource: &str) -> Vec<Known> {
    let items = head::list(list).and_then(|list| list.items).unwrap_or_default();
    let heads = items.into_iter().filter_map(|item| head::head(head::bytes(item)));
    heads
        .map(|Head { metadata: Metadata { namespace, name, .. }, .. }| Known {
            group: group.to_owned(),
            resource: resource.to_owned(),
            namespace,
            name,
        })
        .filter(|known| !known.name.is_empty())
        .collect()
}

/// The write that an event of a watch on `group`'s `resource` tells of.
pub(crate) fn told(event: &Event, group: &str, resource: &str) -> Option<Write> {
    if matches!(event.kind, EventType::Bookmark | EventType::Error) {
        return None;
    }
    let object = Known {
        group: group.to_owned(),
        resource: resource.to_owned(),
        namespace: event.namespace.clone(),
        name: event.name.clone(),
    };
    Some(Write { revision: event.version.parse().ok()?, change: event.kind, object })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A write to test with.
    pub(crate) fn write(revision: u64, change: EventType, name: &str) -> Write {
        let object = Known {
            group: String::new(),
            resource: "configmaps".to_owned(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
        };
        Write { revision, change, object }
    }

    fn revisions(log: &Log) -> Vec<u64> {
        log.writes().map(|write| write.revision).collect()
    }

    #[test]
    fn puts_writes_in_order_and_keeps_one_of_each() {
        let mut log = Log::default();
        for revision in [5, 9, 7, 9, 5, 6] {
            log.push(write(revision, EventType::Modified, "a"));
        }
        assert_eq!(revisions(&log), [5, 6, 7, 9]);
        assert_eq!(log.head(), 9);
    }

    #[test]
    fn keeps_the_newest() {
        let mut log = Log::default();
        for revision in 1..=(KEPT as u64 + 3) {
            log.push(write(revision, EventType::Modified, "a"));
        }
        assert_eq!((log.writes().len(), revisions(&log)[0]), (KEPT, 4));
    }

    #[test]
    fn knows_what_lives() {
        let mut log = Log::default();
        log.push(write(1, EventType::Added, "b"));
        log.push(write(2, EventType::Added, "a"));
        log.push(write(3, EventType::Deleted, "b"));
        let names: Vec<String> = log.objects().into_iter().map(|object| object.name).collect();
        assert_eq!(names, ["a"]);
    }

    #[test]
    fn lists_name_what_lives() {
        let list = br#"{"items":[{"metadata":{"name":"a","namespace":"default","uid":"1"},"data":{}}]}"#;
        let mut log = Log::default();
        log.listed(named(list, "", "configmaps"));
        assert_eq!(log.objects(), [write(1, EventType::Added, "a").object]);
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
        assert_eq!(told(&event("ADDED"), "", "configmaps"), Some(write(12, EventType::Added, "a")));
        assert_eq!(told(&event("BOOKMARK"), "", "configmaps"), None);
        assert_eq!(told(&event("ADDED"), "", "configmaps").unwrap().label(), "configmaps/a");
    }
}
