//! Streams, and what is done by the frames about them.

use std::collections::BTreeMap;
use std::mem;

use crate::Error;
use crate::frame::{self, FIN, Frame, Reader, Status, UNIDIRECTIONAL};
use crate::headers::{Decompressor, EMPTY, Headers};

/// The most streams that may be open at once: more are refused.
const MAX_STREAMS: usize = 1024;
/// The most bytes of data in a frame that is sent, as servers of Kubernetes copy them.
const MAX_DATA_LENGTH: usize = 1 << 15;
const MAX_ID: u32 = u32::MAX >> 1;

/// A thing that the client did.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Event {
    /// A new stream. It is to be answered by [`Connection::reply`] or [`Connection::reset`].
    Opened {
        /// The number of the stream.
        id: u32,
        /// The purpose of the stream, among others.
        headers: Headers,
        /// The client sends nothing on it.
        is_finished: bool,
    },
    /// Bytes on a stream that was opened, perhaps before it was answered. They need not be a whole frame.
    Data {
        /// The number of the stream.
        id: u32,
        /// The bytes, of which there may be none at the end.
        bytes: Vec<u8>,
        /// The client sends nothing more on it.
        is_finished: bool,
    },
    /// The client wants nothing more to be sent on a stream, and sends nothing itself.
    Reset {
        /// The number of the stream.
        id: u32,
    },
    /// The client has done with the connection: it is to be closed, once the last bytes are sent. Nothing comes after this.
    GoAway,
    /// The client is not to be understood: the connection is to be closed, once the last bytes are sent. Nothing comes after this.
    Failed(Error),
}

/// A connection after its upgrade, from the server's side.
///
/// The host gives it the bytes that have come, and sends those that it [takes](Self::take). Ids that are not (or
/// no longer) those of open streams are of no effect.
///
/// ```
/// use spdy::{Connection, Event};
///
/// let mut connection = Connection::new();
/// let ping = [0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1];
/// assert_eq!(connection.receive(&ping), []);
/// assert_eq!(connection.take(), ping);
///
/// assert_eq!(connection.receive(&[0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]), [Event::GoAway]);
/// ```
#[derive(Default)]
pub struct Connection {
    reader: Reader,
    decompressor: Decompressor,
    output: Vec<u8>,
    has_replied: bool,
    streams: BTreeMap<u32, Stream>,
    /// The number of the last stream that was taken.
    last: u32,
    is_closed: bool,
}

/// An open stream. It is forgotten once it was accepted and both sides have finished.
#[derive(Default)]
struct Stream {
    is_replied: bool,
    /// We have finished.
    is_finished: bool,
    /// The client has finished.
    is_ended: bool,
}

impl Stream {
    fn is_done(&self) -> bool {
        self.is_replied && self.is_finished && self.is_ended
    }
}

