//! WebSockets. Watches over them are how pages in browsers watch: each event is a message, text in JSON and bytes in the other media
//! types. `exec`, `attach` and `portforward` speak subprotocols, whose messages the API server reads and writes. Scripts of pages
//! cannot send an `Authorization` header, so a token may come as a subprotocol.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes> and
//! <https://www.rfc-editor.org/rfc/rfc6455>.

use std::future::ready;
use std::pin::Pin;

use apiserver::{Framing, Upgrade};
use bytes::Bytes;
use futures::{Sink, SinkExt, Stream, StreamExt};
use golang::base64;
use golang::url::Url;
use http::header::{
    AUTHORIZATION, CONNECTION, CONTENT_TYPE, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};

use crate::body::{ResponseBody, until};
use crate::connection::UnderWay;
use crate::limits::STALL_TIMEOUT;

/// The subprotocol that is a bearer token, in Base64 for URLs, begins so.
const TOKEN: &str = "base64url.bearer.authorization.k8s.io.";

/// The only version of the protocol that there is.
const VERSION: &str = "13";

/// Before each event in Protobuf stands its length. A message needs none, for it says by itself where it ends.
const LENGTH: usize = 4;

/// The purposes of WebSockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Watch,
    /// An engine at the other end.
    Engine,
    /// A subprotocol that the API server has chosen.
    Speaks(&'static str),
}

/// The most bytes of a message of a subprotocol.
const MESSAGE_LIMIT: usize = 4 * 1024 * 1024;

/// The handshake of a client that wants to switch to a WebSocket.
pub(crate) struct Handshake {
    upgrade: OnUpgrade,
    key: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// The subprotocols that it offers, but for the token.
    protocols: Vec<String>,
    /// True if it says which page it comes from.
    has_origin: bool,
}

impl Handshake {
    /// Reads the handshake of a request, if it asks for a WebSocket. A token among its subprotocols becomes that of the
    /// request.
    pub(crate) fn of(parts: &mut Parts) -> Option<Self> {
        if !has(&parts.headers, &UPGRADE, "websocket") || !has(&parts.headers, &CONNECTION, "upgrade") {
            return None;
        }
        let upgrade = parts.extensions.remove::<OnUpgrade>()?;
        let (tokens, protocols): (Vec<_>, Vec<_>) =
            words(&parts.headers, &SEC_WEBSOCKET_PROTOCOL).partition(|protocol| protocol.starts_with(TOKEN));
        if let Some(token) = tokens.first()
            && let Ok(header) =
                HeaderValue::from_str(&["Bearer ", &bearer(&tokens, &protocols, token)].concat())
        {
            parts.headers.entry(AUTHORIZATION).or_insert(header);
        }
        let [key, version] =
            [SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION].map(|name| parts.headers.remove(name));
        let origin = parts.headers.get(ORIGIN).and_then(|origin| origin.to_str().ok()).unwrap_or_default();
        let has_origin = Url::parse_request_uri(origin).is_ok();
        Some(Self { upgrade, key, version, protocols, has_origin })
    }

    /// The response that turns the connection into a WebSocket, over which the events of a watch are sent until it ends,
    /// the client closes it, or `stop` becomes true. Or why that cannot be: who does not say which page it comes from is refused.
    pub(crate) fn answer(
        self,
        watch: &HeaderMap,
        events: Pin<Box<dyn Stream<Item = Bytes> + Send>>,
        under_way: UnderWay,
        stop: watch::Receiver<bool>,
    ) -> Response<ResponseBody> {
        let encoding = Encoding::of(watch);
        let events = until(stop, events).map(move |event| encoding.message(event));
        self.switch(Kind::Watch, |connection| send(connection, events), under_way)
    }

    /// The response that turns the connection into a WebSocket, over which both sides send messages in a subprotocol until the server
    /// has said everything, the client is gone, or `stop` becomes true.
    pub(crate) fn switch_to(
        self,
        upgrade: Upgrade,
        under_way: UnderWay,
        stop: watch::Receiver<bool>,
    ) -> Response<ResponseBody> {
        let kind = Kind::Speaks(upgrade.protocol);
        self.switch(kind, |connection| exchange(connection, upgrade, stop), under_way)
    }

