//! What no Kubernetes API tells, and what none can do: for the page and for tests.
//!
//! [`ApiServer::inspect`](crate::ApiServer::inspect) gives an [`Inspect`], through which a cluster is looked at and
//! interfered with.

mod access;
mod considered;
mod controls;
mod look;
mod why;

use std::time::Duration;

use crate::continue_token::ContinueToken;

pub use crate::auth::attributes::Attributes;
pub use access::{Access, Grant, PolicyRule};
pub use considered::{Considered, Found, Mismatch, Step};
pub use controls::{Fault, Inspect};

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

/// The watch cache of one resource in one API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheInfo {
    /// The number of the API server.
    pub server: usize,
    /// The resource: `configmaps`, `deployments.apps`.
    pub resource: String,
    /// The revision that it has reached.
    pub revision: u64,
    /// The oldest revision after which a watch can begin.
    pub oldest: u64,
    /// How many objects it has.
    pub objects: usize,
    /// How many events it keeps.
    pub events: usize,
    /// How many events it has room for.
    pub capacity: usize,
    /// How many watches it serves.
    pub watches: usize,
    /// How long it takes until it hears of a write.
    pub lag: Duration,
    /// Whether it hears of nothing.
    pub stopped: bool,
}

/// One of the API servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerInfo {
    /// Its number.
    pub number: usize,
    /// The newest revision that any of its caches has reached.
    pub revision: u64,
    /// The caches that have not reached the store's newest revision: the resource (`configmaps`, `deployments.apps`)
    /// and the revision that it has reached.
    pub behind: Vec<(String, u64)>,
    /// The longest time that a cache takes until it hears of a write.
    pub lag: Duration,
    /// Whether any cache hears of nothing.
    pub stopped: bool,
    /// How many watches it serves.
    pub watches: usize,
}

/// An open watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchInfo {
    /// A number of its own.
    pub id: u64,
    /// The number of the API server that serves it.
    pub server: usize,
    /// Path and query that opened it.
    pub uri: String,
    /// The revision up to which it has looked at what happened.
    pub revision: u64,
    /// How many events it has been sent.
    pub sent: u64,
    /// How many events of its collection it was not sent, for its selectors have nothing to do with them.
    pub filtered: u64,
    /// What it was sent last.
    pub last: Option<Delivery>,
}

/// What became of an event on its way to a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The revision of the event; of an object that the watch began with, that of its last write; 0 of an ERROR.
    pub revision: u64,
    /// What the watch was sent.
    pub verdict: Verdict,
}

/// What a watch was sent of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
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
    /// Nothing: neither before nor after it did the object match the watch's selectors.
    Filtered,
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
    /// What the watch says of it.
    pub verdict: Verdict,
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

/// A continue token that was given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The revision that the list is read at.
    pub revision: u64,
    /// The collection, as the store's keys begin.
    pub collection: String,
    /// The key at which the next page begins.
    pub start: String,
    /// How many objects the pages to come hold; `None` where a selector keeps them from being counted.
    pub remaining: Option<usize>,
    /// When it was given out, since the Unix epoch.
    pub at: Duration,
    /// Whether the revision has been compacted, so that the token is `410 Gone`.
    pub expired: bool,
}

/// What a continue token says, which is opaque to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The revision that the list is read at; negative for the newest one.
    pub revision: i64,
    /// The key at which the next page begins, less what all keys of the list begin with.
    pub start: String,
}

impl Token {
    /// Reads a token.
    ///
    /// # Errors
    /// What kube-apiserver says of one that it cannot read.
    pub fn read(text: &str) -> Result<Self, String> {
        ContinueToken::decode(text)
            .map(|token| Self { revision: token.revision, start: token.start })
            .map_err(|status| status.message)
    }
}

/// An answered request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its number; newer ones are larger.
    pub id: u64,
    /// The number of the API server that answered it.
    pub server: usize,
    /// The method.
    pub method: String,
    /// Path and query.
    pub uri: String,
    /// When it came, since the Unix epoch.
    pub at: Duration,
    /// The HTTP status code; 0 if the connection broke instead.
    pub code: u16,
    /// What the answer was read from, if anything was read.
    pub source: Option<Source>,
    /// The revisions that it made, oldest first: its own writes, and those of the server on its behalf, such as what a
    /// quota counts.
    pub wrote: Vec<u64>,
    /// The field manager that it goes by: the parameter `fieldManager`, or else the User-Agent up to its first `/`.
    /// Empty for a read.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers>
    pub manager: String,
    /// The number of the watch that it opened: see [`WatchInfo::id`].
    pub watch: Option<u64>,
    /// What admission policies said of it, or did to it.
    pub judgements: Vec<Judgement>,
    /// What became of each admission policy, whether it had something to say or not. Only of a
    /// [fork](crate::ApiServer::fork).
    pub considered: Vec<Considered>,
}

/// What an admission policy said of a request, or did to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The name of the policy.
    pub policy: String,
    /// The name of its binding; empty, if it is the policy that could not be used.
    pub binding: String,
    /// `Deny`, `Warn`, `Audit`, or `Mutate`.
    pub action: String,
    /// What it said.
    pub message: String,
}

/// What an answer was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The layer.
    pub layer: Layer,
    /// The revision that was read.
    pub revision: u64,
}

/// Where an answer can be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The store, as etcd would be.
    Store,
    /// The API server's watch cache, in its newest state.
    Cache,
    /// The state that the watch cache had at an older revision.
    Snapshot,
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
