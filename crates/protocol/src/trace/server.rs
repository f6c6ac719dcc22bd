//! API servers: what each has come to know of the store.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One of the API servers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// The number of the server.
    pub number: usize,
    /// The newest revision that any of its caches has reached.
    pub revision: u64,
    /// The caches that have not reached the store's newest revision: the resource (`configmaps`, `deployments.apps`)
    /// and the revision that it has reached.
    pub behind: Vec<(String, u64)>,
    /// The oldest revision after which a watch can begin in any cache.
    pub oldest: u64,
    /// The caches in which a watch can begin only later: the resource and the oldest revision after which one can.
    pub forgot: Vec<(String, u64)>,
    /// The longest time that a cache takes until it hears of a write.
    #[serde(with = "crate::json::milliseconds")]
    pub lag: Duration,
    /// `true` if any cache hears of nothing.
    pub stopped: bool,
    /// The number of watches that it serves.
    pub watches: usize,
}

/// The watch cache of one resource in one API server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheInfo {
    /// The number of the API server.
    pub server: usize,
    /// The resource: `configmaps`, `deployments.apps`.
    pub resource: String,
    /// The revision that it has reached.
    pub revision: u64,
    /// The oldest revision after which a watch can begin.
    pub oldest: u64,
    /// The number of objects in it.
    pub objects: usize,
    /// The number of events that it keeps.
    pub events: usize,
    /// The number of events that it has room for.
    pub capacity: usize,
    /// The number of watches that it serves.
    pub watches: usize,
    /// The time until it hears of a write.
    #[serde(with = "crate::json::milliseconds")]
    pub lag: Duration,
    /// `true` while it hears of nothing.
    pub stopped: bool,
}

/// A continue token that was given out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The revision that the list is read at.
    pub revision: u64,
    /// The collection, as the store's keys begin.
    pub collection: String,
    /// The key at which the next page begins.
    pub start: String,
    /// The number of objects that the pages to come hold; `None` where a selector keeps them from being counted.
    pub remaining: Option<usize>,
    /// When it was given out, since the Unix epoch.
    #[serde(with = "crate::json::milliseconds")]
    pub at: Duration,
    /// `true` if the revision has been compacted, so that the token is `410 Gone`.
    pub expired: bool,
}

/// How a request fails that would not have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Fault {
    /// 429: there are too many requests; the client is to come back in a second.
    TooManyRequests,
    /// 500: the API server's store does not answer.
    InternalError,
    /// 503: the API server is on its way down.
    Unavailable,
    /// 409: somebody else has changed the object in between. It waits for a PUT, PATCH or DELETE of an object that is
    /// there, by its name; other faults are not held up by it.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>
    Conflict,
    /// The connection breaks before a response comes.
    Cut,
}
