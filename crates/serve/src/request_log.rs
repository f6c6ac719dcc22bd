//! A line of the log for each request, written when its response has been sent or given up.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/system-logs/>

use std::net::SocketAddr;
use std::time::Instant;

use apiserver::Body;
use futures::StreamExt;
use golang::time::format_duration;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, Method, Response};
use protocol::trace::{AccessDecision, RequestRecord};
use serde_json::Value;

use crate::log::{Line, Logging, Severity};

/// The verbosity from which on requests are logged.
const VERBOSITY: u8 = 3;
/// The media types of patches that are applied begin so.
const APPLY: &str = "application/apply-patch+";

/// A request that will be logged, when this is dropped.
pub(crate) struct RequestLog {
    logging: Logging,
    begin: Instant,
    method: Method,
    is_applied: bool,
    uri: String,
    agent: String,
    peer: String,
    verb: Option<String>,
    audit_id: String,
    outcome: Option<Outcome>,
}

/// The outcome of a request.
enum Outcome {
    Code(u16),
    /// The connection was switched to another protocol.
    Switched,
}

impl RequestLog {
    /// Begins the line of a request with this head, if requests are logged.
    pub(crate) fn begin(logging: Logging, head: &Parts, peer: Option<SocketAddr>) -> Option<Self> {
        if logging.verbosity < VERBOSITY {
            return None;
        }
        let text = |headers: &HeaderMap, name| {
            headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Some(Self {
            logging,
            begin: Instant::now(),
            method: head.method.clone(),
            is_applied: text(&head.headers, CONTENT_TYPE).is_some_and(|media| media.starts_with(APPLY)),
            uri: head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
            agent: text(&head.headers, USER_AGENT).unwrap_or_default(),
            peer: peer.map(|peer| peer.to_string()).unwrap_or_default(),
            verb: None,
            audit_id: String::new(),
            outcome: None,
        })
    }

    /// Notes the response. While a stream goes on, so does the request.
    pub(crate) fn respond(mut self, response: &mut Response<Body>) {
        let record = response.extensions().get::<RequestRecord>();
        let access = record.and_then(|record| record.access.as_ref());
        self.verb = access.map(|access| self.verb_of(access).to_owned());
        let id = response.headers().get("audit-id").and_then(|id| id.to_str().ok());
        id.unwrap_or_default().clone_into(&mut self.audit_id);
        self.outcome = Some(match response.body() {
            Body::Upgrade(_) => Outcome::Switched,
            _ => Outcome::Code(response.status().as_u16()),
        });
        if matches!(response.body(), Body::Stream(_)) {
            let body = std::mem::replace(response.body_mut(), Body::Cut);
            let Body::Stream(chunks) = body else { return };
            *response.body_mut() = Body::Stream(Box::pin(chunks.map(move |chunk| {
                // The line is written when the stream is dropped, and this with it.
                let _log = &self;
                chunk
            })));
        }
    }

    /// Returns the verb that a request is logged with.
    fn verb_of(&self, access: &AccessDecision) -> &'static str {
        match access.attributes.verb.as_str() {
            "list" => "LIST",
            "watch" => "WATCH",
            "patch" if self.is_applied => "APPLY",
            _ => method(&self.method),
        }
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        let took = i64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let verb = self.verb.as_deref().unwrap_or_else(|| method(&self.method));
        let (name, outcome) = match self.outcome {
            Some(Outcome::Code(code)) => ("resp", code.into()),
            Some(Outcome::Switched) => ("hijacked", true.into()),
            // Nothing was sent.
            None => ("resp", 0.into()),
        };
        vec![
            ("verb", verb.into()),
            ("URI", self.uri.as_str().into()),
            ("latency", format_duration(took).into()),
            ("userAgent", self.agent.as_str().into()),
            ("audit-ID", self.audit_id.as_str().into()),
            ("srcIP", self.peer.as_str().into()),
            (name, outcome),
        ]
    }
}

fn method(method: &Method) -> &'static str {
    const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        let place = concat!("request_log.rs:", line!());
        let values = self.values();
        let (severity, verbosity) = (Severity::Info, VERBOSITY);
        self.logging.write(&Line { severity, verbosity, place, message: "HTTP", values: &values });
    }
}
