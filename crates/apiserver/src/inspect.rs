//! What no Kubernetes API tells, and what none can do: for the page and for tests.
//!
//! [`ApiServer::inspect`](crate::ApiServer::inspect) gives an [`Inspect`], through which a cluster is looked at and
//! interfered with.

mod access;
mod controls;
mod look;
mod news;
mod why;

pub use controls::Inspect;
pub use news::{News, WatchNews};
pub use protocol::trace::{
    Access, AccessDecision, Attributes, CacheInfo, Change, Considered, Delivery, EventType, Fault, Found,
    Grant, Judgement, Layer, Mismatch, ObjectKey, PolicyRule, RequestRecord, ServerInfo, Snapshot, Source,
    Step, WatchEnd, WatchInfo, WatchScope, Write,
};

/// Where the cluster stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    /// The store's newest revision.
    pub revision: u64,
    /// The revision up to which the store has been compacted: older versions are `410 Gone`.
    pub compact_revision: u64,
    /// The watches that are open, in the order in which they were opened.
    pub watches: Vec<WatchInfo>,
    /// How many objects each resource holds that has any, as (`group/version/resource` of the storage version, count),
    /// as the API server's caches know it.
    pub counts: Vec<(String, usize)>,
}

/// Why a watch was or was not sent the event of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Whether the event is of the watch's collection, as the path says it. If not, there is nothing before and after it.
    pub concerned: bool,
    /// The object before the event; `None` if it did not exist.
    pub before: Option<Matched>,
    /// The object after the event; `None` if it was deleted.
    pub after: Option<Matched>,
    /// What the watch is sent of it.
    pub sent: Option<EventType>,
    /// The watch's label selector; empty if it selects everything.
    pub label_selector: String,
    /// The watch's field selector; empty if it selects everything.
    pub field_selector: String,
}

/// An object, as the selectors of a watch see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// Whether the selectors match it.
    pub matches: bool,
    /// Its labels.
    pub labels: Vec<(String, String)>,
    /// What field selectors can ask for of it.
    pub fields: Vec<(String, String)>,
}

/// What a watch that is opened again would have to go through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Whether it would be 410 Gone, so that the client has to list again.
    pub gone: bool,
    /// How many newer events of the resource the API server keeps, and would look at; 0 if it is gone.
    pub events: usize,
    /// How many of them it would send.
    pub sent: usize,
    /// How many objects a list would carry instead.
    pub objects: usize,
}
