//! The messages of WebSockets by which several streams share a connection: each begins with the number of its channel.

use std::task::{Context, Poll};

use bytes::Bytes;
use futures::channel::mpsc::{Receiver, Sender, channel};
use golang::base64;

use super::{Framing, Speaks};

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

impl Speaks {
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

/// The input of a channel, for as long as it is open. Who sends waits until there is room.
#[derive(Debug, Default)]
pub(super) struct Input(Option<Sender<Bytes>>);

impl Input {
    /// Makes an input, and what comes out of it.
    pub(super) fn new() -> (Self, Receiver<Bytes>) {
        let (sender, receiver) = channel(WAITING);
        (Self(Some(sender)), receiver)
    }

    /// Reports whether there is room, once there is. A closed input takes everything.
    pub(super) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.0 {
            Some(sender) => sender.poll_ready(cx).map(|_| ()),
            None => Poll::Ready(()),
        }
    }

    pub(super) fn send(&mut self, data: Bytes) {
        // Whoever does not listen any more has no use for it.
        let sent = self.0.as_mut().is_some_and(|sender| sender.try_send(data).is_ok());
        if !sent {
            self.close();
        }
    }

    pub(super) fn close(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::REMOTE_COMMAND;
    use super::*;

    #[test]
    fn messages() {
        #[track_caller]
        fn check(speaks: &Speaks, message: &'static [u8], expected: &Received) {
            assert_eq!(speaks.read(&Bytes::from_static(message)), *expected);
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
}
