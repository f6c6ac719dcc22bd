//! The server itself.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};

use crate::inspect::{Overview, Write};
use crate::{Body, Clock, Random};

/// What a server is made of.
pub struct Config {
    /// The time of the cluster.
    pub clock: Arc<dyn Clock>,
    /// Where uids and generated names come from.
    pub random: Arc<dyn Random>,
    /// The revision of the first write of the new cluster. The documentation's examples begin at 10245.
    pub first_revision: u64,
    /// Who a bearer token belongs to. `None`: no token is asked for, and everybody is `admin`.
    pub tokens: Option<Vec<(String, User)>>,
}

/// Somebody who sends requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// The user's uid; may be empty.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
}

/// A cluster's API server. Cheap to clone; all clones are the same server.
#[derive(Clone)]
pub struct ApiServer {
    config: Arc<Config>,
}

impl ApiServer {
    /// A new cluster, with the namespaces default, kube-system, kube-public and kube-node-lease.
    pub fn new(config: Config) -> Self {
        Self { config: Arc::new(config) }
    }

    /// Answers one request.
    pub async fn call(&self, request: Request<Bytes>) -> Response<Body> {
        let _ = (request, &self.config.clock);
        let mut response = Response::new(Body::Bytes(Bytes::from_static(b"404 page not found\n")));
        *response.status_mut() = http::StatusCode::NOT_FOUND;
        response
    }

    /// Where the cluster stands now.
    pub fn overview(&self) -> Overview {
        Overview { revision: 0, compact_revision: 0, watches: Vec::new(), counts: Vec::new() }
    }

    /// The kept writes with a revision above `after`, oldest first, at most `limit`.
    pub fn writes(&self, after: u64, limit: usize) -> Vec<Write> {
        let _ = (after, limit);
        Vec::new()
    }

    /// Waits until the newest revision is above `after`.
    pub async fn changed(&self, after: u64) {
        let _ = after;
        std::future::pending::<()>().await;
    }

    /// Forgets what is older than `revision`: see [`Overview::compact_revision`]. Nothing happens if it is not
    /// newer than the last compaction; a revision that is still to come counts as the newest.
    pub fn compact(&self, revision: u64) {
        let _ = revision;
    }

    /// Ends an open watch, as a network that breaks would.
    pub fn drop_watch(&self, id: u64) {
        let _ = id;
    }
}
