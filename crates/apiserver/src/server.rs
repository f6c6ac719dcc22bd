//! The server itself: who asks, for what, and which handler answers.

mod fork;
mod head;
mod restore;

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::{Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::{Either, select};
use http::header::USER_AGENT;
use http::{HeaderMap, Method, Request, Response};
use store::Revision;

pub use head::Refusal;
pub(crate) use restore::restore;

use crate::answer::Answer;
use crate::custom::{self, Resources};
use crate::deadline::Deadline;
use crate::discovery::Question;
use crate::format::Formats;
use crate::handlers::Writes;
use crate::inspect::{Fault, Inspect, Layer, RequestRecord};
use crate::negotiate::{self, Output};
use crate::notes::Notes;
use crate::route::{Route, Target};
use crate::status::{Status, Subject};
use crate::storage::{self, Compaction, Storage};
use crate::validation::Validation;
use crate::watch_cache::caches::CacheId;
use crate::{
    Body, Clock, Random, auth, bootstrap, content_encoding, deadline, field_management, handlers, registry,
};
use apimachinery::query::Query;
use apimachinery::{Attributes, ContinueToken};

/// What a server is made of.
pub struct Config {
    /// The time of the cluster.
    pub clock: Arc<dyn Clock>,
    /// Where uids and generated names come from.
    pub random: Arc<dyn Random>,
    /// The revision of the first write of the new cluster, but for what is in every cluster before it begins: that is
    /// written at the revision before, and at 1 at the earliest. The documentation's examples begin at 10245.
    pub first_revision: u64,
    /// Who a bearer token belongs to. `None`: no token is asked for, and everybody is `admin`.
    pub tokens: Option<Vec<(String, User)>>,
    /// Which media types it speaks.
    pub formats: Formats,
    /// How it validates objects.
    pub validation: Validation,
    /// How it handles writes.
    pub writes: Writes,
    /// How long history is kept.
    pub compaction: Compaction,
}

impl Config {
    /// The same, with other random numbers.
    fn with_random(&self, random: Arc<dyn Random>) -> Self {
        Self {
            clock: Arc::clone(&self.clock),
            random,
            first_revision: self.first_revision,
            tokens: self.tokens.clone(),
            formats: self.formats,
            validation: self.validation,
            writes: self.writes,
            compaction: self.compaction,
        }
    }
}

/// Somebody who sends requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// The user's uid; may be empty.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// What else is known of the user: keys in the order of the alphabet, and values.
    pub extra: Vec<(String, Vec<String>)>,
}

/// A cluster's API server. Cheap to clone; all clones are the same server.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) number: usize,
}

/// What all API servers of a cluster, and all their requests, share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    storage: Mutex<Storage>,
    signing_key: OnceLock<auth::token::Key>,
    /// Whether it is noted in full what admission policies make of requests.
    pub(crate) explains: bool,
}

/// What is wanted of a request's answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// That the request is done.
    ToDo,
    /// What it would be.
    ToTry,
    /// What it reads at a revision, whatever it asks for.
    At(Revision),
}

