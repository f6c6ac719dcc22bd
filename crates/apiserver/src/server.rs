//! The server itself: who asks, for what, and which handler answers.

mod audit;
mod faults;
mod fork;
mod head;
mod waits;

use std::sync::{Arc, Mutex, OnceLock};
use std::task::Waker;
use std::time::Duration;

use bytes::Bytes;
use futures::future::{Either, select};
use http::header::{CONTENT_LENGTH, USER_AGENT};
use http::{HeaderMap, Method, Request, Response};
use store::Revision;

pub use head::Refusal;

use crate::answer::Answer;
use crate::components::{Component, RunningComponent};
use crate::context::{
    ApiServer, Config, HostWebhooks, InFlight, LastModes, Listeners, NonResourceRequest, RequestContext,
    RequestDigest, Shared,
};
use crate::custom;
use crate::deadline::Deadline;
use crate::issuer::Issuer;
use crate::kubelet::{Kubelet, Kubelets};
use crate::native::Native;
use crate::notes::Notes;
use crate::route::{Route, Target};
use crate::service_range::ServiceRange;
use crate::storage::Storage;
use crate::webhooks::WebhookCaller;
use crate::{
    Body, answer, auth, bootstrap, code, content_encoding, deadline, field_management, handlers, negotiate,
};
use apimachinery::User;
use apimachinery::query::Query;
use apimachinery::status::{Status, sanitized};
use apimachinery::{Attributes, ContinueToken};
use protocol::message::Mode;
use protocol::trace::{Layer, RequestRecord, Source};

impl ApiServer {
    /// The first API server of a new cluster, with the namespaces default, kube-system, kube-public and
    /// kube-node-lease.
    pub fn new(config: Config) -> Self {
        Self::with_service_range(config, ServiceRange::default())
    }

    /// The same, whose Services have addresses in a range.
    pub fn with_service_range(mut config: Config, service_range: ServiceRange) -> Self {
        if !config.feature_gates.cbor_serving_and_storage {
            config.formats.media_types = config.formats.media_types.without_cbor();
        }
        let now = config.clock.now();
        let mut storage = Storage::new(1, config.compaction, now, config.writes.define);
        let number = storage.join();
        let (storage, issuer) = (Mutex::new(storage), OnceLock::new());
        (config.writes.prepare)();
        let shared = Arc::new(Shared {
            config,
            service_range,
            storage,
            issuer,
            authenticator: Native::new(),
            aggregator: Native::new(),
            webhooks: HostWebhooks::default(),
            instruments: Native::new(),
            audit: Native::new(),
            kubelets: Kubelets::default(),
            components: Arc::default(),
            listeners: Listeners::default(),
            last_modes: LastModes::default(),
            documents: Mutex::default(),
            explains: false,
        });
        bootstrap::fill(&shared);
        Self { shared, number }
    }

    /// Starts another API server over the same store. It has caches of its own.
    pub fn join(&self) -> Self {
        let number = self.shared.storage().join();
        self.shared.listeners.wake();
        Self { shared: Arc::clone(&self.shared), number }
    }

    /// Returns the range in which Services have addresses in a new cluster.
    pub fn service_range(&self) -> ServiceRange {
        self.shared.service_range
    }

    /// Returns whether it asks for tokens. Where it does not, everybody is `admin`.
    pub fn asks_for_tokens(&self) -> bool {
        self.shared.config.tokens.is_some()
    }

    /// Has an issuer make the tokens of service accounts, for all API servers of the cluster. Returns false if tokens have been made or
    /// recognised by another one: then it is too late.
    pub fn set_issuer(&self, issuer: Arc<dyn Issuer>) -> bool {
        self.shared.issuer.set(issuer).is_ok()
    }

    /// Returns the issuer of the tokens of service accounts: a host hands it to whoever makes tokens beside the API server, as
    /// kube-controller-manager does for Secrets.
    pub fn issuer(&self) -> Arc<dyn Issuer> {
        Arc::clone(self.shared.issuer())
    }

    /// Has webhooks called, those of admission and those that convert custom objects, for all API servers of the cluster. Without
    /// this nobody calls them. The first caller counts. Where code is loaded when it is needed,
    /// [`Chunk::Webhooks`](crate::code::Chunk::Webhooks) has what else there is to it.
    pub fn set_webhooks(&self, caller: Arc<dyn WebhookCaller>) {
        // In WebAssembly this must not lead to the code: whoever has all of it puts it there.
        if !cfg!(target_family = "wasm") && !self.shared.config.formats.media_types.late {
            code::provide_webhooks();
        }
        self.shared.webhooks.set(caller);
    }

