//! The messages of WebSockets by which several streams share a connection: each begins with the number of its channel.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::channel::mpsc::{Receiver, Sender, channel};
use futures::ready;
use golang::base64;

use super::{Framing, Protocol};

/// The channel number of a message that closes another channel.
pub(super) const CLOSE: u8 = 255;

/// The number of messages that wait for whoever takes them.
const WAITING: usize = 16;

/// A message that came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Data(u8, Bytes),
    /// Nothing more comes over a channel.
    Closed(u8),
    /// Nothing that means anything.
    Nothing,
    /// The client does not keep to the protocol.
    Broken,
}

impl Protocol {
    /// Reads a message. Data that is no Base64 where it has to be is left out.
    pub(super) fn read(&self, message: &Bytes) -> Received {
        let Some(&first) = message.first() else { return Received::Nothing };
        if self.closes_streams && first == CLOSE {
            return match **message {
                [_, channel] => Received::Closed(channel),
                _ => Received::Broken,
            };
        }
        match self.framing {
            Framing::Binary | Framing::Raw => Received::Data(first, message.slice(1..)),
            Framing::Text => base64::decode(&message[1..])
                .map_or(Received::Nothing, |data| Received::Data(first.wrapping_sub(b'0'), data.into())),
        }
    }

    /// Writes a message for a channel.
    pub(super) fn write(&self, channel: u8, data: &[u8]) -> Bytes {
        match self.framing {
            Framing::Binary | Framing::Raw => [&[channel], data].concat().into(),
            Framing::Text => [&[b'0' + channel], base64::encode(data).as_bytes()].concat().into(),
        }
    }
}

/// The input of a channel, for as long as it is open. What is sent waits until there is room for it.
#[derive(Debug, Default)]
pub(super) struct Input {
    sender: Option<Sender<Bytes>>,
    waiting: VecDeque<Bytes>,
    /// True if nothing comes after what waits.
    is_closed: bool,
}

impl Input {
    /// Makes an input, and what comes out of it.
    pub(super) fn new() -> (Self, Receiver<Bytes>) {
        let (sender, receiver) = channel(WAITING);
        (Self { sender: Some(sender), ..Self::default() }, receiver)
    }

    /// Passes on what waits. Ready once all of it is gone, and there is room for more.
    pub(super) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(sender) = &mut self.sender {
            // Whoever does not listen any more has no use for it.
            let listens = ready!(sender.poll_ready(cx)).is_ok();
            match self.waiting.pop_front().filter(|_| listens) {
                Some(data) => drop(sender.start_send(data)),
                None if listens && !self.is_closed => return Poll::Ready(()),
                None => self.sender = None,
            }
        }
        self.waiting.clear();
        Poll::Ready(())
    }

    pub(super) fn send(&mut self, data: Bytes) {
        if !self.is_closed {
            self.waiting.push_back(data);
        }
    }

    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::super::REMOTE_COMMAND;
    use super::*;

    #[test]
    fn messages() {
        #[track_caller]
        fn check(protocol: &Protocol, message: &'static [u8], expected: &Received) {
            assert_eq!(protocol.read(&Bytes::from_static(message)), *expected);
        }

        let data = |channel, data: &'static str| Received::Data(channel, Bytes::from_static(data.as_bytes()));
        let [v5, v4, base64, ..] = REMOTE_COMMAND.web_socket else { unreachable!() };
        check(v4, b"\0ls\n", &data(0, "ls\n"));
        check(v4, b"", &Received::Nothing);
        check(v4, b"\xff\0", &data(255, "\0"));
        check(v5, b"\xff\0", &Received::Closed(0));
        check(v5, b"\xff", &Received::Broken);
        check(v5, b"\xff\0\0", &Received::Broken);
        check(base64, b"0bHMK", &data(0, "ls\n"));
        check(base64, b"0bHM*", &Received::Nothing);
        check(base64, b"\0", &data(208, ""));
        assert_eq!(v4.write(1, b"a"), "\x01a");
        assert_eq!(base64.write(3, b"a"), "3YQ==");
    }

    #[test]
    fn input_waits_for_room() {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let (mut input, mut receiver) = Input::new();
        let all: Vec<Bytes> = (0..100_u8).map(|number| Bytes::from(vec![number])).collect();
        all.iter().cloned().for_each(|data| input.send(data));
        input.close();
        input.send(Bytes::from_static(b"late"));
        let mut received = Vec::new();
        loop {
            let is_pending = input.poll_ready(&mut cx).is_pending();
            match receiver.poll_next_unpin(&mut cx) {
                Poll::Ready(Some(data)) => received.push(data),
                Poll::Ready(None) => break,
                Poll::Pending => assert!(is_pending, "nobody does anything"),
            }
        }
        assert_eq!(received, all);
        // Nobody listens any more.
        let (mut input, receiver) = Input::new();
        drop(receiver);
        input.send(Bytes::from_static(b"lost"));
        assert!(input.poll_ready(&mut cx).is_ready());
    }
}
