//! A Kubernetes cluster as one value that a host drives: API servers over one store, their clock, faults, forks, and the
//! trace of what happens.
//!
//! The engine does no I/O, starts no thread and has no time of its own. A host hands it the [messages](protocol) that
//! come, lets real time [elapse](Engine::elapse), [polls](Engine::poll) it, and sends what it gives. All hosts drive it
//! in this way: a worker of a web page, a process, a test.
//!
//! ```
//! use std::time::Duration;
//! use bytes::Bytes;
//! use engine::{Config, Engine};
//! use protocol::message::{ClusterId, FromEngine, HttpRequest, Mode, ToEngine};
//!
//! let mut engine = Engine::new(Config { now: Duration::from_secs(1_800_000_000), ..Config::default() });
//! let request = HttpRequest { method: "GET".into(), uri: "/api/v1/namespaces".into(), headers: vec![] };
//! let message = ToEngine::Request { call: 1, cluster: ClusterId::FIRST, server: 0, mode: Mode::Serve, request };
//! engine.receive(message, Bytes::new());
//! let messages = engine.poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
//! assert!(matches!(&messages[1].0, FromEngine::Response { call: 1, response } if response.status == 200));
//! ```
#![deny(missing_docs)]

mod call;
mod cluster;
mod command;
pub mod controllers;
mod question;
mod shared;
mod slow;
mod stream;
mod time;
mod tracer;
mod webhooks;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use apiserver::code::Chunk;
use apiserver::documents::Documents;
use apiserver::expressions::{self, Evaluate};
use apiserver::{ApiServer, Compaction, Formats, Validation, Writes};
use bytes::Bytes;
use clock::{ManualClock, SeededRandom};
use futures::future::{AbortHandle, LocalBoxFuture, abortable};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use protocol::command::Command;
use protocol::document::Question;
use protocol::message::{CallId, ClusterId, Error, FromEngine, ToEngine};
use protocol::packet::{self, Packet, PacketError};
use protocol::trace::Batch;

use call::Outcome;
use cluster::Cluster;
use controllers::Slot;
use slow::{Call, QUICK_BODY, Slow};
use stream::Streams;
use time::EngineClock;
use webhooks::Webhooks;

pub use shared::SharedCluster;
pub use tracer::Tracer;

/// A message to be sent, and its payload.
pub type Outgoing = (FromEngine, Bytes);

/// The configuration of an engine.
pub struct Config {
    /// The time at which its clock begins, since the Unix epoch.
    pub now: Duration,
    /// The seed of its random numbers: the same requests at the same times make the same cluster.
    pub seed: u64,
    /// The revision of the first write; [`FIRST_REVISION`], unless there is a reason.
    pub first_revision: u64,
    /// The code that needs not be there from the beginning.
    pub code: Code,
    /// The host's time, by which it is measured how long something takes; `None` where the host has none.
    pub stopwatch: Option<Stopwatch>,
}

/// Code that needs not be there from the beginning.
#[derive(Clone)]
pub struct Code {
    /// The media types that the API servers speak.
    pub formats: Formats,
    /// How the API servers validate.
    pub validation: Validation,
    /// How the API servers handle writes.
    pub writes: Writes,
    /// The answers to questions about documents, once their code is there.
    pub documents: fn() -> Option<Documents>,
    /// The evaluation of expressions that stand alone.
    pub evaluate: Evaluate,
    /// The code of controllers, once it is there.
    pub controllers: fn() -> Option<controllers::Make>,
    /// Puts the code that calls webhooks where it is looked for, where it is there.
    pub webhooks: fn(),
    /// Loads the code of controllers; `None` where it is there.
    pub load_controllers: Option<controllers::LoadControllers>,
    /// Loads a chunk that is needed and not there; `None` where all code is there.
    pub load: Option<Load>,
}

impl Code {
    /// All of it is there.
    pub const WHOLE: Self = Self {
        formats: Formats::ALL,
        validation: Validation::HERE,
        writes: Writes::HERE,
        documents: || Some(Documents::HERE),
        evaluate: expressions::HERE,
        controllers: || Some(controllers::here),
        webhooks: apiserver::code::provide_webhooks,
        load_controllers: None,
        load: None,
    };

    /// Nothing is there but the core: chunks are loaded when they are first needed.
    pub fn late(load: Load, load_controllers: controllers::LoadControllers) -> Self {
        Self {
            formats: Formats::LATE,
            validation: Validation::LATE,
            writes: Writes::LATE,
            documents: || apiserver::code::documents().copied(),
            evaluate: expressions::LATE,
            controllers: controllers::late,
            webhooks: || {},
            load_controllers: Some(load_controllers),
            load: Some(load),
        }
    }
}

