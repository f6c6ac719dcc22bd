//! One request and its response, between hyper's bodies and the API server's.

use std::sync::Arc;

use apiserver::{ApiServer, Body, PeerAddress, Refusal};
use bytes::Bytes;
use futures::StreamExt;
use http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Empty, StreamBody};
use hyper::body::{Body as HttpBody, Frame};
use hyper::ext::ReasonPhrase;
use hyper::upgrade::OnUpgrade;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::body::{self, Pieces, ResponseBody, Sending, Unread, until};
use crate::connection::{Connection, UnderWay};
use crate::connections::Connections;
use crate::glass::{Endpoint, Glass, Outcome};
use crate::ledger::{Hold, Ledger};
use crate::limits::{
    BODIES_LIMIT, BODY_LIMIT, PRESSED_STALL_TIMEOUT, QUICK_BODY, REQUEST_TIMEOUT, RESPONSES_LIMIT,
    SMALL_RESPONSE,
};
use crate::pool::{Busy, Lane, Pool};
use crate::request_body::RequestBody;
use crate::request_log::RequestLog;
use crate::tls::Tls;
use crate::websocket::Handshake;
use crate::{Options, cors, guard, head, limits, ui, upgrade};

/// The reason why a connection is closed without a response.
pub(crate) type Broken = Box<dyn std::error::Error + Send + Sync>;

/// An API server, and what it shares among its connections.
pub(crate) struct Site {
    pub(crate) api: ApiServer,
    pub(crate) connections: Arc<Connections>,
    pool: Pool,
    bodies: Arc<Ledger>,
    responses: Arc<Ledger>,
    /// The clients that may use it without a token.
    open_to: OpenTo,
    /// How it speaks TLS, if it does.
    pub(crate) tls: Option<Tls>,
    /// The protocol over HTTP, unless it is switched off.
    glass: Option<Glass>,
    options: Options,
    /// Becomes true when it is to stop.
    pub(crate) stop: watch::Receiver<bool>,
}

/// The clients that may use a server without a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenTo {
    /// Nobody: it asks for tokens.
    Nobody,
    /// Clients on this machine, but no page of the web.
    ThisMachine,
    /// Everybody, but for pages of other origins.
    Everybody,
}

impl OpenTo {
    /// Returns who may use a server without a token, by whether it asks for tokens.
    pub(crate) fn of(asks_for_tokens: bool, options: &Options) -> Self {
        match (asks_for_tokens, options.anyone_is_admin) {
            (true, _) => Self::Nobody,
            (false, true) => Self::Everybody,
            (false, false) => Self::ThisMachine,
        }
    }
}

impl Site {
    pub(crate) fn new(
        api: ApiServer,
        (open_to, tls): (OpenTo, Option<Tls>),
        glass: Option<Glass>,
        options: Options,
        stop: watch::Receiver<bool>,
    ) -> std::io::Result<Self> {
        let (bodies, responses) = (Ledger::new(BODIES_LIMIT), Ledger::new(RESPONSES_LIMIT));
        let connections = Connections::new(limits::connections(limits::open_files()));
        Ok(Self {
            api,
            connections,
            pool: Pool::new()?,
            bodies,
            responses,
            open_to,
            tls,
            glass,
            options,
            stop,
        })
    }

    /// Answers a request that comes over a connection, from this machine or another.
    ///
    /// # Errors
    /// The connection is to be closed: the server was told to break it.
    pub(crate) async fn answer<B>(
        self: Arc<Self>,
        connection: Arc<Connection>,
        is_local: bool,
        request: Request<B>,
    ) -> Result<Response<ResponseBody>, Broken>
    where
        B: HttpBody<Data = Bytes> + Unpin,
        B::Error: ToString,
    {
        let under_way = connection.begin();
        let (head, body) = request.into_parts();
        let mut body = RequestBody::new(&head, body);
        let Some(allowed) = cors::allowed(&self.options.cors_origins, &head) else {
            return self.pass(connection, (is_local, false), head, &mut body, under_way).await;
        };
        let mut response = if allowed.is_preflight {
            let mut response = Response::new(Body::Bytes(Bytes::new()));
            *response.status_mut() = http::StatusCode::NO_CONTENT;
            self.send(response, &head, &mut body, &connection, under_way).await?
        } else {
            self.pass(connection, (is_local, true), head, &mut body, under_way).await?
        };
        allowed.write_to(response.headers_mut());
        Ok(response)
    }

