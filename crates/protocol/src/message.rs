//! The messages between a host's client and an engine.

use serde::{Deserialize, Serialize};

pub use crate::command::ClusterId;
use crate::command::{Command, Done};
use crate::document::{Answer, Question};
use crate::trace::{Batch, RequestRecord};
use crate::webhook::{WebhookCall, WebhookOutcome};

/// The number that a client gives something that it asks for. Each is used once.
pub type CallId = u64;

/// The number of frames of a stream, and of batches of the trace, that an engine sends before the first of them is
/// acknowledged.
pub const WINDOW: u64 = 256;

/// A message to an engine. Its payload is said where it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToEngine {
    /// A request. Its payload is the body. It is answered by one [`FromEngine::Response`] or [`FromEngine::Failed`].
    Request {
        /// The call.
        call: CallId,
        /// The cluster.
        cluster: ClusterId,
        /// The API server; the first one if there is none of that number.
        server: usize,
        /// The way to handle it.
        mode: Mode,
        /// The request.
        request: HttpRequest,
    },
    /// The client wants nothing more of a call: a pending request is dropped, a stream is closed.
    Cancel {
        /// The call.
        call: CallId,
    },
    /// The client has taken so many frames of a stream in all.
    Taken {
        /// The call that opened the stream.
        call: CallId,
        /// How many.
        frames: u64,
    },
    /// A command, answered by one [`FromEngine::Done`] or [`FromEngine::Failed`].
    Command {
        /// The call.
        call: CallId,
        /// The cluster.
        cluster: ClusterId,
        /// The command.
        command: Command,
    },
    /// A question about a document, which is the payload. It is answered by one [`FromEngine::Answer`] or
    /// [`FromEngine::Failed`].
    Question {
        /// The call.
        call: CallId,
        /// The question.
        question: Question,
    },
    /// The client has nothing to ask for just now: the engine loads the code that it begins without, so that nobody waits
    /// for it later.
    Prefetch,
    /// The client wants the trace of the first cluster, from now on, beginning with its state.
    Subscribe,
    /// The client has taken the batches of the trace up to this number.
    TakenTrace {
        /// The number.
        batch: u64,
    },
    /// The client calls webhooks, from now on: those that the engine sends as [`FromEngine::Webhook`]. Where several clients of a cluster
    /// do, it is the last one that is asked.
    CallWebhooks,
    /// The outcome of the call of a webhook. Its payload is the body of the response, if it is one.
    Webhook {
        /// The number that the engine has given the call.
        webhook: u64,
        /// The outcome.
        outcome: WebhookOutcome,
    },
}

/// The ways to handle a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Mode {
    /// The server handles it.
    #[default]
    Serve,
    /// A dry run of a POST, PUT or PATCH, whether or not it says so itself. Nothing of it is recorded.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run>
    DryRun,
    /// A GET of an object or a collection as it would have been answered when this revision was the newest one; one that
    /// is still to come counts as the newest. Nothing of it is recorded. A continue token counts if it is of this revision.
    At(u64),
}

/// A request without its body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// Path and query.
    pub uri: String,
    /// Names and values of headers, in order.
    pub headers: Vec<(String, String)>,
}

/// A message from an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromEngine {
    /// The engine is there. It is the first message.
    Ready,
    /// A response. Its payload is the body, unless that is a stream.
    Response {
        /// The call.
        call: CallId,
        /// The response.
        response: HttpResponse,
    },
    /// A frame of a stream, which is the payload: one event of a watch.
    Frame {
        /// The call that opened the stream.
        call: CallId,
    },
    /// A stream has ended.
    End {
        /// The call that opened the stream.
        call: CallId,
    },
    /// A command is done.
    Done {
        /// The call.
        call: CallId,
        /// The outcome.
        done: Done,
    },
    /// An answer to a question. Its payload is the document, if it is one.
    Answer {
        /// The call.
        call: CallId,
        /// The answer.
        answer: Answer,
    },
    /// A call has failed.
    Failed {
        /// The call.
        call: CallId,
        /// Why.
        error: Error,
    },
    /// A part of the trace.
    Trace(Batch),
    /// A webhook that the client is to call, and to answer by one [`ToEngine::Webhook`]. Its payload is the review.
    Webhook {
        /// The number of the call.
        webhook: u64,
        /// The call.
        call: WebhookCall,
    },
}

/// A response without its body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Names and values of headers, in order.
    pub headers: Vec<(String, String)>,
    /// `true`: the body is a stream, and [`FromEngine::Frame`]s follow.
    pub streams: bool,
    /// The newest revision of the store when the request had been handled.
    pub revision: u64,
    /// The record of the request; `None` if it was none to be recorded.
    pub record: Option<Box<RequestRecord>>,
}

/// Why a call has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Error {
    /// The request is none that HTTP allows: its method, URI or a header cannot be sent.
    #[error("the request cannot be sent: {0}")]
    InvalidRequest(String),
    /// The connection broke before there was a response.
    #[error("the connection was cut")]
    Cut,
    /// There is no cluster of this number, or no longer.
    #[error("there is no such cluster")]
    UnknownCluster,
    /// The revision has been compacted, or is still to come.
    #[error("the revision {0} is not kept")]
    UnknownRevision(u64),
    /// The document cannot be read or written; the text is kube-apiserver's.
    #[error("{0}")]
    Document(String),
    /// A part of the engine could not be loaded. The call can be made again.
    #[error("a part of the engine could not be loaded ({0})")]
    NotLoaded(String),
    /// The engine has stopped; the text says why.
    #[error("the engine has stopped: {0}")]
    Stopped(String),
    /// The command cannot be done: what it asks for is against a rule that the text tells.
    #[error("{0}")]
    Refused(String),
    /// The expression cannot be compiled, whatever the values of its variables are; the text is cel-go's.
    #[error("{0}")]
    Compilation(String),
    /// The evaluation of the expression has failed with these variables; the text is cel-go's.
    #[error("{0}")]
    Evaluation(String),
}