/// Loads a chunk of code. An error says why it cannot be had now; it is tried again when it is needed again.
pub type Load = Rc<dyn Fn(Chunk) -> LocalBoxFuture<'static, Result<(), String>>>;

/// Tells the time since some beginning.
pub type Stopwatch = fn() -> Duration;

/// The revision of the first write: where the examples of the Kubernetes documentation begin.
pub const FIRST_REVISION: u64 = 10245;

/// A configuration with all code. What mentions it carries all code: an engine that loads code later names each field.
impl Default for Config {
    fn default() -> Self {
        Self {
            now: Duration::ZERO,
            seed: 1,
            first_revision: FIRST_REVISION,
            code: Code::WHOLE,
            stopwatch: None,
        }
    }
}

/// Clusters, and everything that is under way in them.
pub struct Engine {
    clock: EngineClock,
    /// The clusters: the first one, and forks.
    clusters: BTreeMap<ClusterId, Cluster>,
    next_cluster: u32,
    /// True if the first cluster has been sent a request, or its trace was requested.
    used: bool,
    /// The messages that wait until a cluster is restored, if one is.
    held: Option<Vec<(ToEngine, Bytes)>>,
    /// The calls that have not been answered.
    pending: HashMap<CallId, AbortHandle>,
    calls: FuturesUnordered<Call>,
    /// The requests with large bodies that wait for their turn.
    slow: Slow,
    streams: Streams,
    tracer: Option<Tracer>,
    /// The part of the client that calls webhooks, if it does.
    webhooks: Option<webhooks::Client>,
    /// The controllers of the first cluster.
    controllers: Slot,
    code: Code,
    stopwatch: Option<Stopwatch>,
    outgoing: Vec<Outgoing>,
}

impl Engine {
    /// Makes an engine with one cluster that has one API server. Where code is loaded later, that of writes is on its way
    /// from the beginning.
    pub fn new(config: Config) -> Self {
        let clock = ManualClock::new(config.now);
        if let Some(stopwatch) = config.stopwatch {
            clock.measure_by(stopwatch);
        }
        let server = ApiServer::new(apiserver::Config {
            clock: Arc::new(clock.clone()),
            random: Arc::new(SeededRandom::new(config.seed)),
            first_revision: config.first_revision,
            tokens: None,
            always_allows: false,
            formats: config.code.formats,
            feature_gates: apiserver::FeatureGates::default(),
            plugins: apiserver::Plugins::default(),
            validation: config.code.validation,
            writes: config.code.writes,
            compaction: Compaction::default(),
            min_request_timeout: apiserver::MIN_REQUEST_TIMEOUT,
        });
        (config.code.webhooks)();
        let mut cluster = SharedCluster::with_manual_clock(server, clock);
        cluster.cluster = cluster.cluster.with_webhooks(Some(&Webhooks::default()));
        Self { used: false, ..Self::join(cluster, config.code, config.stopwatch) }
    }

    /// Makes an engine for another client of a cluster. Forks are its own.
    pub fn join(cluster: SharedCluster, code: Code, stopwatch: Option<Stopwatch>) -> Self {
        let calls = FuturesUnordered::new();
        if let Some(load) = code.load.clone() {
            calls.push(call::prefetch(load, &[Chunk::Writes]).boxed_local());
        }
        Self {
            clock: cluster.clock,
            clusters: BTreeMap::from([(ClusterId::FIRST, cluster.cluster)]),
            next_cluster: 1,
            used: true,
            held: None,
            pending: HashMap::new(),
            calls,
            slow: Slow::default(),
            streams: Streams::default(),
            tracer: None,
            webhooks: None,
            controllers: cluster.controllers,
            code,
            stopwatch,
            outgoing: vec![(FromEngine::Ready, Bytes::new())],
        }
    }

    /// Returns the first cluster, for other engines to [join](Self::join).
    pub fn share(&self) -> Option<SharedCluster> {
        let cluster = self.clusters.get(&ClusterId::FIRST)?.clone();
        Some(SharedCluster { cluster, clock: self.clock.clone(), controllers: self.controllers.clone() })
    }

    /// Returns an API server of the first cluster by its number, for hosts that serve it in another way, too; the first
    /// one where there is none of that number.
    pub fn server(&self, number: usize) -> Option<ApiServer> {
        Some(self.clusters.get(&ClusterId::FIRST)?.server(number))
    }

