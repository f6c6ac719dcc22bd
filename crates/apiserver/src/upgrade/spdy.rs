//! Connections that speak SPDY/3.1: that of `kubectl port-forward`, whose frames come in the messages of a WebSocket, and those of older
//! clients.
//!
//! See <https://kubernetes.io/blog/2024/08/20/websockets-transition/>.

mod ports;
mod process;

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use spdy::{Connection, Event, Headers};

use crate::kubelet::Chunks;

pub(crate) use ports::peer as ports;
pub(crate) use process::peer as process;

/// The header that tells the purpose of a stream.
const STREAM_TYPE: &str = "streamtype";

/// More bytes than this wait until those before them are taken.
const MOST_WAITING: usize = 64 * 1024;

/// The use that is made of the streams of a connection.
trait Use: Send + Unpin {
    /// Reports whether there is room for more data, once there is.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    /// Takes a stream. One that it does not reply to is reset.
    fn open(&mut self, id: u32, headers: &Headers, connection: &mut Connection) -> bool;

    /// Takes data of a stream.
    fn data(&mut self, id: u32, data: Bytes);

    /// Takes note that nothing more comes over a stream.
    fn end(&mut self, id: u32);

    /// Takes note that nothing goes over a stream any more.
    fn reset(&mut self, id: u32);

    /// Sends something of what there is. Reports whether something was sent, or `None` when all is done.
    fn poll_send(&mut self, cx: &mut Context<'_>, connection: &mut Connection) -> Poll<Option<()>>;
}

/// A connection.
struct Session<U> {
    messages: Chunks,
    connection: Connection,
    user: U,
    is_over: bool,
}

impl<U: Use + 'static> Session<U> {
    /// Returns the bytes that the server sends.
    fn begin(messages: Chunks, user: U) -> Chunks {
        Box::pin(Self { messages, connection: Connection::new(), user, is_over: false })
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Opened { id, headers, is_finished } => {
                if self.user.open(id, &headers, &mut self.connection) {
                    self.connection.reply(id);
                } else {
                    self.connection.reset(id);
                }
                if is_finished {
                    self.user.end(id);
                }
            }
            Event::Data { id, bytes, is_finished } => {
                if !bytes.is_empty() {
                    self.user.data(id, bytes.into());
                }
                if is_finished {
                    self.user.end(id);
                }
            }
            Event::Reset { id } => self.user.reset(id),
            Event::GoAway | Event::Failed(_) => self.is_over = true,
        }
    }
}

impl<U: Use + 'static> Stream for Session<U> {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let own = &mut *self;
        while !own.is_over && own.user.poll_ready(cx).is_ready() {
            match own.messages.poll_next_unpin(cx) {
                Poll::Pending => break,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(bytes)) => {
                    for event in own.connection.receive(&bytes) {
                        own.handle(event);
                    }
                }
            }
        }
        let mut sent = Vec::new();
        while !own.is_over && sent.len() < MOST_WAITING {
            match own.user.poll_send(cx, &mut own.connection) {
                Poll::Pending => break,
                Poll::Ready(Some(())) => sent.append(&mut own.connection.take()),
                Poll::Ready(None) => {
                    own.connection.go_away();
                    own.is_over = true;
                }
            }
        }
        sent.append(&mut own.connection.take());
        match (sent.is_empty(), own.is_over) {
            (false, _) => Poll::Ready(Some(sent.into())),
            (true, true) => Poll::Ready(None),
            (true, false) => Poll::Pending,
        }
    }
}
