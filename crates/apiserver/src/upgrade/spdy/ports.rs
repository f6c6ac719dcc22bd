//! Ports at the other end of a connection: two streams for each connection to one, for its data and for what goes wrong.

use std::collections::BTreeMap;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::StreamExt;
use golang::strconv::parse_uint;
use spdy::{Connection, Headers};

use super::{STREAM_TYPE, Session, Use};
use crate::kubelet::{Chunks, Peer};
use crate::upgrade::Dial;
use crate::upgrade::channels::Input;

/// The header of the number of a port.
const PORT: &str = "port";

/// The header by which the two streams of a connection to a port know each other.
const REQUEST_ID: &str = "requestid";

/// Makes the server's end of a connection that forwards ports.
pub(crate) fn peer(dial: Dial) -> Peer {
    Box::new(move |messages| {
        Session::begin(messages, User { dial, halves: BTreeMap::new(), pairs: Vec::new(), next: 0 })
    })
}

/// The connections to ports.
struct User {
    dial: Dial,
    /// The streams whose other half has not come yet, by the ids of requests: true for one of data.
    halves: BTreeMap<String, (bool, u32)>,
    pairs: Vec<Pair>,
    /// The connection that is looked at first.
    next: usize,
}

/// A connection to a port.
struct Pair {
    data: u32,
    error: u32,
    input: Input,
    output: Chunks,
}

impl User {
    fn connect(&mut self, (data, error): (u32, u32), port: u16, connection: &mut Connection) {
        connection.reply(data);
        connection.reply(error);
        match (self.dial)(port) {
            Ok(peer) => {
                let (input, receiver) = Input::new();
                self.pairs.push(Pair { data, error, input, output: peer(Box::pin(receiver)) });
            }
            Err(why) => {
                connection.send(error, why.as_bytes());
                connection.reset(data);
                connection.reset(error);
            }
        }
    }
}

impl Use for User {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let is_ready = self.pairs.iter_mut().all(|pair| pair.input.poll_ready(cx).is_ready());
        if is_ready { Poll::Ready(()) } else { Poll::Pending }
    }

    fn open(&mut self, id: u32, headers: &Headers, connection: &mut Connection) -> bool {
        let port = headers
            .get(PORT)
            .and_then(|port| parse_uint(port).ok())
            .and_then(|port| u16::try_from(port).ok());
        let Some(port) = port.filter(|port| *port > 0) else { return false };
        let is_data = match headers.get(STREAM_TYPE) {
            Some("data") => true,
            Some("error") => false,
            _ => return false,
        };
        // Older clients open the stream of errors, and then that of data.
        let pair = || if is_data { id.saturating_sub(2) } else { id }.to_string();
        let request = headers.get(REQUEST_ID).map_or_else(pair, str::to_owned);
        match self.halves.remove(&request) {
            None => drop(self.halves.insert(request, (is_data, id))),
            Some((other_is_data, _)) if other_is_data == is_data => return false,
            Some((_, other)) => {
                let ids = if is_data { (id, other) } else { (other, id) };
                self.connect(ids, port, connection);
            }
        }
        true
    }

    fn data(&mut self, id: u32, data: Bytes) {
        if let Some(pair) = self.pairs.iter_mut().find(|pair| pair.data == id) {
            pair.input.send(data);
        }
    }

    fn end(&mut self, id: u32) {
        if let Some(pair) = self.pairs.iter_mut().find(|pair| pair.data == id) {
            pair.input.close();
        }
    }

    fn reset(&mut self, id: u32) {
        self.halves.retain(|_, (_, half)| *half != id);
        self.pairs.retain(|pair| pair.data != id && pair.error != id);
    }

    fn poll_send(&mut self, cx: &mut Context<'_>, connection: &mut Connection) -> Poll<Option<()>> {
        for turn in 0..self.pairs.len() {
            let place = (self.next + turn) % self.pairs.len();
            let Some(pair) = self.pairs.get_mut(place) else { continue };
            match pair.output.poll_next_unpin(cx) {
                Poll::Pending => continue,
                Poll::Ready(Some(data)) => connection.send(pair.data, &data),
                Poll::Ready(None) => {
                    connection.finish(pair.data);
                    connection.finish(pair.error);
                    self.pairs.remove(place);
                }
            }
            self.next = place + 1;
            return Poll::Ready(Some(()));
        }
        Poll::Pending
    }
}
