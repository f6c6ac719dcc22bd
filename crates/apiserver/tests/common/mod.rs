//! A cluster to send requests to, and streams that are read without waiting.
#![allow(dead_code, unreachable_pub)]

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use apiserver::code::{self, Chunk};
use apiserver::{
    ApiServer, Body, Compaction, Config, Formats, ManualClock, Random, SeededRandom, User, Validation, Writes,
};
use bytes::Bytes;
use futures::{FutureExt, Stream};
use http::Request;
use json_tree::{Value, json};

/// 2026-01-01T00:00:00Z
pub const START: Duration = Duration::from_secs(1_767_225_600);

/// How many random cases are tried: `KUBEGLASS_CASES`, if that is set, else `default`.
pub fn cases(default: u32) -> u32 {
    std::env::var("KUBEGLASS_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

/// A server and its clock.
pub struct Cluster {
    pub server: ApiServer,
    pub clock: ManualClock,
}

/// The configuration of most clusters.
fn config(clock: &ManualClock) -> Config {
    let random = Arc::new(SeededRandom::new(7));
    Config { first_revision: 100, ..Config::new(Arc::new(clock.clone()), random) }
}

/// A status code and a JSON body.
pub type Answer = (u16, Value);

impl Cluster {
    pub fn new() -> Self {
        Self::with(|config| config)
    }

    /// A cluster whose code is loaded when it is needed.
    pub fn late() -> Self {
        let (formats, validation, writes) = (Formats::LATE, Validation::LATE, Writes::LATE);
        Self::with(|config| Config { formats, validation, writes, ..config })
    }

    pub fn with_tokens(tokens: Option<Vec<(String, User)>>) -> Self {
        Self::with(|config| Config { tokens, ..config })
    }

    pub fn with_compaction(compaction: Compaction) -> Self {
        Self::with(|config| Config { compaction, ..config })
    }

    pub fn with_random(random: Arc<dyn Random>) -> Self {
        Self::with(|config| Config { random, ..config })
    }

    /// A cluster with another configuration than most.
    pub fn with(change: impl FnOnce(Config) -> Config) -> Self {
        let clock = ManualClock::new(START);
        Self { server: ApiServer::new(change(config(&clock))), clock }
    }

    /// A cluster whose services have addresses in a range.
    pub fn with_service_range(range: &str) -> Self {
        let clock = ManualClock::new(START);
        let range = range.parse().expect("a range");
        Self { server: ApiServer::with_service_range(config(&clock), range), clock }
    }

    /// A cluster of its own with what is in this one now. The time is the same.
    pub fn fork(&self) -> Self {
        let revision = self.server.inspect().overview().revision;
        let server = self.server.fork(revision, Arc::new(SeededRandom::new(7))).expect("it is the newest");
        Self { server, clock: self.clock.clone() }
    }

    /// Sends a request that is answered at once, with the code that it needs.
    pub fn send(&self, request: Request<Bytes>) -> http::Response<Body> {
        self.server.missing(&request).into_iter().for_each(provide);
        self.pass(request)
    }

    /// Sends a request that is answered at once, whatever code it needs.
    pub fn pass(&self, request: Request<Bytes>) -> http::Response<Body> {
        self.server.call(request).now_or_never().expect("the answer takes no time")
    }

    /// `METHOD PATH` and a JSON body.
    pub fn request(&self, line: &str, body: impl Into<Bytes>) -> http::Response<Body> {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        let request = Request::builder().method(method).uri(path).body(body.into()).expect("a request");
        self.send(request)
    }

    pub fn json(&self, line: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        read(&self.request(line, body))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.json(&format!("GET {path}"), &Value::Null)
    }

    /// Creates a ConfigMap in `default` and gives its version.
    pub fn create(&self, name: &str, labels: &Value) -> u64 {
        let body = json!({ "metadata": { "name": name, "labels": labels } });
        let (code, object) = self.json("POST /api/v1/namespaces/default/configmaps", &body);
        assert_eq!(code, 201, "{object}");
        version(&object)
    }

    /// Opens a watch of the ConfigMaps in `default`.
    pub fn watch(&self, query: &str) -> Watch {
        self.watch_path(&format!("/api/v1/namespaces/default/configmaps?watch=1&{query}"))
    }

    /// Opens a watch at a path.
    pub fn watch_path(&self, path: &str) -> Watch {
        match self.request(&["GET ", path].concat(), "").into_body() {
            Body::Stream(stream) => Watch::of(stream),
            body => panic!("not a stream: {body:?}"),
        }
    }
}

/// Loads a chunk of code.
pub fn provide(chunk: Chunk) {
    match chunk {
        Chunk::MediaTypes => code::provide_media_types(),
        Chunk::Tables => code::provide_tables(),
        Chunk::Discovery => code::provide_discovery(),
        Chunk::OpenApi => code::provide_openapi(),
        Chunk::Writes => code::provide_writes(),
        Chunk::Workloads => code::provide_workloads(),
        Chunk::Validation => code::provide_validation(),
        Chunk::Expressions => code::provide_expressions(),
        Chunk::Webhooks => code::provide_webhooks(),
        Chunk::Documents => code::provide_documents(),
    }
}

pub fn read(response: &http::Response<Body>) -> Answer {
    let bytes = response.body().bytes().expect("not a stream");
    (response.status().as_u16(), serde_json::from_slice(bytes).unwrap_or(Value::Null))
}

pub fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).expect("a version")
}

/// A waker that remembers that it was called.
pub struct Flag(AtomicBool);

impl Flag {
    /// Nobody has looked yet, which is as good as being woken.
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicBool::new(true)))
    }

    pub fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }

    /// Returns whether the waker was called since this was asked last.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }

    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.set();
    }
}

/// An open watch.
pub struct Watch(Pin<Box<dyn Stream<Item = Bytes> + Send>>, Arc<Flag>);

impl Watch {
    pub fn of(stream: Pin<Box<dyn Stream<Item = Bytes> + Send>>) -> Self {
        Self(stream, Flag::new())
    }

    /// Returns whether the watch was woken since this was asked last.
    pub fn was_woken(&self) -> bool {
        self.1.take()
    }

    /// The events that are there: `TYPE name@version`. `closed` stands at the end of a stream that has ended.
    pub fn events(&mut self) -> Vec<String> {
        let mut events = Vec::new();
        let waker = self.1.waker();
        let mut cx = Context::from_waker(&waker);
        loop {
            match self.0.as_mut().poll_next(&mut cx) {
                Poll::Ready(Some(frame)) => events.push(show(&frame)),
                Poll::Ready(None) => {
                    events.push("closed".to_owned());
                    return events;
                }
                Poll::Pending => return events,
            }
        }
    }
}

fn show(frame: &Bytes) -> String {
    let event: Value = serde_json::from_slice(frame).expect("a frame of JSON");
    let (kind, object) = (event["type"].as_str().unwrap_or_default(), &event["object"]);
    match kind {
        "ERROR" => format!("ERROR {} {}", object["code"], object["message"].as_str().unwrap_or_default()),
        "BOOKMARK" => format!("BOOKMARK @{}", version(object)),
        _ => {
            format!("{kind} {}@{}", object["metadata"]["name"].as_str().unwrap_or_default(), version(object))
        }
    }
}