impl Shared {
    /// The storage, for one transaction.
    pub(crate) fn storage(&self) -> MutexGuard<'_, Storage> {
        // A panic while the lock was held cannot have torn a write: the store commits in one step.
        self.storage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What is served now: the built-in resources, and those that were defined.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        Arc::clone(&self.storage().resources)
    }

    /// What the cluster signs tokens with: made up when it is first needed.
    pub(crate) fn signing_key(&self) -> &auth::token::Key {
        self.signing_key.get_or_init(|| {
            let mut key = [0; 32];
            self.config.random.fill(&mut key);
            key
        })
    }

    /// Lets the caches follow what was written, and wakes whoever waits for it.
    pub(crate) fn announce(&self) {
        let clock = self.config.clock.as_ref();
        let wakers = {
            let mut storage = self.storage();
            custom::follow(&mut storage, clock);
            storage.settle(clock.now())
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Does what the clock has made due.
    pub(crate) fn tick(&self) {
        let wakers = self.storage().tick(self.config.clock.now());
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// One request, read as far as every handler needs it.
pub(crate) struct Exchange<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    /// The number of the API server.
    pub(crate) server: usize,
    /// The number of the watch cache of the path's resource, if that is stored.
    pub(crate) cache: Option<CacheId>,
    /// In whose name it is sent.
    pub(crate) user: &'a User,
    /// What it has been allowed to do.
    pub(crate) asked: &'a Attributes,
    pub(crate) target: &'a Target,
    pub(crate) uri: &'a str,
    pub(crate) query: &'a Query,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a Bytes,
    pub(crate) output: Output,
    /// The revision that it reads, whatever it asks for: see [`Inspect::read_at`].
    pub(crate) at: Option<Revision>,
    /// When it has to be answered.
    pub(crate) deadline: Deadline,
    /// Others may have their turn while it is computed.
    pub(crate) gives_way: bool,
    pub(crate) notes: &'a Notes,
}

impl ApiServer {
    /// The first API server of a new cluster, with the namespaces default, kube-system, kube-public and
    /// kube-node-lease.
    pub fn new(config: Config) -> Self {
        let now = config.clock.now();
        let first = bootstrap::revision_before(config.first_revision);
        let mut storage = Storage::new(first, config.compaction, now, config.validation, config.writes);
        let number = storage.join();
        let (storage, signing_key) = (Mutex::new(storage), OnceLock::new());
        let shared = Arc::new(Shared { config, storage, signing_key, explains: false });
        bootstrap::fill(&shared);
        Self { shared, number }
    }

    /// Starts another API server over the same store. It has caches of its own.
    pub fn join(&self) -> Self {
        let number = self.shared.storage().join();
        Self { shared: Arc::clone(&self.shared), number }
    }

    /// What no request tells, and what none can do.
    pub fn inspect(&self) -> Inspect {
        Inspect::new(&self.shared, self.number)
    }

    /// Answers one request. Only watches, and reads of a version that is still to come, take time.
    ///
    /// The answer's [extensions](http::Response::extensions) have the [`RequestRecord`] that [`Inspect::served`] also has.
    pub async fn call(&self, request: Request<Bytes>) -> Response<Body> {
        self.shared.tick();
        let at = self.shared.config.clock.now();
        let begin = self.shared.config.clock.stopwatch();
        let mut notes = Notes::default();
        let answer = match self.next_fault(&request) {
            Some(fault) => self.fail(fault, &request),
            None => self.answer(&request, Asked::ToDo, &notes).await,
        };
        let mut response = answer.into_response();
        content_encoding::apply(self.shared.config.formats.gzip, request.headers(), &mut response);
        let cut = matches!(response.body(), Body::Cut);
        if request.method() == Method::HEAD && !cut {
            *response.body_mut() = Body::Bytes(Bytes::new());
        }
        let code = if cut { 0 } else { response.status().as_u16() };
        let size = response.body().bytes().map_or(0, Bytes::len);
        let access = notes.access.take();
        let user_agent =
            request.headers().get(USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
        let took = self.shared.config.clock.stopwatch().saturating_sub(begin);
        let mut storage = self.shared.storage();
        let served = RequestRecord {
            id: storage.number(),
            server: self.number,
            method: request.method().to_string(),
            uri: path_and_query(request.uri()).to_owned(),
            at,
            code,
            size,
            source: notes.source.get().copied(),
            wrote: std::mem::take(&mut *notes.wrote()),
            manager: manager(&request),
            user_agent: user_agent.unwrap_or_default().into_owned(),
            took,
            watch: notes.watch.get().copied(),
            access,
            judgements: std::mem::take(&mut *notes.judgements()),
            considered: std::mem::take(&mut *notes.considered()),
        };
        storage.remember(served.clone());
        drop(storage);
        response.extensions_mut().insert(served);
        response
    }

    /// What a read is answered by the state at `revision`. Nothing is changed by that, and nothing noted.
    pub(crate) fn read_at(&self, request: &Request<Bytes>, revision: Revision) -> Response<Body> {
        let notes = Notes::default();
        // A read of a revision waits for nothing.
        let answer = self.answer(request, Asked::At(revision), &notes).now_or_never();
        answer.unwrap_or_else(Answer::cut).into_response()
    }

    /// What a write would be answered. It is a dry run, whatever it says itself; nothing is noted.
    pub(crate) fn try_out(&self, request: &Request<Bytes>) -> Response<Body> {
        let notes = Notes::default();
        let answer = self.answer(request, Asked::ToTry, &notes).now_or_never();
        answer.unwrap_or_else(Answer::cut).into_response()
    }

    /// How the request is to fail, if it is.
    fn next_fault(&self, request: &Request<Bytes>) -> Option<Fault> {
        let mut storage = self.shared.storage();
        let faults = &storage.servers.get(self.number)?.faults;
        let contested = faults.contains(&Fault::Conflict)
            && object_to_write(request, &storage.resources).is_some_and(|target| {
                let key = storage::object_key(&target.resource, &target.namespace, &target.name);
                storage.store.get(&key).is_some()
            });
        let next = faults.iter().position(|fault| contested || *fault != Fault::Conflict)?;
        storage.servers.get_mut(self.number)?.faults.remove(next)
    }

    /// What a request is answered that is to fail.
    fn fail(&self, fault: Fault, request: &Request<Bytes>) -> Answer {
        let query = Query::parse(request.uri().query().unwrap_or_default());
        let failure = |status: Box<Status>| {
            let output = negotiate::failure(self.shared.config.formats, request.headers(), &query, true);
            Answer::failure(&status, output)
        };
        match fault {
            Fault::TooManyRequests => Answer::too_many_requests(),
            Fault::InternalError => failure(Status::unclassified("etcdserver: request timed out")),
            Fault::Unavailable => failure(Status::service_unavailable("apiserver is shutting down")),
            Fault::Conflict => match object_to_write(request, &self.shared.resources()) {
                Some(Target { resource, name, .. }) => {
                    let subject = Subject { group: &resource.group, resource: &resource.name, name: &name };
                    failure(Status::conflict(subject, handlers::MODIFIED))
                }
                None => Answer::cut(),
            },
            Fault::Cut => Answer::cut(),
        }
    }

    /// Answers a request.
    async fn answer(&self, request: &Request<Bytes>, asked: Asked, notes: &Notes) -> Answer {
        let (method, headers, body) = (request.method(), request.headers(), request.body());
        let uri = path_and_query(request.uri());
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let mut query = Query::parse(query);
        let at = match asked {
            Asked::At(revision) => {
                query.forget(&["resourceVersion", "resourceVersionMatch"]);
                if !continues_at(query.text("continue"), revision) {
                    query.forget(&["continue"]);
                }
                Some(revision)
            }
            Asked::ToTry => {
                query.set("dryRun", "All");
                None
            }
            Asked::ToDo => None,
        };
        let query = &query;
        let formats = self.shared.config.formats;
        let refusal = |status: Box<Status>| {
            Answer::failure(&status, negotiate::failure(formats, headers, query, false))
        };
        let Some(asked_for) = Attributes::of(method, path, query) else {
            let why = "failed to create RequestInfo: unable to determine kind and namespace from url";
            return Answer::text(
                500,
                format!("Internal Server Error: {}: {why}: {uri}\n", field::quote(uri)),
            );
        };
        let asked_for = &asked_for;
        let resources = self.shared.resources();
        let wait = match deadline::of(query) {
            _ if asked_for.verb == "watch" => None,
            Ok(wait) => wait,
            Err(status) => return refusal(status),
        };
        let user = match auth::admit(&self.shared, headers, asked_for, notes) {
            Ok(user) => user,
            Err(status) => return refusal(status),
        };
        let target = match Route::of(path, &resources) {
            Route::Resource(target) => target,
            other => {
                let shared = &self.shared;
                let schema = &|row: &schema::Resource| custom::of(row).and_then(custom::Custom::schema);
                let (route, resources) = (&other, &*resources);
                let question = Question { shared, resources, schema, route, path, method, headers, query };
                return (formats.discovery)(&question).unwrap_or_else(refusal);
            }
        };
        if custom::is_nowhere(&target, &asked_for.verb) {
            return Answer::page_not_found();
        }
        let verb = match handlers::find_verb(method, &target, formats, headers) {
            Ok(_) if at.is_some() && method != Method::GET => {
                return refusal(Status::method_not_allowed());
            }
            // A deletion says in its body whether it is a dry run.
            Ok(verb) if asked == Asked::ToTry && !["create", "update", "patch"].contains(&verb) => {
                return refusal(Status::method_not_allowed());
            }
            Ok(verb) => verb,
            Err(status) => return refusal(status),
        };
        let outcome = match negotiate::output(formats, headers, query, target.resource.extension.is_some()) {
            Ok(output) => {
                let (shared, server, target) = (&self.shared, self.number, &target);
                let cache =
                    shared.storage().servers.get(server).and_then(|own| own.caches.find(&target.resource));
                let gives_way = asked == Asked::ToDo;
                let clock = shared.config.clock.as_ref();
                notes.begin_turn(clock.stopwatch());
                let (user, asked) = (&user, asked_for);
                let exchange = Exchange {
                    shared,
                    server,
                    cache,
                    user,
                    asked,
                    target,
                    uri,
                    query,
                    headers,
                    body,
                    output,
                    at,
                    deadline: Deadline::after(wait, clock),
                    gives_way,
                    notes,
                };
                let outcome = exchange.in_time(verb, wait).await;
                if method != Method::GET {
                    let revision = shared.storage().store.revision();
                    exchange.read_from(Layer::Store, revision);
                }
                outcome
            }
            Err(status) => Err(status),
        };
        if method != Method::GET && asked == Asked::ToDo {
            self.shared.announce();
        }
        outcome
            .unwrap_or_else(|status| {
                Answer::failure(&status, negotiate::failure(formats, headers, query, true))
            })
            .warn_first(registry::deprecation(&target.resource))
    }
}

/// Returns whether a continue token is of a list at this revision.
fn continues_at(token: &str, revision: Revision) -> bool {
    let of = |token: ContinueToken| u64::try_from(token.revision) == Ok(revision);
    !token.is_empty() && ContinueToken::decode(token).is_ok_and(of)
}

impl Exchange<'_> {
    /// Answers the request, or says that it takes longer than it may.
    async fn in_time(&self, verb: &str, wait: Option<Duration>) -> handlers::Outcome {
        let Some(wait) = wait else { return self.handle(verb).await };
        let answer = Box::pin(self.handle(verb));
        match select(answer, self.shared.config.clock.sleep(wait)).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => Err(Status::timeout()),
        }
    }

    /// Checks that there is time left, and lets other requests go on if this one has been computed for a while. To be called
    /// between two parts of a write, before its commit: a request that is given up here has changed nothing. One that is only
    /// tried out is computed in one go.
    ///
    /// # Errors
    /// Those of [`Self::check_time`].
    pub(crate) async fn give_way(&self) -> Result<(), Box<Status>> {
        self.check_time()?;
        if self.gives_way && self.notes.ends_turn(self.shared.config.clock.stopwatch()) {
            let mut waited = false;
            poll_fn(|context| {
                if std::mem::replace(&mut waited, true) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
        }
        Ok(())
    }

    /// Checks that there is time left. To be called between two parts of what may take long.
    ///
    /// # Errors
    /// The 504 that says that there is none.
    pub(crate) fn check_time(&self) -> Result<(), Box<Status>> {
        self.deadline.check(self.shared.config.clock.as_ref())
    }
}

/// Whom a write goes by; empty for a read.
fn manager(request: &Request<Bytes>) -> String {
    if [Method::GET, Method::HEAD].contains(request.method()) {
        return String::new();
    }
    field_management::name(&Query::parse(request.uri().query().unwrap_or_default()), request.headers())
}

/// The object, or the part of one, that a request changes or deletes by its name.
fn object_to_write(request: &Request<Bytes>, resources: &Resources) -> Option<Target> {
    if ![Method::PUT, Method::PATCH, Method::DELETE].contains(request.method()) {
        return None;
    }
    match Route::of(request.uri().path(), resources) {
        Route::Resource(target) if !target.name.is_empty() => Some(target),
        _ => None,
    }
}

pub(crate) fn path_and_query(uri: &http::Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}