    /// Answers a request, whatever other origins are told of it.
    async fn pass<B>(
        self: Arc<Self>,
        connection: Arc<Connection>,
        (is_local, origin_allowed): (bool, bool),
        mut head: Parts,
        body: &mut RequestBody<B>,
        under_way: UnderWay,
    ) -> Result<Response<ResponseBody>, Broken>
    where
        B: HttpBody<Data = Bytes> + Unpin,
        B::Error: ToString,
    {
        if let Some(authority) = head.uri.authority()
            && !head.headers.contains_key(HOST)
            && let Ok(host) = HeaderValue::from_str(authority.as_str())
        {
            head.headers.insert(HOST, host);
        }
        if let Err((code, why)) = head::check(&head) {
            return Ok(plain(code, why, under_way));
        }
        head.uri = head::origin_form(&head.uri);
        let guarded = match self.open_to {
            OpenTo::Nobody => Ok(()),
            open_to => guard::check(&head, open_to == OpenTo::Everybody, origin_allowed, body.is_there()),
        };
        let handshake = Handshake::of(&mut head);
        let on_upgrade = head.extensions.remove::<OnUpgrade>();
        if self.options.ui
            && let Some(answered) = ui::answer(&head)
        {
            let answered = guarded.and(answered).unwrap_or_else(|refusal| self.api.refuse(&head, refusal));
            return self.send(answered, &head, body, &connection, under_way).await;
        }
        if let Some(glass) = &self.glass
            && let Some(endpoint) = Endpoint::of(&head)
        {
            let outcome = match guarded.and(endpoint) {
                Ok(endpoint) => self.look(glass, (endpoint, is_local), &head, body).await,
                Err(refusal) => Err(refusal),
            };
            return match (outcome, handshake) {
                (Ok(Outcome::Socket(serve)), Some(handshake)) => {
                    Ok(handshake.hand_over(|connection| async { serve(connection) }, under_way))
                }
                (Ok(Outcome::Socket(_)), None) => {
                    let refusal = Refusal::BadRequest("this is for a WebSocket".to_owned());
                    self.send(self.api.refuse(&head, refusal), &head, body, &connection, under_way).await
                }
                (Ok(Outcome::Response(response)), _) => {
                    self.send(response, &head, body, &connection, under_way).await
                }
                (Err(refusal), _) => {
                    self.send(self.api.refuse(&head, refusal), &head, body, &connection, under_way).await
                }
            };
        }
        let peer = head.extensions.get().map(|PeerAddress(peer)| *peer);
        let log = RequestLog::begin(self.options.logging, &head, peer);
        let handled = match guarded {
            Ok(()) => timeout(REQUEST_TIMEOUT, self.handle(&connection, &head, body)).await,
            Err(refusal) => Ok(Err(refusal)),
        };
        let mut response = match handled {
            Ok(Ok(response)) => response,
            Ok(Err(refusal)) => self.api.refuse(&head, refusal),
            Err(_) => self.api.refuse(&head, Refusal::Timeout),
        };
        if let Some(log) = log {
            log.respond(&mut response);
        }
        match (handshake, on_upgrade, response.into_parts()) {
            (Some(handshake), _, (parts, Body::Stream(events))) => {
                Ok(handshake.answer(&parts.headers, events, under_way, self.stop.clone()))
            }
            (None, Some(connection), (_, Body::Upgrade(upgrade))) => {
                Ok(upgrade::switch(connection, upgrade, under_way, self.stop.clone()))
            }
            (Some(handshake), _, (_, Body::Upgrade(upgrade))) => {
                Ok(handshake.switch_to(upgrade, under_way, self.stop.clone()))
            }
            (_, _, (parts, content)) => {
                let response = Response::from_parts(parts, content);
                self.send(response, &head, body, &connection, under_way).await
            }
        }
    }

    /// Sends a response, once nothing is left of the request's body or the response says that the connection ends.
    async fn send<B>(
        &self,
        mut response: Response<Body>,
        head: &Parts,
        body: &mut RequestBody<B>,
        connection: &Connection,
        under_way: UnderWay,
    ) -> Result<Response<ResponseBody>, Broken>
    where
        B: HttpBody<Data = Bytes> + Unpin,
        B::Error: ToString,
    {
        body.leave().await;
        if body.closes() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let holds = [&self.responses, &connection.responses].map(Ledger::open);
        outgoing(response, head.method == Method::HEAD, under_way, holds, self.stop.clone())
    }

