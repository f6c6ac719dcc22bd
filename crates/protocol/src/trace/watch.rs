//! Watches: what each is about, what it was sent, and how it ended.

use serde::{Deserialize, Serialize};

/// An open watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchInfo {
    /// The number of the watch.
    pub id: u64,
    /// The number of the API server that serves it.
    pub server: usize,
    /// Path and query that opened it.
    pub uri: String,
    /// The collection or object that it is about.
    pub scope: WatchScope,
    /// The revision up to which it has looked at what happened.
    pub revision: u64,
    /// The number of events that it has been sent.
    pub sent: u64,
    /// The number of events of its collection that it was not sent, for its selectors have nothing to do with them.
    pub filtered: u64,
    /// The last delivery.
    pub last: Option<Delivery>,
}

/// The objects that a watch is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchScope {
    /// The API group of the stored objects; empty for the core group.
    pub group: String,
    /// The resource, plural.
    pub resource: String,
    /// The namespace; empty for all.
    pub namespace: String,
    /// The label selector in its canonical form; empty if it selects everything.
    pub label_selector: String,
    /// The field selector in its canonical form; empty if it selects everything.
    pub field_selector: String,
}

/// The fate of an event on its way to a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// The revision of the event; of an object that the watch began with, that of its last write; 0 of an ERROR.
    pub revision: u64,
    /// The event that the watch was sent; `None` if nothing, for neither before nor after the event did the object match the
    /// watch's selectors.
    pub sent: Option<EventType>,
}

/// The type of an event of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EventType {
    /// `ADDED`: the object came into being, or came to match the watch's selectors.
    Added,
    /// `MODIFIED`
    Modified,
    /// `DELETED`: the object is gone, or no longer matches the watch's selectors.
    Deleted,
    /// `BOOKMARK`
    Bookmark,
    /// `ERROR`
    Error,
}

impl EventType {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Added, Self::Modified, Self::Deleted, Self::Bookmark, Self::Error];

    /// Returns the type as it stands in the event.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
            Self::Error => "ERROR",
        }
    }
}

/// Why a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum WatchEnd {
    /// The client closed it, or its connection broke.
    Client,
    /// The watch's `timeoutSeconds` had passed.
    Timeout,
    /// It was told an ERROR, such as 410 Gone.
    Error,
    /// The server ended it: its cache has listed anew, or it was dropped on purpose.
    Server,
}
