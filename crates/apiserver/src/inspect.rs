//! What no Kubernetes API tells: for the page and for tests.

/// Where the cluster stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    /// The store's newest revision.
    pub revision: u64,
    /// The revision up to which the store has been compacted: older versions are `410 Gone`.
    pub compact_revision: u64,
    /// The watches that are open, in the order in which they were opened.
    pub watches: Vec<WatchInfo>,
    /// How many objects each resource holds, as (`group/version/resource` of the storage version, count).
    pub counts: Vec<(String, usize)>,
}

/// An open watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchInfo {
    /// A number of its own.
    pub id: u64,
    /// Path and query that opened it.
    pub uri: String,
    /// The revision up to which it has looked at the log.
    pub revision: u64,
    /// How many events it has been sent.
    pub sent: u64,
}

/// One write of the cluster, as the store's log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The revision that it made.
    pub revision: u64,
    /// What it did.
    pub change: Change,
    /// API group of the object; empty for the core group.
    pub group: String,
    /// The resource (plural) of the object.
    pub resource: String,
    /// Its namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The object's labels at that revision.
    pub labels: Vec<(String, String)>,
}

/// What a write did to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It came into being.
    Created,
    /// It was changed.
    Updated,
    /// It was deleted.
    Deleted,
}
