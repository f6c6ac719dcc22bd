//! The engine as the npm package `@kubeglass/engine` drives it: messages go in and come out as values of JavaScript, with few
//! calls for each request.
//!
//! `js/local.js` calls it, in the program itself or in a worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use bytes::Bytes;
use clock::Clock;
use engine::{Config, Engine, FIRST_REVISION};
use js_sys::{Array, Uint8Array};
use protocol::command::Command;
use protocol::document::Question;
use protocol::message::{ClusterId, Error, FromEngine, HttpRequest, Mode, ToEngine};
use protocol::webhook::WebhookOutcome;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The milliseconds of a clock that only goes forward.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn monotonic() -> f64;
}

/// An engine with all of its code.
#[wasm_bindgen]
pub struct PackageEngine {
    engine: Engine,
    woken: Arc<Woken>,
    /// The time up to which the engine's clock has gone, in milliseconds.
    elapsed: f64,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The kinds of messages in [`PackageEngine::poll`]'s array, each with what follows its number. `js/calls.js` has the numbers, too.
#[derive(Clone, Copy)]
enum Kind {
    /// The call, the status, the headers as lines of name and value in turn, whether it is a stream, the body.
    Response = 1,
    /// The call, the bytes.
    Frame = 2,
    /// The call.
    End = 3,
    /// The call, JSON.
    Done = 4,
    /// The call, why, whether the connection was cut.
    Failed = 5,
    /// JSON.
    Trace = 6,
    /// The call, the document.
    Document = 7,
    /// The number of the call of a webhook, the URL, the longest time in milliseconds, the review.
    Webhook = 8,
}

#[wasm_bindgen]
impl PackageEngine {
    /// Makes an engine whose clock stands at `now`, in milliseconds since the Unix epoch. A first revision of 0 is the usual one.
    #[wasm_bindgen(constructor)]
    pub fn new(now: f64, seed: u64, first_revision: u64) -> Self {
        // A panic becomes an error of the call that met it; the engine is not to be used again.
        std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
        let first_revision = if first_revision == 0 { FIRST_REVISION } else { first_revision };
        let stopwatch = Some((|| milliseconds(monotonic())) as fn() -> Duration);
        let config = Config { now: milliseconds(now), seed, first_revision, stopwatch, ..Config::default() };
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        Self { engine: Engine::new(config), woken, elapsed: monotonic() }
    }

    /// Sends a request. `headers` are lines: a name, its value, the next name.
    #[allow(clippy::too_many_arguments)]
    pub fn request(
        &mut self,
        call: f64,
        cluster: u32,
        method: String,
        uri: String,
        headers: &str,
        body: Option<Vec<u8>>,
    ) {
        let mut lines = headers.split('\n');
        let mut pairs = Vec::new();
        while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
            pairs.push((name.to_owned(), value.to_owned()));
        }
        let request = HttpRequest { method, uri, headers: pairs };
        let (call, cluster, body) = (call as u64, ClusterId(cluster), Bytes::from(body.unwrap_or_default()));
        self.receive(ToEngine::Request { call, cluster, server: 0, mode: Mode::Serve, request }, body);
    }

    /// Runs a command, in JSON.
    ///
    /// # Errors
    /// It is none.
    pub fn command(&mut self, call: f64, cluster: u32, command: &str) -> Result<(), String> {
        let command: Command =
            serde_json::from_str(command).map_err(|error| format!("not a command: {error}"))?;
        let (call, cluster) = (call as u64, ClusterId(cluster));
        self.receive(ToEngine::Command { call, cluster, command }, Bytes::new());
        Ok(())
    }

    /// Asks for a document in YAML as JSON.
    pub fn to_json(&mut self, call: f64, yaml: Vec<u8>) {
        let question = Question::ToJson { content_type: "application/yaml".to_owned() };
        self.receive(ToEngine::Question { call: call as u64, question }, yaml.into());
    }

    /// Asks about the controllers of the first cluster, or has them do something: a [`protocol::controllers::Ask`] in JSON.
    pub fn controllers(&mut self, call: f64, ask: Vec<u8>) {
        let question = Question::Controllers { load: true };
        self.receive(ToEngine::Question { call: call as u64, question }, ask.into());
    }

    /// Wants nothing more of a call.
    pub fn cancel(&mut self, call: f64) {
        self.receive(ToEngine::Cancel { call: call as u64 }, Bytes::new());
    }

    /// Says how many frames of a stream were taken in all.
    pub fn taken(&mut self, call: f64, frames: f64) {
        self.receive(ToEngine::Taken { call: call as u64, frames: frames as u64 }, Bytes::new());
    }