    /// Answers a request of the protocol over HTTP.
    async fn look<B>(
        &self,
        glass: &Glass,
        (endpoint, is_local): (Endpoint, bool),
        head: &Parts,
        body: &mut RequestBody<B>,
    ) -> Result<Outcome, Refusal>
    where
        B: HttpBody<Data = Bytes> + Unpin,
        B::Error: ToString,
    {
        if self.open_to == OpenTo::Everybody && !is_local {
            return Err(Refusal::Forbidden("only for this machine, unless there are tokens".to_owned()));
        }
        if let Err(refused) = self.api.admit_master(head) {
            return Ok(Outcome::Response(*refused));
        }
        let read = timeout(REQUEST_TIMEOUT, body.read(&self.bodies)).await;
        let (bytes, _hold) = read.map_err(|_| Refusal::Timeout)?.map_err(unread_body)?;
        glass.answer(endpoint, head, &bytes, self.stop.clone())
    }

    /// Reads the body, if it matters, and has the request handled when it is its turn.
    async fn handle<B>(
        &self,
        connection: &Connection,
        head: &Parts,
        body: &mut RequestBody<B>,
    ) -> Result<Response<Body>, Refusal>
    where
        B: HttpBody<Data = Bytes> + Unpin,
        B::Error: ToString,
    {
        let mut held = None;
        let mut bytes = Bytes::new();
        if body.is_there() {
            if self.reads_body(connection.id, head).await? {
                bytes = match body.read(&self.bodies).await {
                    Ok((bytes, hold)) => {
                        held = Some(hold);
                        bytes
                    }
                    Err(Unread::TooLarge) => body::too_large(),
                    Err(unread) => return Err(unread_body(unread)),
                };
            } else {
                body.leave().await;
            }
        }
        let lane = if bytes.len() > QUICK_BODY { Lane::Slow } else { Lane::Quick };
        // Whoever does not take what is there for them gets no more; but a read may turn out to be small.
        let is_read = matches!(head.method, Method::GET | Method::HEAD);
        let mut needs_room = !is_read;
        loop {
            if needs_room {
                self.room(connection).await;
            }
            let request = Request::from_parts(head.clone(), bytes.clone());
            let api = self.api.clone();
            let room = needs_room.then(|| [&self.responses, &connection.responses].map(Arc::clone));
            let work = async move {
                let has_room = room.iter().flatten().all(|ledger| ledger.has_room());
                if has_room { Some(api.call(request).await) } else { None }
            };
            let response = self.pool.run(lane, connection.id, work).await.map_err(busy)?;
            let fits = |response: &Response<Body>| {
                !is_read
                    || response.body().bytes().is_none_or(|bytes| bytes.len() <= SMALL_RESPONSE)
                    || self.responses.has_room() && connection.responses.has_room()
            };
            if let Some(response) = response.filter(fits) {
                drop(held);
                return Ok(response);
            }
            needs_room = true;
        }
    }

    /// Waits until fewer responses are kept. Readers who take nothing of theirs meanwhile are left.
    async fn room(&self, connection: &Connection) {
        connection.responses.room().await;
        while timeout(PRESSED_STALL_TIMEOUT / 4, self.responses.room()).await.is_err() {
            self.connections.end_stalled(PRESSED_STALL_TIMEOUT);
        }
    }

    async fn reads_body(&self, connection: u64, head: &Parts) -> Result<bool, Refusal> {
        if let Some(known) = self.api.reads_body_at_once(head) {
            return Ok(known);
        }
        let (api, head) = (self.api.clone(), head.clone());
        self.pool.run(Lane::Quick, connection, async move { api.reads_body(&head) }).await.map_err(busy)
    }
}

fn unread_body(unread: Unread) -> Refusal {
    match unread {
        Unread::TooLarge => Refusal::TooLarge(BODY_LIMIT),
        Unread::TooMany => Refusal::TooMany,
        Unread::TooSlow => Refusal::Timeout,
        Unread::Broken(why) => Refusal::Body(why),
    }
}

