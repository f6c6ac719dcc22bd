//! Commands: what can be done to a cluster on purpose, and no Kubernetes API can do.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::trace::{Fault, ObjectKey, Stored, Write};

/// The number of a cluster in an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClusterId(pub u32);

impl ClusterId {
    /// The cluster that an engine begins with, and the only one with a trace.
    pub const FIRST: Self = Self(0);
}

/// Something to do to a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Starts another API server over the same store. Done: [`Done::Server`].
    AddServer,
    /// Sets how long a resource's watch cache (`configmaps`, `deployments.apps`; `None`: every one) of an API server takes
    /// until it hears of a write.
    SetLag {
        /// The number of the API server.
        server: usize,
        /// The resource.
        resource: Option<String>,
        /// How long.
        #[serde(with = "crate::json::milliseconds")]
        lag: Duration,
    },
    /// Lets a resource's watch cache (`None`: every one) of an API server hear of nothing, or hear again.
    SetStopped {
        /// The number of the API server.
        server: usize,
        /// The resource.
        resource: Option<String>,
        /// `true`: the server hears of nothing.
        stopped: bool,
    },
    /// Ends all watches of an API server, as a network that breaks would.
    DropWatches {
        /// The number of the API server.
        server: usize,
    },
    /// Ends a watch, as a network that breaks would.
    DropWatch {
        /// The number of the watch.
        watch: u64,
    },
    /// Lets the next requests to an API server fail.
    Fail {
        /// The number of the API server.
        server: usize,
        /// The number of requests.
        count: usize,
        /// How.
        fault: Fault,
    },
    /// Lets no more requests to an API server fail. Done: [`Done::Cleared`].
    ClearFaults {
        /// The number of the API server.
        server: usize,
    },
    /// Compacts the store up to a revision.
    Compact {
        /// The revision.
        revision: u64,
    },
    /// Lets the watch caches of an API server forget the events up to a revision.
    Forget {
        /// The number of the API server.
        server: usize,
        /// The revision.
        revision: u64,
    },
    /// Sets how often a watch that wants bookmarks gets one.
    SetBookmarkInterval {
        /// How often.
        #[serde(with = "crate::json::milliseconds")]
        interval: Duration,
    },
    /// Sets how fast the clock goes while the host's time elapses: 1 is as fast, 0 is paused.
    SetRate {
        /// How fast.
        rate: f64,
    },
    /// Moves the clock on.
    Advance {
        /// How far.
        #[serde(with = "crate::json::milliseconds")]
        by: Duration,
    },
    /// Makes another cluster that begins with what this one has at a revision, and with the same clock. What is done to
    /// it this one never hears of. Done: [`Done::Cluster`].
    Fork {
        /// The revision; the newest one if there is none so new.
        revision: u64,
        /// The seed of its random numbers.
        seed: u64,
    },
    /// Throws a fork away. Requests to it that are under way end by themselves.
    Drop,
    /// Gives the first cluster, before anything was asked of it, the objects and the history of another one: it goes on from
    /// there, as a cluster does whose API servers were started again.
    Restore(Box<Backup>),
}

/// The objects of a cluster in all their kept versions, as its [trace](crate::trace) has told them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// The revision up to which the cluster is compacted.
    pub revision: u64,
    /// The objects as of then, each with the revision of its last write.
    pub objects: Vec<(ObjectKey, u64, Stored)>,
    /// The writes since, in order.
    pub writes: Vec<Write>,
    /// The newest revision, which may have written no object; no less than that of the last write.
    pub head: u64,
    /// Requests and watches get numbers larger than this.
    pub numbers: u64,
}

/// The outcome of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Done {
    /// It is done, and there is nothing to say of it.
    Ok,
    /// The number of the API server that was started.
    Server(usize),
    /// The number of requests that were still to fail.
    Cleared(usize),
    /// The fork that was made.
    Cluster(ClusterId),
}