    /// Wants the trace from its beginning.
    pub fn subscribe(&mut self) {
        self.receive(ToEngine::Subscribe, Bytes::new());
    }

    /// Says up to which batch the trace was taken.
    pub fn taken_trace(&mut self, batch: f64) {
        self.receive(ToEngine::TakenTrace { batch: batch as u64 }, Bytes::new());
    }

    /// Has webhooks called by whoever takes what [`Self::poll`] tells. Without that nothing listens at any URL.
    pub fn call_webhooks(&mut self) {
        self.receive(ToEngine::CallWebhooks, Bytes::new());
    }

    /// Tells the response of a webhook.
    pub fn tell_webhook(&mut self, webhook: f64, status: u16, content_type: String, body: Vec<u8>) {
        let outcome = WebhookOutcome::Response { status, content_type };
        self.receive(ToEngine::Webhook { webhook: webhook as u64, outcome }, body.into());
    }

    /// Tells why a webhook has given no response.
    pub fn fail_webhook(&mut self, webhook: f64, why: String) {
        let outcome = WebhookOutcome::Failed(why);
        self.receive(ToEngine::Webhook { webhook: webhook as u64, outcome }, Bytes::new());
    }

    /// Returns the time of the cluster's clock, in milliseconds since the Unix epoch.
    pub fn now(&mut self) -> f64 {
        self.elapse();
        self.engine.clock().map_or(0.0, |clock| Clock::now(clock).as_secs_f64() * 1e3)
    }

    /// Lets the time elapse that has passed, and makes progress. Returns what is to be told, one message after the other in a
    /// flat array; `undefined` if there is nothing. With `trace`, what is new of that is told, too.
    pub fn poll(&mut self, trace: bool) -> Option<Array> {
        self.elapse();
        self.woken.0.store(false, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&self.woken));
        let messages = self.engine.poll(&mut Context::from_waker(&waker));
        let batch = if trace { self.engine.trace() } else { None };
        let told = Array::new();
        for (message, payload) in messages {
            tell(&told, message, &payload);
        }
        if let Some(json) = batch.and_then(|batch| serde_json::to_string(&batch).ok()) {
            told.push(&JsValue::from(Kind::Trace as u8));
            told.push(&json.into());
        }
        (told.length() > 0).then_some(told)
    }

    /// Returns whether there is more to be done at once.
    pub fn is_woken(&self) -> bool {
        self.woken.0.load(Ordering::Relaxed)
    }

    fn receive(&mut self, message: ToEngine, payload: Bytes) {
        self.woken.0.store(true, Ordering::Relaxed);
        self.engine.receive(message, payload);
    }

    fn elapse(&mut self) {
        let now = monotonic();
        self.engine.elapse(milliseconds(now - self.elapsed));
        self.elapsed = now;
    }
}

fn tell(told: &Array, message: FromEngine, payload: &Bytes) {
    let begin = |kind: Kind, call: u64| {
        told.push(&JsValue::from(kind as u8));
        told.push(&JsValue::from(call as f64));
    };
    match message {
        FromEngine::Response { call, response } => {
            begin(Kind::Response, call);
            told.push(&response.status.into());
            let lines: Vec<&str> =
                response.headers.iter().flat_map(|(name, value)| [name.as_str(), value]).collect();
            told.push(&lines.join("\n").into());
            told.push(&response.streams.into());
            told.push(&Uint8Array::from(payload.as_ref()));
        }
        FromEngine::Frame { call } => {
            begin(Kind::Frame, call);
            told.push(&Uint8Array::from(payload.as_ref()));
        }
        FromEngine::End { call } => begin(Kind::End, call),
        FromEngine::Done { call, done } => {
            begin(Kind::Done, call);
            told.push(&serde_json::to_string(&done).unwrap_or_default().into());
        }
        FromEngine::Failed { call, error } => {
            begin(Kind::Failed, call);
            told.push(&error.to_string().into());
            told.push(&matches!(error, Error::Cut).into());
        }
        FromEngine::Answer { call, .. } => {
            begin(Kind::Document, call);
            told.push(&Uint8Array::from(payload.as_ref()));
        }
        FromEngine::Webhook { webhook, call } => {
            begin(Kind::Webhook, webhook);
            told.push(&call.url.into());
            told.push(&(call.timeout.as_secs_f64() * 1e3).into());
            told.push(&Uint8Array::from(payload.as_ref()));
        }
        FromEngine::Ready | FromEngine::Trace(_) => {}
    }
}

fn milliseconds(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default()
}
