//! Requests: who asked for what, who decided on it, what was read, and what it wrote.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::access::AccessDecision;
use super::policy::{Considered, Judgement};

/// A request that was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestRecord {
    /// The number of the request; newer ones are larger.
    pub id: u64,
    /// The number of the API server that answered it.
    pub server: usize,
    /// The method.
    pub method: String,
    /// Path and query.
    pub uri: String,
    /// When it came, since the Unix epoch, on the cluster's clock.
    #[serde(with = "crate::json::milliseconds")]
    pub at: Duration,
    /// The HTTP status code; 0 if the connection broke instead.
    pub code: u16,
    /// The size of the response's body in bytes; 0 of a stream.
    pub size: usize,
    /// The source of the response, if anything was read.
    pub source: Option<Source>,
    /// The revisions that it made, oldest first: its own writes, and those of the server on its behalf, such as what a
    /// quota counts.
    pub wrote: Vec<u64>,
    /// The field manager that it goes by: the parameter `fieldManager`, or else the User-Agent up to its first `/`.
    /// Empty for a read.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers>
    pub manager: String,
    /// The User-Agent; empty if the client gave none.
    pub user_agent: String,
    /// How long it took to handle it, of a watch until its response began, by the host's stopwatch.
    #[serde(with = "crate::json::milliseconds")]
    pub took: Duration,
    /// The number of the watch that it opened: see [`WatchInfo::id`](super::WatchInfo::id).
    pub watch: Option<u64>,
    /// The decision of authorization; `None` if it did not come to that.
    pub access: Option<AccessDecision>,
    /// The judgements of admission policies.
    pub judgements: Vec<Judgement>,
    /// The course of each admission policy, whether it had something to say or not. Only in a fork.
    pub considered: Vec<Considered>,
}

impl RequestRecord {
    /// Returns the path, without the query.
    pub fn path(&self) -> &str {
        self.uri.split_once('?').map_or(&self.uri, |(path, _)| path)
    }
}

/// The source of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The layer.
    pub layer: Layer,
    /// The revision that was read.
    pub revision: u64,
}

/// The layers that a response can be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Layer {
    /// The store, as etcd would be.
    Store,
    /// The API server's watch cache, in its newest state.
    Cache,
    /// The state that the watch cache had at an older revision.
    Snapshot,
}
