//! The inside of a cluster, which no Kubernetes API tells, and means to interfere with it: for engines and for tests.
//!
//! [`ApiServer::inspect`](crate::ApiServer::inspect) gives an [`Inspect`], through which a cluster is looked at and
//! interfered with.

mod access;
mod controls;
mod listener;
mod look;
mod news;
mod why;

use crate::context::ApiServer;

pub use controls::Inspect;
pub use listener::Listener;
pub use news::{News, WatchNews};
pub use protocol::trace::{
    Access, AccessDecision, Attributes, CacheInfo, Change, Considered, Delivery, EventType, Fault, Found,
    Grant, Judgement, Layer, Mismatch, ObjectKey, PolicyRule, RequestRecord, ServerInfo, Snapshot, Source,
    Step, WatchEnd, WatchInfo, WatchScope, Write,
};
pub use protocol::watch::{Explanation, Matched, Replay};

impl ApiServer {
    /// Returns access to what no request tells, and what none can do.
    pub fn inspect(&self) -> Inspect {
        Inspect::new(&self.shared, self.number)
    }
}

/// The state of the cluster.
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
