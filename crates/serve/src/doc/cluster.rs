//! The cluster of a document: an engine in this thread, whose clock stands until a document lets it go on.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use clock::Clock;
use clock::machine::SystemClock;
use document::lesson::{self, Write};
use document::message::{Body, Request, Response};
use document::{Evaluation, Server};
use engine::{Code, Config, Engine};
use protocol::command::Command;
use protocol::document::Question;
use protocol::message::{CallId, ClusterId, Error, FromEngine, HttpRequest, HttpResponse, Mode, ToEngine};
use protocol::trace::{Change, Event};
use protocol::webhook::WebhookOutcome;

use crate::gzip;

/// The time that passes at once for who waits for it, and the most of it.
const STEP: Duration = Duration::from_secs(1);
const STEPS: usize = 120;

/// The error of a webhook that a function stands in for.
const NO_FUNCTIONS: &str = "functions run in browsers alone";

/// A cluster.
pub(crate) struct Cluster(RefCell<State>);

struct State {
    engine: Engine,
    next: CallId,
    /// The outcomes of calls that were made, and not taken.
    came: BTreeMap<CallId, Came>,
    /// The events of streams.
    events: BTreeMap<CallId, Vec<Bytes>>,
    /// The writes since a step began.
    writes: Vec<Write>,
}

enum Came {
    Response(HttpResponse, Bytes),
    Document(Bytes),
    Failed(Error),
}

impl Cluster {
    /// Makes a cluster whose first write has a revision.
    pub(crate) fn new(first_revision: Option<u64>) -> Self {
        let now = SystemClock.now();
        let formats = apiserver::Formats::ALL.with_gzip(gzip::compress);
        let mut config = Config { now, code: Code { formats, ..Code::WHOLE }, ..Config::default() };
        if let Some(first) = first_revision {
            config.first_revision = first;
        }
        let mut engine = Engine::new(config);
        engine.receive(ToEngine::CallWebhooks, Bytes::new());
        let state =
            State { engine, next: 1, came: BTreeMap::new(), events: BTreeMap::new(), writes: Vec::new() };
        Self(RefCell::new(state))
    }

    /// Begins a step: from now on its writes are kept.
    pub(crate) fn begin_step(&self) {
        let mut state = self.0.borrow_mut();
        state.settle();
        // The first batch is the state from which on the others tell.
        state.engine.receive(ToEngine::Subscribe, Bytes::new());
        state.follow();
        state.writes.clear();
    }

    /// Returns the writes since the step began.
    pub(crate) fn writes(&self) -> Vec<Write> {
        let mut state = self.0.borrow_mut();
        state.settle();
        state.writes.clone()
    }
}

impl State {
    /// Makes a call.
    fn call(&mut self, message: impl FnOnce(CallId) -> ToEngine, payload: Bytes) -> CallId {
        let call = self.next;
        self.next += 1;
        self.engine.receive(message(call), payload);
        call
    }