    /// Returns the clock of all clusters, unless it is the host's.
    pub fn clock(&self) -> Option<&ManualClock> {
        self.clock.settable().ok()
    }

    /// Returns whether somebody wants the trace.
    pub fn is_traced(&self) -> bool {
        self.tracer.is_some()
    }

    /// Lets real time elapse: the clock goes on by as much of it as its rate says.
    pub fn elapse(&self, real: Duration) {
        self.clock.elapse(real);
        if let Some(webhooks) = self.clusters.get(&ClusterId::FIRST).and_then(Cluster::webhooks) {
            webhooks.elapse(real);
        }
    }

    /// Takes a packet of messages. Of one that cannot be read nothing is done.
    ///
    /// # Errors
    /// The bytes are no packet of this version.
    pub fn receive_packet(&mut self, packet: &Bytes) -> Result<(), PacketError> {
        for (message, payload) in packet::decode::<ToEngine>(packet)? {
            self.receive(message, payload);
        }
        Ok(())
    }

    /// Takes a message. What comes of it [`Self::poll`] gives. While code is loaded that it takes to restore a cluster, what comes
    /// behind waits.
    pub fn receive(&mut self, message: ToEngine, payload: Bytes) {
        if let Some(held) = &mut self.held {
            return held.push((message, payload));
        }
        match message {
            ToEngine::Request { call, cluster, server, mode, request } => {
                self.used = true;
                let Some(known) = self.clusters.get(&cluster) else {
                    return self.fail(call, Error::UnknownCluster);
                };
                let large = payload.len() > QUICK_BODY;
                let outcome =
                    call::request(known.server(server), self.code.load.clone(), mode, request, payload);
                let outcome = outcome.map(move |answered| Outcome::Request(call, answered)).boxed_local();
                if large {
                    let outcome = self.abortable(call, outcome);
                    self.slow.push(outcome);
                } else {
                    self.begin(call, outcome);
                }
            }
            ToEngine::Cancel { call } => {
                if let Some(handle) = self.pending.remove(&call) {
                    handle.abort();
                }
                self.streams.close(call);
            }
            ToEngine::Taken { call, frames } => self.streams.taken(call, frames),
            ToEngine::Command { call, cluster, command: Command::Restore(backup) } => {
                let load = self.code.load.as_ref().filter(|_| !Chunk::Writes.is_there());
                let Some(load) = load else {
                    return self.command(call, cluster, Command::Restore(backup));
                };
                let loading = load(Chunk::Writes);
                let outcome = async move { Some(Outcome::Restore(call, cluster, backup, loading.await)) };
                self.calls.push(outcome.boxed_local());
                self.held = Some(Vec::new());
            }
            ToEngine::Command { call, cluster, command } => self.command(call, cluster, command),
            ToEngine::Question { call, question: Question::Controllers { load } } => {
                let Some(server) = self.server(0) else { return self.fail(call, Error::UnknownCluster) };
                let (slot, clock) = (self.controllers.clone(), self.clock.shared());
                self.used |= load;
                let code = load.then(|| self.code.clone());
                let answer = controllers::answer(slot, server, clock, payload, code);
                self.begin(call, answer.map(move |answer| Outcome::Question(call, answer)).boxed_local());
            }
            ToEngine::Question { call, question } => {
                let answer = question::answer(question, payload, self.code.clone(), self.stopwatch);
                self.begin(call, answer.map(move |answer| Outcome::Question(call, answer)).boxed_local());
            }
            ToEngine::Prefetch => {
                if let Some(load) = self.code.load.clone() {
                    self.calls.push(call::prefetch(load, &Chunk::ALL).boxed_local());
                }
            }
            ToEngine::Subscribe => {
                self.used = true;
                self.tracer = Some(Tracer::default());
            }
            ToEngine::CallWebhooks => {
                let webhooks = self.clusters.get(&ClusterId::FIRST).and_then(Cluster::webhooks);
                self.webhooks = webhooks.map(Webhooks::join);
            }
            ToEngine::Webhook { webhook, outcome } => {
                if let Some(webhooks) = self.clusters.get(&ClusterId::FIRST).and_then(Cluster::webhooks) {
                    webhooks.told(webhook, outcome, payload);
                }
            }
            ToEngine::TakenTrace { batch } => {
                if let Some(tracer) = &mut self.tracer {
                    tracer.taken(batch);
                }
            }
        }
    }