    /// Has a kubelet listen at the address of a node, in place of one that did, for all API servers of the cluster.
    pub fn listen(&self, node: &str, kubelet: Arc<dyn Kubelet>) {
        self.shared.kubelets.listen(node, kubelet);
    }

    /// Has nobody listen any more at the address of a node.
    pub fn hang_up(&self, node: &str) {
        self.shared.kubelets.hang_up(node);
    }

    /// Has ComponentStatuses tell for all API servers of the cluster that a part of its control plane runs, until what this returns is
    /// dropped.
    pub fn run_component(&self, component: Component) -> RunningComponent {
        self.shared.components.run(component)
    }

    /// Makes again what every cluster has and somebody has deleted, such as the Service `kubernetes`: every ten seconds or every minute, by
    /// the clock. Each request does this first; a host whose watches are to hear of it without one does it from time to time.
    pub fn maintain(&self) {
        let due = bootstrap::due(&mut self.shared.storage(), self.shared.config.clock.now());
        bootstrap::make_again(&self.shared, due);
    }

    /// Handles one request. Only watches, and reads of a version that is still to come, take time.
    ///
    /// A part of the same program that has an identity of its own puts it, as a [`User`](crate::User), into the extensions of the
    /// request; it is then authenticated as that user. The user is taken as they are: all groups are named, `system:authenticated`
    /// among them.
    ///
    /// The answer's [extensions](http::Response::extensions) have the [`RequestRecord`] that [`Inspect::served`](crate::inspect::Inspect::served) also has.
    pub async fn call(&self, request: Request<Bytes>) -> Response<Body> {
        let at = self.shared.config.clock.now();
        let (wakers, due, fault) = {
            let mut storage = self.shared.storage();
            (storage.tick(at), bootstrap::due(&mut storage, at), self.next_fault(&mut storage, &request))
        };
        wakers.into_iter().for_each(Waker::wake);
        bootstrap::make_again(&self.shared, due);
        let begin = self.shared.config.clock.stopwatch();
        let reads = [Method::GET, Method::HEAD].contains(request.method());
        let _in_flight =
            self.shared.instruments.get().map(|instruments| InFlight::of(instruments.as_ref(), !reads));
        let mut notes = Notes::default();
        if let Some(instruments) = self.shared.instruments.get() {
            instruments.identify(&self.shared, request.headers(), &notes);
        }
        let asked = audit::Asked::of(&request);
        self.begin_audit(&asked, &notes);
        let answer = match fault {
            Some(fault) => self.fail(fault, &request),
            None => self.answer(&request, Mode::Serve, &notes).await,
        };
        let audit = self.end_audit(&asked, &answer, &mut notes);
        let mut response = answer.into_response();
        self.tell(&mut response, request.headers(), &notes);
        // kube-apiserver passes by what compresses on the way to these documents.
        if !request.uri().path().starts_with("/openapi/v3") {
            let gzip = self.shared.config.formats.media_types.gzip;
            content_encoding::apply(gzip, request.headers(), &mut response);
        }
        let cut = matches!(response.body(), Body::Cut);
        if request.method() == Method::HEAD && !cut {
            if let Some(body) = response.body().bytes() {
                let length = body.len().into();
                response.headers_mut().insert(CONTENT_LENGTH, length);
            }
            *response.body_mut() = Body::Bytes(Bytes::new());
        }
        let code = if cut { 0 } else { response.status().as_u16() };
        let size = response.body().bytes().map_or(0, Bytes::len);
        let user_agent =
            request.headers().get(USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
        let took = self.shared.config.clock.stopwatch().saturating_sub(begin);
        if let Some(instruments) = self.shared.instruments.get() {
            instruments.observe(&self.shared, &request, &notes, took, &mut response);
        }
        if let Some(audit) = audit {
            audit::follow(audit, &mut response);
        }
        let access = notes.access.take();
        let mut served = RequestRecord {
            id: 0,
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
        let mut kept = served.clone();
        let forgotten = {
            let mut storage = self.shared.storage();
            served.id = storage.number();
            kept.id = served.id;
            storage.remember(kept)
        };
        drop(forgotten);
        self.shared.listeners.wake();
        response.extensions_mut().insert(served);
        response
    }

    /// Has a response tell which request it is for, if it is to.
    fn tell(&self, response: &mut Response<Body>, headers: &HeaderMap, notes: &Notes) {
        if let Some(instruments) = self.shared.instruments.get() {
            instruments.tell(&self.shared, headers, notes, response.headers_mut());
        }
    }

    /// Returns the response to a read of the state at `revision`. Nothing is changed by that, and nothing noted.
    pub(crate) async fn read_at(&self, request: &Request<Bytes>, revision: Revision) -> Response<Body> {
        self.answer(request, Mode::At(revision), &Notes::default()).await.into_response()
    }

    /// Returns the response that a write would get. It is a dry run, whatever it says itself; nothing is noted.
    pub(crate) async fn try_out(&self, request: &Request<Bytes>) -> Response<Body> {
        self.answer(request, Mode::DryRun, &Notes::default()).await.into_response()
    }

    /// Finds out in whose name a request is sent, and how long it may take, if that is bounded.
    fn identify(
        &self,
        sender: auth::Sender<'_>,
        (attributes, query): (&Attributes, &Query),
        notes: &Notes,
    ) -> Result<(User, Option<Duration>), Box<Status>> {
        let wait = if attributes.verb == "watch" { Ok(None) } else { deadline::of(query) };
        if let (Err(_), Some(audit)) = (&wait, notes.audit()) {
            audit.failed(attributes);
        }
        let wait = wait?;
        Ok((auth::authenticate(&self.shared, sender, attributes, notes.audit())?, wait))
    }

    /// Handles a request.
    async fn answer(&self, request: &Request<Bytes>, mode: Mode, notes: &Notes) -> Answer {
        let (method, headers, body) = (request.method(), request.headers(), request.body());
        let uri = path_and_query(request.uri());
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let (query, at) = asked(query, mode);
        let query = &query;
        let formats = self.shared.config.formats.media_types;
        let refusal = |status: Box<Status>| {
            Answer::failure(&status, negotiate::failure(formats, headers, query, false))
        };
        let Some(attributes) = Attributes::of(method, path, query) else {
            return no_request_info(uri);
        };
        let denial = |status: Box<Status>| match status.code {
            403 => refusal(status).nosniff(),
            _ => refusal(status),
        };
        let recognized = self.recognized(request).await;
        let sender = auth::Sender::new(headers, request.extensions()).recognized(recognized.as_ref());
        let sender = sender.looking(mode != Mode::Serve);
        let (user, wait) = match self.identify(sender, (&attributes, query), notes) {
            Ok(identified) => identified,
            Err(status) => return denial(status),
        };
        let asked = RequestDigest { request, query, user: &user, attributes: &attributes, timeout: wait };
        let mut _seat = None;
        if mode == Mode::Serve {
            _seat = match self.seat(asked, notes).await {
                Ok(seat) => seat,
                Err(refused) => return refused,
            };
        }
        if let Err(status) = auth::permit(&self.shared, &user, &attributes, notes) {
            return denial(status);
        }
        let resources = self.shared.resources();
        if mode == Mode::Serve
            && let Some(answer) = self.forwarded(asked, &resources, notes).await
        {
            return answer;
        }
        let target = match Route::of(path, &resources) {
            Route::Resource(target) => target,
            other => {
                let shared = &self.shared;
                let published =
                    &|row: &crate::resource::Resource| row.custom().and_then(custom::Custom::published);
                let (route, resources) = (&other, &*resources);
                let question =
                    NonResourceRequest { shared, resources, published, route, path, method, headers, query };
                return (self.shared.config.formats.discovery)(&question).unwrap_or_else(refusal);
            }
        };
        if handlers::is_nowhere(&target, &attributes.verb) {
            return Answer::page_not_found();
        }
        let verb = handlers::find_verb(method, &target, formats, headers);
        let (verb, connects) =
            match verb.and_then(|(verb, connects)| Ok((check_mode(verb, method, mode)?, connects))) {
                Ok(verb) => verb,
                Err(status) => return refusal(status),
            };
        let written = Written((mode == Mode::Serve && method != Method::GET).then_some(&*self.shared));
        let output = negotiate::output(formats, headers, query, target.resource.is_custom());
        let output = match output {
            // Only errors are written in it.
            Err(_) if connects => Ok(negotiate::failure(formats, headers, query, true)),
            output => output,
        };
        let outcome = match output {
            Ok(output) => {
                let (shared, server, target) = (&self.shared, self.number, &target);
                let cache =
                    shared.storage().servers.get(server).and_then(|own| own.caches.find(&target.resource));
                let clock = shared.config.clock.as_ref();
                notes.begin_turn(clock.stopwatch());
                let (user, attributes) = (&user, &attributes);
                let context = RequestContext {
                    shared,
                    server,
                    cache,
                    user,
                    attributes,
                    target,
                    method,
                    uri,
                    query,
                    headers,
                    body,
                    output,
                    at,
                    deadline: Deadline::after(wait, clock),
                    gives_way: mode == Mode::Serve,
                    notes,
                };
                context.in_time(verb, wait).await
            }
            Err(status) => Err(status),
        };
        if method != Method::GET {
            let revision = written.announce().unwrap_or_else(|| self.shared.storage().store.revision());
            // Only the first reading counts: what a handler has read from is noted already.
            let _ = notes.source.set(Source { layer: Layer::Store, revision });
        }
        outcome
            .unwrap_or_else(|status| {
                Answer::failure(&status, negotiate::failure(formats, headers, query, true))
            })
            .warn_first(self.deprecation(&target, notes))
    }

    /// Returns the warning that every use of a deprecated resource earns.
    fn deprecation<'t>(&self, target: &'t Target, notes: &Notes) -> Option<&'t str> {
        let warning = target.resource.deprecation();
        if let (Some(audit), true) = (notes.audit(), warning.is_some()) {
            audit.deprecated();
        }
        warning
    }
}