    /// The response that turns the connection into a WebSocket, which is then served; or why that cannot be.
    pub(crate) fn hand_over<F: Future<Output = ()> + Send + 'static>(
        self,
        serve: impl FnOnce(Upgraded) -> F + Send + 'static,
        under_way: UnderWay,
    ) -> Response<ResponseBody> {
        self.switch(Kind::Engine, serve, under_way)
    }

    fn switch<F: Future<Output = ()> + Send + 'static>(
        self,
        kind: Kind,
        serve: impl FnOnce(Upgraded) -> F + Send + 'static,
        under_way: UnderWay,
    ) -> Response<ResponseBody> {
        let (response, upgrade) = match self.accept(kind) {
            Ok(accepted) => accepted,
            Err(refused) => return *refused,
        };
        tokio::spawn(async move {
            // An error here is the client's: it is gone.
            if let Ok(connection) = upgrade.await {
                serve(connection).await;
            }
            drop(under_way);
        });
        response
    }

    /// The response that turns the connection into a WebSocket, and what becomes of the connection.
    ///
    /// # Errors
    /// The response that says why that cannot be.
    fn accept(
        mut self,
        kind: Kind,
    ) -> Result<(Response<ResponseBody>, OnUpgrade), Box<Response<ResponseBody>>> {
        if self.version.is_none_or(|version| version != VERSION) {
            let mut response = refused("missing or bad WebSocket Version");
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION));
            return Err(Box::new(response));
        }
        let Some(key) = self.key.filter(|key| key.len() == 24) else {
            return Err(Box::new(refused("mismatch challenge/response")));
        };
        if kind == Kind::Watch && !self.has_origin {
            let mut response = Response::new(Full::default().boxed_unsync());
            *response.status_mut() = StatusCode::FORBIDDEN;
            return Err(Box::new(response));
        }
        if let Kind::Speaks(protocol) = kind {
            self.protocols = vec![protocol.to_owned()];
        }
        if self.protocols.len() > 1 {
            // Nobody here speaks any of them, or chooses.
            return Err(Box::new(refused("missing or bad WebSocket-Protocol")));
        }
        let mut response = Response::new(Full::default().boxed_unsync());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        let accept = (SEC_WEBSOCKET_ACCEPT, derive_accept_key(key.as_bytes()));
        let protocol = self.protocols.into_iter().map(|protocol| (SEC_WEBSOCKET_PROTOCOL, protocol));
        for (name, value) in std::iter::once(accept).chain(protocol) {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        Ok((response, self.upgrade))
    }
}

/// The token that a subprotocol is. kube-apiserver wants one, and another subprotocol beside it to answer with: a token
/// that nobody has stands for what it refuses.
fn bearer(tokens: &[String], others: &[String], protocol: &str) -> String {
    let decoded = protocol.strip_prefix(TOKEN).and_then(base64::decode_url);
    let token = decoded.and_then(|token| String::from_utf8(token).ok());
    token.filter(|_| tokens.len() == 1 && !others.is_empty()).unwrap_or_else(|| protocol.to_owned())
}

/// Returns the comma-separated values of a header that may stand more than once.
fn words(headers: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(|word| word.trim().to_owned())
        .filter(|word| !word.is_empty())
}

fn has(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    words(headers, name).any(|own| own.eq_ignore_ascii_case(word))
}

fn refused(why: &'static str) -> Response<ResponseBody> {
    let mut response = Response::new(Full::from(why).boxed_unsync());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// The encoding of the events of a watch, and so of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Text,
    Bytes,
    Protobuf,
}

impl Encoding {
    fn of(headers: &HeaderMap) -> Self {
        let content_type =
            headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match content_type.split(';').next().unwrap_or_default() {
            "application/json" | "application/yaml" => Self::Text,
            "application/vnd.kubernetes.protobuf" => Self::Protobuf,
            _ => Self::Bytes,
        }
    }

    fn message(self, event: Bytes) -> Message {
        match self {
            Self::Text => event.clone().try_into().map_or(Message::Binary(event), Message::Text),
            Self::Bytes => Message::Binary(event),
            Self::Protobuf => Message::Binary(event.slice(LENGTH.min(event.len())..)),
        }
    }
}

/// Sends the messages. What the client sends is not for anybody, unless it closes the socket.
async fn send(connection: Upgraded, mut messages: impl Stream<Item = Message> + Unpin) {
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(connection), Role::Server, None).await;
    let (mut outgoing, mut incoming) = socket.split();
    loop {
        tokio::select! {
            message = messages.next() => match message {
                // Who takes nothing is left alone.
                Some(message) => match timeout(STALL_TIMEOUT, outgoing.send(message)).await {
                    Ok(Ok(())) => {}
                    _ => return,
                },
                None => break,
            },
            received = incoming.next() => match received {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
    close(&mut outgoing).await;
}

/// Sends what the server's end has to say, and hands it what the client sends.
async fn exchange(connection: Upgraded, upgrade: Upgrade, stop: watch::Receiver<bool>) {
    let config =
        WebSocketConfig::default().max_message_size(Some(MESSAGE_LIMIT)).max_frame_size(Some(MESSAGE_LIMIT));
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(connection), Role::Server, Some(config)).await;
    let (mut outgoing, incoming) = socket.split();
    let received = incoming.scan((), |(), received| {
        ready(match received {
            Ok(Message::Binary(bytes)) => Some(Some(bytes)),
            Ok(Message::Text(text)) => Some(Some(text.into())),
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => Some(None),
            Ok(Message::Close(_)) | Err(_) => None,
        })
    });
    let received = received.filter_map(ready);
    let encoding = match upgrade.framing {
        Framing::Text => Encoding::Text,
        Framing::Binary | Framing::Raw => Encoding::Bytes,
    };
    let mut sent = until(stop, (upgrade.peer)(Box::pin(received)));
    while let Some(message) = sent.next().await {
        // Who takes nothing is left alone.
        match timeout(STALL_TIMEOUT, outgoing.send(encoding.message(message))).await {
            Ok(Ok(())) => {}
            _ => return,
        }
    }
    close(&mut outgoing).await;
}

/// Says that everything has been sent. Who is gone need not be told.
async fn close(outgoing: &mut (impl Sink<Message> + Unpin)) {
    let close = Message::Close(Some(CloseFrame { code: CloseCode::Normal, reason: "".into() }));
    let _ = timeout(STALL_TIMEOUT, outgoing.send(close)).await;
}