    /// Makes progress with everything that is under way, and returns what is to be sent, in order. `cx` is woken when
    /// there may be more. Of the requests with large bodies one at a time is handled, when there is nothing to be sent, and
    /// part by part, so that others need not wait for it.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Vec<Outgoing> {
        let mut outgoing = self.progress(cx);
        if let Some(outcome) = self.slow.poll(cx, outgoing.is_empty()) {
            self.answer(outcome);
            // What was written is to be told by streams.
            outgoing.extend(self.progress(cx));
        }
        outgoing
    }

    fn progress(&mut self, cx: &mut Context<'_>) -> Vec<Outgoing> {
        loop {
            while let Poll::Ready(Some(outcome)) = self.calls.poll_next_unpin(cx) {
                if let Some(outcome) = outcome {
                    self.answer(outcome);
                }
            }
            self.controllers.poll(cx);
            self.streams.poll(cx, &mut self.outgoing);
            if let Some(webhooks) = &self.webhooks {
                webhooks.take(cx, &mut self.outgoing);
            }
            // A stream that has ended may have been what a call waited for; then it has woken `cx` as well.
            if self.calls.is_empty() || !self.streams.progressed() {
                return std::mem::take(&mut self.outgoing);
            }
        }
    }

    /// Returns what is new in the first cluster, if somebody subscribed, is not too far behind, and there is something.
    /// Batches are as large as calls are rare.
    pub fn trace(&mut self) -> Option<Batch> {
        let cluster = self.clusters.get(&ClusterId::FIRST)?;
        self.tracer.as_mut()?.batch(cluster.first(), self.clock.time())
    }

    /// As [`Self::poll`], but large requests wait: for a host who has not yet taken all messages that are there.
    pub fn poll_quick(&mut self, cx: &mut Context<'_>) -> Vec<Outgoing> {
        if !self.slow.is_empty() {
            cx.waker().wake_by_ref();
        }
        self.progress(cx)
    }

    /// Polls, and returns what is to be sent as one packet; the trace comes last. `None` if there is nothing. With `quick`,
    /// large requests wait.
    pub fn poll_packet(&mut self, cx: &mut Context<'_>, trace: bool, quick: bool) -> Option<Packet> {
        let mut messages = if quick { self.poll_quick(cx) } else { self.poll(cx) };
        let batch = if trace { self.trace() } else { None };
        messages.extend(batch.map(|batch| (FromEngine::Trace(batch), Bytes::new())));
        if messages.is_empty() { None } else { Packet::encode(messages).ok() }
    }

    fn begin(&mut self, call: CallId, outcome: LocalBoxFuture<'static, Outcome>) {
        let outcome = self.abortable(call, outcome);
        self.calls.push(outcome);
    }

    fn abortable(&mut self, call: CallId, outcome: LocalBoxFuture<'static, Outcome>) -> Call {
        let (outcome, handle) = abortable(outcome);
        self.pending.insert(call, handle);
        outcome.map(Result::ok).boxed_local()
    }

    fn answer(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Request(call, Ok(answered)) => {
                self.pending.remove(&call);
                let (response, body, stream) = answered;
                self.outgoing.push((FromEngine::Response { call, response }, body));
                if let Some(stream) = stream {
                    self.streams.open(call, stream);
                }
            }
            Outcome::Question(call, Ok((answer, document))) => {
                self.pending.remove(&call);
                self.outgoing.push((FromEngine::Answer { call, answer }, document));
            }
            Outcome::Request(call, Err(error)) | Outcome::Question(call, Err(error)) => {
                self.fail(call, error)
            }
            Outcome::Restore(call, cluster, backup, loaded) => {
                match loaded {
                    Ok(()) => self.command(call, cluster, Command::Restore(backup)),
                    Err(why) => self.fail(call, Error::NotLoaded(why)),
                }
                let held = self.held.take().unwrap_or_default();
                held.into_iter().for_each(|(message, payload)| self.receive(message, payload));
            }
        }
    }

    /// Runs a command, and says what came of it.
    fn command(&mut self, call: CallId, cluster: ClusterId, command: Command) {
        match self.run(cluster, command) {
            Ok(done) => self.outgoing.push((FromEngine::Done { call, done }, Bytes::new())),
            Err(error) => self.fail(call, error),
        }
    }

    fn fail(&mut self, call: CallId, error: Error) {
        self.pending.remove(&call);
        self.outgoing.push((FromEngine::Failed { call, error }, Bytes::new()));
    }
}