impl Connection {
    /// A connection on which nothing has been said.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads bytes, and tells what they say. What is not yet a whole frame is kept.
    pub fn receive(&mut self, mut bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        while !self.is_closed {
            let event = match self.reader.next(&mut bytes) {
                Ok(Some(frame)) => self.handle(frame),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            events.extend(event.unwrap_or_else(|error| Some(self.fail(error))));
        }
        events
    }

    /// Takes the bytes that are to be sent.
    pub fn take(&mut self) -> Vec<u8> {
        mem::take(&mut self.output)
    }

    /// Accepts a stream.
    pub fn reply(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        if !mem::replace(&mut stream.is_replied, true) {
            let has_replied = mem::replace(&mut self.has_replied, true);
            frame::write_reply(&mut self.output, id, EMPTY[usize::from(has_replied)]);
            self.forget_if_done(id);
        }
    }

    /// Sends bytes on a stream, unless it was finished. A stream that was not accepted is.
    pub fn send(&mut self, id: u32, bytes: &[u8]) {
        self.reply(id);
        if self.streams.get(&id).is_some_and(|stream| !stream.is_finished) {
            for bytes in bytes.chunks(MAX_DATA_LENGTH) {
                frame::write_data(&mut self.output, id, 0, bytes);
            }
        }
    }

    /// Says that nothing more is sent on a stream. The client may go on. A stream that was not accepted is.
    pub fn finish(&mut self, id: u32) {
        self.reply(id);
        let Some(stream) = self.streams.get_mut(&id) else { return };
        if !mem::replace(&mut stream.is_finished, true) {
            frame::write_data(&mut self.output, id, FIN, &[]);
        }
        self.forget_if_done(id);
    }

    /// Refuses a stream, or ends it for both sides. What the client sends on it meanwhile is dropped, but for events that were given already.
    pub fn reset(&mut self, id: u32) {
        if self.streams.remove(&id).is_some_and(|stream| !stream.is_finished) {
            frame::write_reset(&mut self.output, id, Status::Cancel);
        }
    }

    /// Ends all streams and says that the connection is to be closed, which it is to be once the bytes are sent. Nothing more is read.
    pub fn go_away(&mut self) {
        if mem::replace(&mut self.is_closed, true) {
            return;
        }
        for (id, stream) in mem::take(&mut self.streams) {
            if stream.is_replied && !stream.is_finished {
                frame::write_reset(&mut self.output, id, Status::Cancel);
            }
        }
        frame::write_go_away(&mut self.output, self.last);
    }

    fn handle(&mut self, frame: Frame) -> Result<Option<Event>, Error> {
        match frame {
            Frame::Open { id, flags, block } => {
                let headers = self.headers(id, &block, true)?;
                return Ok(self.open(id, flags, headers));
            }
            // Streams are opened by clients alone, so nothing waits for an answer; but the headers of the next frame may refer to these.
            Frame::Reply { id, block } => {
                self.headers(id, &block, false)?;
            }
            // Nobody asks for headers after the first.
            Frame::Headers { id, flags, block } => {
                self.headers(id, &block, id.is_multiple_of(2))?;
                return Ok(self.data(id, Vec::new(), flags & FIN != 0));
            }
            Frame::Data { id, bytes, is_finished } => return Ok(self.data(id, bytes, is_finished)),
            Frame::Reset { id } => return Ok(self.streams.remove(&id).map(|_| Event::Reset { id })),
            // With an even number it would answer one of ours, and we send none.
            Frame::Ping { id } if id.is_multiple_of(2) => {}
            Frame::Ping { id } => frame::write_ping(&mut self.output, id),
            Frame::GoAway => {
                self.go_away();
                return Ok(Some(Event::GoAway));
            }
            Frame::Ignored => {}
        }
        Ok(None)
    }

    fn headers(&mut self, id: u32, block: &[u8], is_request: bool) -> Result<Headers, Error> {
        let headers = self.decompressor.read(block)?;
        if headers.are_of_a_connection(is_request) {
            Err(Error::InvalidHeaderPresent)
        } else if id == 0 {
            Err(Error::ZeroStreamId)
        } else {
            Ok(headers)
        }
    }

    /// Takes a stream whose number is larger than those before it. As in Kubernetes, it may be even; then the next larger one is refused.
    fn open(&mut self, id: u32, flags: u8, headers: Headers) -> Option<Event> {
        if id > MAX_ID || (self.last > 0 && id < self.last + 2) {
            frame::write_reset(&mut self.output, id, Status::ProtocolError);
            return None;
        }
        self.last = id;
        if self.streams.len() >= MAX_STREAMS {
            frame::write_reset(&mut self.output, id, Status::RefusedStream);
            return None;
        }
        let is_finished = flags & FIN != 0;
        let stream =
            Stream { is_replied: false, is_finished: flags & UNIDIRECTIONAL != 0, is_ended: is_finished };
        self.streams.insert(id, stream);
        Some(Event::Opened { id, headers, is_finished })
    }

    fn data(&mut self, id: u32, bytes: Vec<u8>, is_finished: bool) -> Option<Event> {
        let stream = self.streams.get_mut(&id).filter(|stream| !stream.is_ended)?;
        stream.is_ended = is_finished;
        self.forget_if_done(id);
        (is_finished || !bytes.is_empty()).then_some(Event::Data { id, bytes, is_finished })
    }

    fn forget_if_done(&mut self, id: u32) {
        if self.streams.get(&id).is_some_and(Stream::is_done) {
            self.streams.remove(&id);
        }
    }

    fn fail(&mut self, error: Error) -> Event {
        if error == Error::InvalidControlFrame {
            // Servers of Kubernetes close the connection without a word.
            self.is_closed = true;
            self.streams.clear();
        } else {
            self.go_away();
        }
        Event::Failed(error)
    }
}
