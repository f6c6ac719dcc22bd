//! An event of a watch.

use crate::cluster::head;
use crate::response::status::{self, Status};

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

impl EventType {
    /// As it stands in the event.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
            Self::Error => "ERROR",
        }
    }

    /// What follows it in class names.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Bookmark => "bookmark",
            Self::Error => "error",
        }
    }

    /// The shape that stands for it.
    pub(crate) fn shape(self) -> &'static str {
        match self {
            Self::Added => "▲",
            Self::Modified => "●",
            Self::Deleted => "✕",
            Self::Bookmark => "◇",
            Self::Error => "!",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Self::Added, Self::Modified, Self::Deleted, Self::Bookmark, Self::Error]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// What it says.
    pub(crate) kind: EventType,
    /// The kind of its object.
    pub(crate) object_kind: String,
    /// Its object's namespace; may be empty.
    pub(crate) namespace: String,
    /// Its object's name; empty in bookmarks.
    pub(crate) name: String,
    /// Its object's version; empty in errors.
    pub(crate) version: String,
    /// What an ERROR event says.
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
        let kind = EventType::of(kind)?;
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