    /// Makes progress until nothing more comes by itself.
    fn settle(&mut self) {
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            let messages = self.engine.poll(&mut cx);
            if messages.is_empty() {
                return self.follow();
            }
            for (message, payload) in messages {
                match message {
                    FromEngine::Response { call, response } => {
                        self.came.insert(call, Came::Response(response, payload));
                    }
                    FromEngine::Frame { call } => {
                        let events = self.events.entry(call).or_default();
                        events.push(payload);
                        let frames = events.len() as u64;
                        self.engine.receive(ToEngine::Taken { call, frames }, Bytes::new());
                    }
                    FromEngine::Answer { call, .. } => {
                        self.came.insert(call, Came::Document(payload));
                    }
                    FromEngine::Failed { call, error } => {
                        self.came.insert(call, Came::Failed(error));
                    }
                    FromEngine::Webhook { webhook, call } => {
                        let outcome = match call.function {
                            Some(_) => WebhookOutcome::Failed(NO_FUNCTIONS.to_owned()),
                            None => WebhookOutcome::Unreachable,
                        };
                        self.engine.receive(ToEngine::Webhook { webhook, outcome }, Bytes::new());
                    }
                    FromEngine::Done { .. }
                    | FromEngine::End { .. }
                    | FromEngine::Ready
                    | FromEngine::Trace(_) => {}
                }
            }
        }
    }

    /// Takes the writes that are new in the trace, if a step has begun.
    fn follow(&mut self) {
        while let Some(batch) = self.engine.trace() {
            self.engine.receive(ToEngine::TakenTrace { batch: batch.number }, Bytes::new());
            self.writes.extend(batch.events.into_iter().filter_map(|event| match event {
                Event::Write(write) => Some(written(write)),
                _ => None,
            }));
        }
    }

    /// Waits for what comes of a call; time passes for what waits for that.
    fn wait(&mut self, call: CallId) -> Came {
        for _ in 0..STEPS {
            self.settle();
            // What is handled part by part goes on when it is asked again.
            for _ in 0..1000 {
                if let Some(came) = self.came.remove(&call) {
                    return came;
                }
                self.settle();
            }
            self.advance(STEP);
        }
        Came::Failed(Error::Stopped("nothing came".to_owned()))
    }

    fn advance(&mut self, by: Duration) {
        let advance =
            |call| ToEngine::Command { call, cluster: ClusterId::FIRST, command: Command::Advance { by } };
        self.call(advance, Bytes::new());
        self.settle();
    }

    fn request(&mut self, request: &Request) -> CallId {
        let Request { method, target, headers, body } = request;
        let request = HttpRequest { method: method.clone(), uri: target.clone(), headers: headers.clone() };
        let message = |call| ToEngine::Request {
            call,
            cluster: ClusterId::FIRST,
            server: 0,
            mode: Mode::Serve,
            request,
        };
        self.call(message, body.clone())
    }

    fn respond(&mut self, call: CallId) -> Result<Response, String> {
        match self.wait(call) {
            Came::Response(head, body) => {
                let compressed =
                    head.headers.iter().any(|(name, value)| name == "content-encoding" && value == "gzip");
                let body = if compressed { decompressed(&body)? } else { body };
                let body = if head.streams { Body::Stream(call) } else { Body::Whole(body) };
                Ok(Response { status: head.status, headers: head.headers, body })
            }
            Came::Document(body) => Ok(Response { body: Body::Whole(body), ..Response::default() }),
            Came::Failed(why) => Err(why.to_string()),
        }
    }

    fn ask(&mut self, question: Question, document: Bytes) -> Result<Bytes, Error> {
        let call = self.call(|call| ToEngine::Question { call, question }, document);
        match self.wait(call) {
            Came::Document(bytes) => Ok(bytes),
            Came::Failed(why) => Err(why),
            Came::Response(..) => Err(Error::Stopped("there is no such question".to_owned())),
        }
    }
}

fn written(write: protocol::trace::Write) -> Write {
    let change = match write.change {
        Change::Created => lesson::Change::Added,
        Change::Updated => lesson::Change::Modified,
        Change::Deleted => lesson::Change::Deleted,
    };
    let protocol::trace::ObjectKey { group, resource, namespace, name } = write.key;
    Write { revision: write.revision, change, group, resource, namespace, name }
}

fn decompressed(body: &[u8]) -> Result<Bytes, String> {
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(body).read_to_end(&mut whole).map_err(|error| error.to_string())?;
    Ok(whole.into())
}

impl Server for Cluster {
    async fn send(&self, request: &Request) -> Result<Response, String> {
        let mut state = self.0.borrow_mut();
        let call = state.request(request);
        state.respond(call)
    }

    async fn arrange(&self, requests: Vec<Request>) -> Result<Vec<(u16, Bytes)>, String> {
        let mut responses = Vec::new();
        for request in &requests {
            let response = self.send(request).await?;
            let body = match response.body {
                Body::Whole(body) => body,
                Body::Stream(_) => Bytes::new(),
            };
            responses.push((response.status, body));
        }
        Ok(responses)
    }

    async fn events(&self, stream: u64) -> Vec<Bytes> {
        let mut state = self.0.borrow_mut();
        state.settle();
        state.events.get(&stream).cloned().unwrap_or_default()
    }

    async fn advance(&self, by: Duration) {
        self.0.borrow_mut().advance(by);
    }

    async fn to_json(&self, content_type: &str, document: Bytes) -> Result<Bytes, String> {
        let question = Question::ToJson { content_type: content_type.to_owned() };
        self.0.borrow_mut().ask(question, document).map_err(|error| error.to_string())
    }

    async fn encode(&self, content_type: &str, json: Bytes) -> Result<Bytes, String> {
        let question = Question::Encode { content_type: content_type.to_owned() };
        self.0.borrow_mut().ask(question, json).map_err(|error| error.to_string())
    }

    async fn evaluate(&self, expression: &str, variables: Bytes) -> Result<bool, Evaluation> {
        let question = Question::Evaluate { expression: expression.to_owned() };
        let value = self.0.borrow_mut().ask(question, variables)?;
        Ok(*value == *b"true")
    }
}
