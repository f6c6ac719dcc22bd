//! The protocol over HTTP, for a page, or another program, that shows what happens in the cluster and does to it what no
//! Kubernetes API can: everything below `/kubeglass/v1/`. It is for whoever may do everything.
//!
//! | path | what is there |
//! | --- | --- |
//! | `GET /kubeglass/v1` | which versions are spoken |
//! | `GET /kubeglass/v1/trace` | the trace as lines of JSON, see `docs/trace.md`; with `follow=false` as far as it goes now |
//! | `POST /kubeglass/v1/commands` | a command as JSON, see `protocol::command` |
//! | `GET /kubeglass/v1/engine` | a WebSocket of packets, see `protocol::packet`: an engine of one's own over the cluster |

mod lines;
mod socket;

use std::sync::Arc;
use std::task::{Context, Waker};

use apiserver::{Body, Refusal};
use bytes::Bytes;
use engine::{Code, Engine, SharedCluster};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Response, request::Parts};
use hyper::upgrade::Upgraded;
use protocol::command::Command;
use protocol::message::{ClusterId, FromEngine, ToEngine};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use socket::Host;

/// The path that all of this is under.
const ROOT: &str = "/kubeglass/v1";

/// How many traces and engines there are at most.
const MOST: usize = 32;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The cluster, for whoever looks at it.
pub(crate) struct Glass {
    cluster: SharedCluster,
    host: Host,
    /// A permit for each trace and engine.
    permits: Arc<Semaphore>,
}

/// The things that there are below [`ROOT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Versions,
    Trace,
    Commands,
    Engine,
}

/// The outcome of a request: a response, or what takes the connection once it is a WebSocket.
pub(crate) enum Outcome {
    Response(Response<Body>),
    Socket(Box<dyn FnOnce(Upgraded) + Send>),
}

impl Endpoint {
    /// Reads a path; `None` if it is none of these here.
    ///
    /// # Errors
    /// Nothing is served at that path, or not by that method.
    pub(crate) fn of(head: &Parts) -> Option<Result<Self, Refusal>> {
        let rest = head.uri.path().strip_prefix(ROOT)?;
        let (endpoint, method) = match rest {
            "" | "/" => (Self::Versions, Method::GET),
            "/trace" => (Self::Trace, Method::GET),
            "/commands" => (Self::Commands, Method::POST),
            "/engine" => (Self::Engine, Method::GET),
            other => return other.starts_with('/').then_some(Err(Refusal::PathNotFound)),
        };
        Some(if head.method == method { Ok(endpoint) } else { Err(Refusal::MethodNotAllowed) })
    }
}

impl Glass {
    pub(crate) fn new(cluster: SharedCluster) -> Self {
        Self { cluster, host: Host::default(), permits: Arc::new(Semaphore::new(MOST)) }
    }

    /// Answers a request of somebody who may do everything. `body` is that of a command.
    ///
    /// # Errors
    /// It is wrong, or too many look at the cluster already.
    pub(crate) fn answer(
        &self,
        endpoint: Endpoint,
        head: &Parts,
        body: &Bytes,
        stop: watch::Receiver<bool>,
    ) -> Result<Outcome, Refusal> {
        match endpoint {
            Endpoint::Versions => {
                let versions = format!(
                    "{{\"version\":\"{}\",\"protocol\":{},\"trace\":{}}}\n",
                    env!("CARGO_PKG_VERSION"),
                    protocol::VERSION,
                    protocol::trace::VERSION
                );
                Ok(Outcome::Response(json(JSON, Body::Bytes(versions.into()))))
            }
            Endpoint::Commands => {
                let done = self.command(body).map_err(Refusal::BadRequest)?;
                Ok(Outcome::Response(json(JSON, Body::Bytes(done.into()))))
            }
            Endpoint::Trace => {
                let follow = follows(head.uri.query().unwrap_or_default())?;
                let lines = lines::lines(self.cluster.clone(), follow, self.permit()?);
                let lines_of_json = HeaderValue::from_static("application/x-ndjson");
                Ok(Outcome::Response(json(lines_of_json, Body::Stream(lines))))
            }
            Endpoint::Engine => {
                let engine = socket::Joining {
                    cluster: self.cluster.clone(),
                    authorization: head.headers.get(http::header::AUTHORIZATION).cloned(),
                    permit: self.permit()?,
                    stop,
                };
                let host = self.host.clone();
                Ok(Outcome::Socket(Box::new(move |connection| host.serve(connection, engine))))
            }
        }
    }

    fn permit(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| Refusal::TooMany)
    }

    /// Runs a command, and returns the line of JSON that says what came of it.
    fn command(&self, body: &[u8]) -> Result<String, String> {
        let command: Command =
            serde_json::from_slice(body).map_err(|error| format!("not a command: {error}"))?;
        if matches!(command, Command::Fork { .. } | Command::Drop | Command::Restore(_)) {
            return Err(format!("forks belong to an engine of one's own, see {ROOT}/engine"));
        }
        let mut engine = Engine::join(self.cluster.clone(), Code::WHOLE, None);
        engine.receive(ToEngine::Command { call: 0, cluster: ClusterId::FIRST, command }, Bytes::new());
        for (message, _) in engine.poll(&mut Context::from_waker(Waker::noop())) {
            match message {
                FromEngine::Done { done, .. } => {
                    return serde_json::to_string(&done)
                        .map(|json| json + "\n")
                        .map_err(|error| error.to_string());
                }
                FromEngine::Failed { error, .. } => return Err(error.to_string()),
                _ => {}
            }
        }
        Err("the command came to nothing".to_owned())
    }
}

fn json(media_type: HeaderValue, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

/// Reads whether the trace is to go on.
fn follows(query: &str) -> Result<bool, Refusal> {
    match query {
        "" | "follow=true" => Ok(true),
        "follow=false" => Ok(false),
        _ => Err(Refusal::BadRequest("the only parameter is follow, true or false".to_owned())),
    }
}