fn busy(_: Busy) -> Refusal {
    Refusal::TooMany
}

/// Returns the response to an invalid HTTP request.
fn plain(code: http::StatusCode, why: &'static str, under_way: UnderWay) -> Response<ResponseBody> {
    let body = Sending::new(Pieces(Bytes::from_static(why.as_bytes())), under_way, Vec::new());
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Go's words for codes, where others are usual now.
const REASONS: [(u16, &str); 3] = [
    (413, "Request Entity Too Large"),
    (414, "Request URI Too Long"),
    (416, "Requested Range Not Satisfiable"),
];

fn outgoing(
    response: Response<Body>,
    head: bool,
    under_way: UnderWay,
    mut holds: [Hold; 2],
    stop: watch::Receiver<bool>,
) -> Result<Response<ResponseBody>, Broken> {
    let (mut parts, body) = response.into_parts();
    let status = parts.status;
    if let Some((_, reason)) = REASONS.iter().find(|(code, _)| *code == status.as_u16()) {
        parts.extensions.insert(ReasonPhrase::from_static(reason.as_bytes()));
    }
    let bodiless = status.is_informational() || matches!(status.as_u16(), 204 | 304);
    let body = match body {
        Body::Bytes(bytes) => {
            // The response to a HEAD says already how long the body would be.
            let is_said = head && parts.headers.contains_key(CONTENT_LENGTH);
            if !(bodiless || is_said) {
                parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
            }
            if head {
                Empty::new().boxed_unsync()
            } else {
                holds.iter_mut().for_each(|hold| hold.hold(bytes.len()));
                Sending::new(Pieces(bytes), under_way, holds.into()).boxed_unsync()
            }
        }
        Body::Stream(_) if head => Empty::new().boxed_unsync(),
        Body::Stream(stream) => {
            let frames = until(stop, stream).map(|bytes| Ok(Frame::data(bytes)));
            Sending::new(StreamBody::new(frames), under_way, Vec::new()).boxed_unsync()
        }
        // Without a handshake there is no connection to switch.
        Body::Upgrade(_) => return Err("the connection cannot be switched to another protocol".into()),
        Body::Cut => return Err("the server was told to break the connection".into()),
    };
    Ok(Response::from_parts(parts, body))
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    fn send(
        response: Response<Body>,
        head: bool,
        stop: watch::Receiver<bool>,
    ) -> Result<Response<ResponseBody>, Broken> {
        let holds = [Ledger::new(1000), Ledger::new(1000)].map(|ledger| ledger.open());
        outgoing(response, head, Connection::new(1).begin(), holds, stop)
    }

    async fn check_outgoing(
        status: StatusCode,
        body: Body,
        head: bool,
        length: Option<&str>,
        expected: &str,
    ) {
        let (_send, stop) = watch::channel(false);
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let response = send(response, head, stop).unwrap();
        let found = response.headers().get(CONTENT_LENGTH).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(found.as_deref(), length);
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), expected);
    }

    fn stream() -> Body {
        Body::Stream(Box::pin(futures::stream::iter(["a", "b"].map(Bytes::from))))
    }

    #[tokio::test]
    async fn responses_carry_their_length() {
        check_outgoing(StatusCode::OK, Body::Bytes("abc".into()), false, Some("3"), "abc").await;
        check_outgoing(StatusCode::OK, Body::Bytes("abc".into()), true, Some("3"), "").await;
        check_outgoing(StatusCode::NO_CONTENT, Body::Bytes(Bytes::new()), false, None, "").await;
        check_outgoing(StatusCode::OK, stream(), false, None, "ab").await;
        check_outgoing(StatusCode::OK, stream(), true, None, "").await;
    }

    #[tokio::test]
    async fn a_cut_breaks_the_connection() {
        let (_running, stop) = watch::channel(false);
        assert!(send(Response::new(Body::Cut), false, stop).is_err());
    }

    #[tokio::test]
    async fn streams_end_with_the_server() {
        let (stopper, stop) = watch::channel(false);
        let body = Body::Stream(Box::pin(futures::stream::pending()));
        let mut body = send(Response::new(body), false, stop).unwrap().into_body();
        assert!(futures::poll!(body.frame()).is_pending());
        stopper.send(true).unwrap();
        assert!(body.frame().await.is_none());
    }
}
