//! An event of a watch.

use crate::cluster::head;
use crate::cluster::status::{self, Status};

pub(crate) use protocol::trace::EventType;

/// How the page shows the types of events.
pub(crate) trait EventLook {
    /// Returns what follows `event-` and the like in the names of classes.
    fn class(self) -> &'static str;
    /// Returns the shape that stands for it.
    fn shape(self) -> &'static str;
}

impl EventLook for EventType {
    fn class(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Bookmark => "bookmark",
            Self::Error => "error",
        }
    }

    fn shape(self) -> &'static str {
        match self {
            Self::Added => "▲",
            Self::Modified => "●",
            Self::Deleted => "✕",
            Self::Bookmark => "◇",
            Self::Error => "!",
        }
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// The type of the event.
    pub(crate) kind: EventType,
    /// The kind of its object.
    pub(crate) object_kind: String,
    /// The namespace of its object; may be empty.
    pub(crate) namespace: String,
    /// The name of its object; empty in bookmarks.
    pub(crate) name: String,
    /// The resource version of its object; empty in errors.
    pub(crate) version: String,
    /// The `Status` of an ERROR event.
    pub(crate) status: Option<Box<Status>>,
    /// The whole event.
    pub(crate) text: Vec<u8>,
    /// Unix milliseconds.
    pub(crate) at: f64,
}

impl Event {
    /// Reads a frame of a watch.
    pub(crate) fn read(text: Vec<u8>, at: f64) -> Option<Self> {
        let head::Told { kind, object } = head::told(&text)?;
        let kind = EventType::ALL.into_iter().find(|known| known.name() == kind)?;
        let failure = || status::failure(head::bytes(head::frame(&text)?.object));
        let status = (kind == EventType::Error).then(failure).flatten().map(Box::new);
        Some(Self {
            kind,
            object_kind: object.kind,
            namespace: object.metadata.namespace,
            name: object.metadata.name,
            version: object.metadata.version,
            status,
            text,
            at,
        })
    }
}
