//! A process at the other end of a connection: each of its streams is one of the connection's.

use std::collections::BTreeMap;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::StreamExt;
use spdy::{Connection, Headers};

use super::{STREAM_TYPE, Session, Use};
use crate::kubelet::{Chunks, Peer, Process, Streams};
use crate::upgrade::Protocol;
use crate::upgrade::channels::{CLOSE, Input};
use crate::upgrade::process::{self as channels, RemoteCommand, STDIN};

/// The most bytes of input that are kept for a process that is not there yet. Who sends more has none.
const MOST_EARLY: usize = 1024 * 1024;

/// The purposes of streams; the place of each is the number of its channel.
const TYPES: [&str; 5] = ["stdin", "stdout", "stderr", "error", "resize"];

/// Makes the server's end of a connection to a process, which is started once the client has opened the streams that it asked for.
pub(crate) fn peer(
    protocol: &'static Protocol,
    streams: Streams,
    command: RemoteCommand,
    process: Process,
) -> Peer {
    // Nobody asks older protocols for the size of a terminal.
    let has_size = streams.tty && !matches!(protocol.name, "v2.channel.k8s.io" | "channel.k8s.io");
    let wanted = [streams.stdin, streams.stdout, streams.stderr, true, has_size];
    let wanted = wanted.iter().filter(|wanted| **wanted).count();
    Box::new(move |messages| {
        let (input, receiver) = Input::new();
        let peer = channels::peer(protocol, streams, command, Ok(process));
        let begin: Box<dyn FnOnce() -> Chunks + Send> = Box::new(move || peer(Box::pin(receiver)));
        let user = User { wanted, ids: BTreeMap::new(), input, early: 0, begin: Some(begin), output: None };
        Session::begin(messages, user)
    })
}

/// The streams of a process.
struct User {
    /// The number of streams to wait for.
    wanted: usize,
    /// The numbers of streams, by those of channels.
    ids: BTreeMap<u8, u32>,
    input: Input,
    /// The bytes that came before the process was there.
    early: usize,
    begin: Option<Box<dyn FnOnce() -> Chunks + Send>>,
    output: Option<Chunks>,
}

impl User {
    fn is_stdin(&self, id: u32) -> bool {
        self.ids.get(&STDIN) == Some(&id)
    }
}

impl Use for User {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Until the process is there, nobody takes its input, and the streams that it waits for have to come.
        if self.output.is_none() { Poll::Ready(()) } else { self.input.poll_ready(cx) }
    }

    fn open(&mut self, id: u32, headers: &Headers, _: &mut Connection) -> bool {
        let purpose = headers.get(STREAM_TYPE).unwrap_or_default();
        let channel = (0_u8..).zip(TYPES).find(|(_, name)| *name == purpose).map(|(channel, _)| channel);
        let Some(channel) = channel.filter(|channel| !self.ids.contains_key(channel)) else { return false };
        self.ids.insert(channel, id);
        if self.ids.len() == self.wanted {
            self.output = self.begin.take().map(|begin| begin());
        }
        true
    }

    fn data(&mut self, id: u32, data: Bytes) {
        if self.output.is_none() {
            self.early += data.len();
        }
        if self.is_stdin(id) && self.early <= MOST_EARLY {
            self.input.send([&[STDIN], &data[..]].concat().into());
        }
    }

    fn end(&mut self, id: u32) {
        if self.is_stdin(id) {
            self.input.send(Bytes::from_static(&[CLOSE, STDIN]));
        }
    }

    fn reset(&mut self, id: u32) {
        self.end(id);
    }

    fn poll_send(&mut self, cx: &mut Context<'_>, connection: &mut Connection) -> Poll<Option<()>> {
        let Some(output) = &mut self.output else { return Poll::Pending };
        let Some(message) = futures::ready!(output.poll_next_unpin(cx)) else {
            self.ids.values().for_each(|id| connection.finish(*id));
            return Poll::Ready(None);
        };
        if let [channel, data @ ..] = &message[..]
            && let Some(id) = self.ids.get(channel)
        {
            connection.send(*id, data);
        }
        Poll::Ready(Some(()))
    }
}
