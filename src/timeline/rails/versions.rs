//! An object before and after a write, as far as somebody still has it.

use glass::Write;
use json_tree::Value;
use protocol::trace::ObjectKey;

use crate::cluster::{Which, head};
use crate::model::watch::{EventType, Row};
use crate::state::Model;

/// An object before and after a write.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Versions {
    /// Before it; `None` if it did not exist, or if nobody has it any more.
    pub(crate) old: Option<Value>,
    /// After it; `None` if it was deleted, or if nobody has it any more.
    pub(crate) new: Option<Value>,
}

impl Versions {
    /// Returns whether the version before the write is missing.
    pub(crate) fn old_missing(&self, change: EventType) -> bool {
        change != EventType::Added && self.old.is_none()
    }

    /// Returns whether the version that the write made is missing.
    pub(crate) fn new_missing(&self, change: EventType) -> bool {
        change != EventType::Deleted && self.new.is_none()
    }
}

/// The object of a write before and after it.
pub(crate) fn versions(
    model: &Model,
    which: Which,
    write: Write,
    previous: Option<u64>,
    object: &ObjectKey,
) -> Versions {
    let Write { revision, change, .. } = write;
    let at = |revision: u64| match which {
        Which::ThisTab => {
            let dot = if object.group.is_empty() { "" } else { "." };
            let resource = [&object.resource, dot, &object.group].concat();
            let versions = model.glass(which).versions();
            let stored = versions.object_at(&resource, &object.namespace, &object.name, revision)?;
            serde_json::from_slice(&stored.json).ok()
        }
        Which::Remote => told(model, object, revision),
    };
    let old = match which {
        _ if change == EventType::Added => None,
        Which::ThisTab => at(revision.saturating_sub(1)),
        // The event of a deletion carries the object as it was last.
        Which::Remote if change == EventType::Deleted => at(revision),
        Which::Remote => previous.and_then(at),
    };
    let new = if change == EventType::Deleted { None } else { at(revision) };
    Versions { old, new }
}

/// The object that a watch on a remote cluster has brought in this version.
fn told(model: &Model, object: &ObjectKey, revision: u64) -> Option<Value> {
    let version = revision.to_string();
    let watches = model.watches.iter().filter(|watch| watch.cluster == Which::Remote);
    let mut events = watches.flat_map(|watch| watch.rows.iter()).filter_map(|(_, row)| match row {
        Row::Event(event) if event.kind != EventType::Bookmark && event.version == version => Some(event),
        _ => None,
    });
    let event = events.find(|event| event.name == object.name && event.namespace == object.namespace)?;
    serde_json::from_slice(head::bytes(head::frame(&event.text)?.object)).ok()
}
