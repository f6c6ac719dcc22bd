//! The server itself: who asks, for what, and which handler answers.

use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use store::KeyRange;

use crate::answer::Answer;
use crate::format::Formats;
use crate::inspect::{Change, Overview, Write};
use crate::negotiate::{self, Output};
use crate::query::Query;
use crate::route::{Route, Target};
use crate::status::Status;
use crate::storage::{self, Storage};
use crate::{Body, Clock, Random, auth, bootstrap, discovery, handlers, registry};

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
    /// Which media types it speaks.
    pub formats: Formats,
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
pub struct ApiServer(Arc<Shared>);

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    storage: Mutex<Storage>,
}

impl Shared {
    /// The storage, for one transaction.
    pub(crate) fn storage(&self) -> MutexGuard<'_, Storage> {
        // A panic while the lock was held cannot have torn a write: the store commits in one step.
        self.storage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Wakes everybody who waits for a change.
    pub(crate) fn announce(&self) {
        let waiting = self.storage().take_waiting();
        waiting.into_iter().for_each(std::task::Waker::wake);
    }
}

/// One request, read as far as every handler needs it.
pub(crate) struct Exchange<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    pub(crate) target: &'a Target,
    pub(crate) uri: &'a str,
    pub(crate) query: &'a Query,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a Bytes,
    pub(crate) output: Output,
}

impl ApiServer {
    /// A new cluster, with the namespaces default, kube-system, kube-public and kube-node-lease.
    pub fn new(config: Config) -> Self {
        let storage = Mutex::new(Storage::new(config.first_revision));
        let shared = Arc::new(Shared { config, storage });
        bootstrap::namespaces(&shared);
        Self(shared)
    }

    /// Answers one request. Only watches, and reads of a version that is still to come, take time.
    pub async fn call(&self, request: Request<Bytes>) -> Response<Body> {
        let head = request.method() == Method::HEAD;
        let mut response = self.answer(request).await.into_response();
        if head {
            *response.body_mut() = Body::Bytes(Bytes::new());
        }
        response
    }

    async fn answer(&self, request: Request<Bytes>) -> Answer {
        let (parts, body) = request.into_parts();
        let uri = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let (query, headers) = (&Query::parse(query), &parts.headers);
        let formats = self.0.config.formats;
        let refusal = |status: Box<Status>| {
            Answer::failure(&status, negotiate::failure(formats, headers, query, false))
        };
        let route = Route::of(path);
        if let Err(status) = self.admit(&parts, &route, path) {
            return refusal(status);
        }
        let target = match route {
            Route::Resource(target) => target,
            other => {
                return discovery::answer(&other, formats, &parts.method, headers, query)
                    .unwrap_or_else(refusal);
            }
        };
        let verb = match handlers::find_verb(&parts.method, &target, formats, headers) {
            Ok(verb) => verb,
            Err(status) => return refusal(status),
        };
        let outcome = match negotiate::output(formats, headers, query) {
            Ok(output) => {
                let exchange =
                    Exchange { shared: &self.0, target: &target, uri, query, headers, body: &body, output };
                exchange.handle(verb).await
            }
            Err(status) => Err(status),
        };
        if parts.method != Method::GET {
            self.0.announce();
        }
        outcome
            .unwrap_or_else(|status| {
                Answer::failure(&status, negotiate::failure(formats, headers, query, true))
            })
            .warn(registry::deprecation(&target.resource).map(str::to_owned))
    }

    /// Who may not come in.
    fn admit(&self, parts: &http::request::Parts, route: &Route, path: &str) -> Result<(), Box<Status>> {
        let user = auth::authenticate(self.0.config.tokens.as_deref(), &parts.headers)?;
        auth::authorize(&user, route, handlers::verb_of(&parts.method, route), path)
    }

    /// Where the cluster stands now.
    pub fn overview(&self) -> Overview {
        let storage = self.0.storage();
        let mut counts: Vec<(String, usize)> = Vec::new();
        for row in schema::resources().iter().filter(|row| row.allows("list")) {
            let count = storage.store.count(&KeyRange::prefix(&storage::prefix(row)));
            counts.push((format!("{}/{}/{}", row.group, row.version, row.name), count));
        }
        Overview {
            revision: storage.store.revision(),
            compact_revision: storage.store.compact_revision(),
            watches: storage.watches.values().cloned().collect(),
            counts,
        }
    }

    /// The kept writes with a revision above `after`, oldest first, at most `limit`.
    pub fn writes(&self, after: u64, limit: usize) -> Vec<Write> {
        let storage = self.0.storage();
        let after = after.max(storage.store.compact_revision());
        let Ok(events) = storage.store.events(after) else { return Vec::new() };
        events
            .take(limit)
            .filter_map(|event| {
                let (entry, change) = match (event.value, event.previous) {
                    (Some(entry), None) => (entry, Change::Created),
                    (Some(entry), Some(_)) => (entry, Change::Updated),
                    (None, Some(entry)) => (entry, Change::Deleted),
                    (None, None) => return None,
                };
                let stored = &entry.value;
                Some(Write {
                    revision: event.revision,
                    change,
                    group: stored.group.clone(),
                    resource: stored.resource.clone(),
                    namespace: stored.namespace.clone(),
                    name: stored.name.clone(),
                    labels: stored.labels.clone(),
                })
            })
            .collect()
    }

    /// Waits until the newest revision is above `after`.
    pub async fn changed(&self, after: u64) {
        let waiter = handlers::Waiter::new(&self.0);
        waiter.until(|storage| storage.store.revision() > after).await;
    }

    /// Forgets what is older than `revision`: see [`Overview::compact_revision`]. Nothing happens if it is not
    /// newer than the last compaction; a revision that is still to come counts as the newest.
    pub fn compact(&self, revision: u64) {
        {
            let mut storage = self.0.storage();
            let revision = revision.min(storage.store.revision());
            // An old revision is compacted already, which is all that was asked for.
            let _ = storage.store.compact(revision);
        }
        self.0.announce();
    }

    /// Ends an open watch, as a network that breaks would.
    pub fn drop_watch(&self, id: u64) {
        self.0.storage().watches.remove(&id);
        self.0.announce();
    }
}