/// The objects that a request writes, until they are announced. A host may drop a request before its end; what it has
/// written by then (a deletion of a collection may have deleted some) is announced all the same.
struct Written<'a>(Option<&'a Shared>);

impl Written<'_> {
    /// Announces them, if the request may write at all, and returns the newest revision.
    fn announce(mut self) -> Option<Revision> {
        self.0.take().map(Shared::announce)
    }
}

impl Drop for Written<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.0 {
            shared.announce();
        }
    }
}

/// Returns the parameters of a request in this mode, and the revision that is read.
fn asked(query: &str, mode: Mode) -> (Query, Option<Revision>) {
    let mut query = Query::parse(query);
    let at = match mode {
        Mode::At(revision) => {
            query.forget(&["resourceVersion", "resourceVersionMatch"]);
            if !continues_at(query.text("continue"), revision) {
                query.forget(&["continue"]);
            }
            Some(revision)
        }
        Mode::DryRun => {
            query.set("dryRun", "All");
            None
        }
        Mode::Serve => None,
    };
    (query, at)
}

/// Checks that a request may be sent in this mode: the past can only be read, and a deletion says in its body whether it is a
/// dry run.
fn check_mode(verb: &'static str, method: &Method, mode: Mode) -> Result<&'static str, Box<Status>> {
    let fits = match mode {
        Mode::At(_) => method == Method::GET,
        Mode::DryRun => ["create", "update", "patch"].contains(&verb),
        Mode::Serve => true,
    };
    if fits { Ok(verb) } else { Err(Status::method_not_allowed()) }
}

/// Returns whether a continue token is of a list at this revision.
fn continues_at(token: &str, revision: Revision) -> bool {
    let of = |token: ContinueToken| u64::try_from(token.revision) == Ok(revision);
    !token.is_empty() && ContinueToken::decode(token).is_ok_and(of)
}

impl RequestContext<'_> {
    /// Handles the request, or says that it takes longer than it may.
    async fn in_time(&self, verb: &str, wait: Option<Duration>) -> answer::Outcome {
        let Some(wait) = wait else { return self.handle(verb).await };
        let answer = Box::pin(self.handle(verb));
        match select(answer, self.shared.config.clock.sleep(wait)).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => Err(Status::timeout()),
        }
    }
}

/// Whom a write goes by; empty for a read.
fn manager(request: &Request<Bytes>) -> String {
    if [Method::GET, Method::HEAD].contains(request.method()) {
        return String::new();
    }
    field_management::name(&Query::parse(request.uri().query().unwrap_or_default()), request.headers())
}

pub(crate) fn path_and_query(uri: &http::Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}

/// Returns the response to a request of which nobody knows what it is about.
fn no_request_info(uri: &str) -> Answer {
    let why = "failed to create RequestInfo: unable to determine kind and namespace from url";
    Answer::text(500, sanitized(format!("Internal Server Error: {}: {why}, {uri}\n", field::quote(uri))))
}
