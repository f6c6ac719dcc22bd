//! Calls: requests and questions, and what comes of them.

use apiserver::code::Chunk;
use apiserver::inspect::RequestRecord;
use apiserver::{ApiServer, Body};
use bytes::Bytes;
use futures::future::{LocalBoxFuture, try_join_all};
use futures::{FutureExt, TryFutureExt};
use http::{Request, Response};
use protocol::command::Backup;
use protocol::document::Answer;
use protocol::message::{CallId, ClusterId, Error, HttpRequest, HttpResponse, Mode};

use crate::Load;
use crate::stream::Frames;

/// A response, its body, and its frames if it is a stream.
pub(crate) type Answered = (HttpResponse, Bytes, Option<Frames>);

/// The outcome of a call.
pub(crate) enum Outcome {
    Request(CallId, Result<Answered, Error>),
    Question(CallId, Result<(Answer, Bytes), Error>),
    /// The code is there that it takes to restore a cluster, or why it is not.
    Restore(CallId, ClusterId, Box<Backup>, Result<(), String>),
}

/// Handles a request, once the code that it needs is there.
pub(crate) async fn request(
    server: ApiServer,
    load: Option<Load>,
    mode: Mode,
    request: HttpRequest,
    body: Bytes,
) -> Result<Answered, Error> {
    let request = build(request, body)?;
    if let Some(load) = load {
        // Once they are there, the cluster may have become one in which it takes more.
        loop {
            let missing = server.missing(&request);
            if missing.is_empty() {
                break;
            }
            if let Err((chunk, why)) = load_all(&load, missing).await {
                return take(&server, server.not_loaded(chunk, &why));
            }
        }
    }
    let response = match mode {
        Mode::Serve => server.call(request).await,
        Mode::DryRun => server.inspect().try_out(&request).await,
        Mode::At(revision) => {
            let inspect = server.inspect();
            inspect.read_at(&request, revision.min(inspect.revision())).await
        }
    };
    take(&server, response)
}

/// Loads chunks, all at once. An error says which of them cannot be had now, and why.
pub(crate) fn load_all(
    load: &Load,
    chunks: Vec<Chunk>,
) -> LocalBoxFuture<'static, Result<(), (Chunk, String)>> {
    let loads = chunks.into_iter().map(|chunk| load(chunk).map_err(move |why| (chunk, why)));
    try_join_all(loads).map_ok(|_| ()).boxed_local()
}

/// Loads those of the chunks that are not there, one after the other. What cannot be loaded now is loaded when it is needed, and
/// then it is told why not.
pub(crate) async fn prefetch(load: Load, chunks: &'static [Chunk]) -> Option<Outcome> {
    for chunk in chunks.iter().copied().filter(|chunk| !chunk.is_there()) {
        let _ = load(chunk).await;
    }
    None
}

fn build(request: HttpRequest, body: Bytes) -> Result<Request<Bytes>, Error> {
    let HttpRequest { method, uri, headers } = request;
    let mut builder = Request::builder().method(method.as_str()).uri(uri);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    builder.body(body).map_err(|error| Error::InvalidRequest(error.to_string()))
}

fn take(server: &ApiServer, response: Response<Body>) -> Result<Answered, Error> {
    let (mut parts, body) = response.into_parts();
    let headers = parts.headers.iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    let headers = headers.collect();
    let (body, frames) = match body {
        Body::Bytes(bytes) => (bytes, None),
        Body::Stream(frames) => (Bytes::new(), Some(frames)),
        // No host has a way for what a client would send.
        Body::Upgrade(upgrade) => (Bytes::new(), Some(upgrade.sent())),
        Body::Cut => return Err(Error::Cut),
    };
    let response = HttpResponse {
        status: parts.status.as_u16(),
        headers,
        streams: frames.is_some(),
        revision: server.inspect().revision(),
        record: parts.extensions.remove::<RequestRecord>().map(Box::new),
    };
    Ok((response, body, frames))
}
