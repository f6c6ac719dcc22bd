//! Engines over WebSockets: each message is a packet of the protocol, both ways.
//!
//! An engine belongs to one thread. All of them live in one that is started for the first, beside those that handle requests.

use std::sync::{Arc, OnceLock};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use bytes::Bytes;
use clock::machine::SystemClock;
use engine::{Code, Engine, SharedCluster};
use futures::{SinkExt, StreamExt};
use http::HeaderValue;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use protocol::message::ToEngine;
use protocol::packet;
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc, watch};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode};

use crate::limits::{BODY_LIMIT, GRACE, STALL_TIMEOUT};

/// How often the trace is sent at most.
const FRAME: Duration = Duration::from_millis(30);

/// The most bytes of a packet: a body, its head, and some more messages.
const PACKET_LIMIT: usize = BODY_LIMIT + 1024 * 1024;

/// The cluster that an engine joins, and for whom.
pub(super) struct Joining {
    pub(super) cluster: SharedCluster,
    /// In whose name requests are sent that do not say so themselves.
    pub(super) authorization: Option<HeaderValue>,
    /// Held for as long as the engine lives.
    pub(super) permit: OwnedSemaphorePermit,
    /// Becomes true when it is to stop.
    pub(super) stop: watch::Receiver<bool>,
}

/// The thread in which engines live.
#[derive(Clone, Default)]
pub(super) struct Host(Arc<OnceLock<mpsc::UnboundedSender<(Upgraded, Joining)>>>);

impl Host {
    /// Gives a connection an engine. Where there is no thread for it, the connection is closed.
    pub(super) fn serve(&self, connection: Upgraded, joining: Joining) {
        let sender = self.0.get_or_init(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            let _ = std::thread::Builder::new().name("engines".to_owned()).spawn(move || run(receiver));
            sender
        });
        let _ = sender.send((connection, joining));
    }
}

/// Runs engines until the server is gone.
fn run(mut joining: mpsc::UnboundedReceiver<(Upgraded, Joining)>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let mut engines = JoinSet::new();
        loop {
            tokio::select! {
                joining = joining.recv() => match joining {
                    Some((connection, joining)) => drop(engines.spawn_local(drive(connection, joining))),
                    None => break,
                },
                Some(_) = engines.join_next() => {}
            }
        }
        // Those that are left say goodbye.
        let _ = timeout(GRACE, engines.join_all()).await;
    });
}

/// There is more to be done.
#[derive(Default)]
struct Woken(Notify);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.notify_one();
    }
}

/// Drives an engine with what the client sends, and sends what it says, until one of them is gone.
async fn drive(connection: Upgraded, joining: Joining) {
    let Joining { cluster, authorization, permit: _permit, mut stop } = joining;
    let config =
        WebSocketConfig::default().max_message_size(Some(PACKET_LIMIT)).max_frame_size(Some(PACKET_LIMIT));
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(connection), Role::Server, Some(config)).await;
    let (mut outgoing, mut incoming) = socket.split();
    let mut engine = Engine::join(cluster, Code::WHOLE, Some(|| apiserver::Clock::stopwatch(&SystemClock)));
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut trace = false;
    let close = loop {
        let packet = engine.poll_packet(&mut Context::from_waker(&waker), trace, false);
        trace = false;
        if let Some(packet) = packet {
            // Who takes nothing is left alone.
            match timeout(STALL_TIMEOUT, outgoing.send(Message::Binary(packet.to_bytes()))).await {
                Ok(Ok(())) => {}
                _ => return,
            }
        }
        tokio::select! {
            () = woken.0.notified() => {}
            _ = frames.tick(), if engine.is_traced() => trace = true,
            received = incoming.next() => match received {
                Some(Ok(Message::Binary(bytes))) => {
                    if let Err(why) = receive(&mut engine, &bytes, authorization.as_ref()) {
                        break CloseFrame { code: CloseCode::Unsupported, reason: why.into() };
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(_) | Err(_)) | None => return,
            },
            _ = stop.wait_for(|stop| *stop) => {
                break CloseFrame { code: CloseCode::Away, reason: "the server stops".into() };
            }
        }
    };
    // Who is gone need not be told.
    let _ = timeout(STALL_TIMEOUT, outgoing.send(Message::Close(Some(close)))).await;
}

/// Has an engine take a packet. Requests that do not say in whose name are in that of whoever has opened the connection.
fn receive(engine: &mut Engine, bytes: &Bytes, authorization: Option<&HeaderValue>) -> Result<(), String> {
    let messages = packet::decode::<ToEngine>(bytes).map_err(|error| error.to_string())?;
    for (mut message, payload) in messages {
        if let ToEngine::Request { request, .. } = &mut message
            && let Some(authorization) = authorization.and_then(|value| value.to_str().ok())
            && !request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
        {
            request.headers.push(("Authorization".to_owned(), authorization.to_owned()));
        }
        engine.receive(message, payload);
    }
    Ok(())
}
