//! Frames as they stand on the wire.

use std::mem;

use crate::Error;

/// The sender of the frame sends nothing more on its stream.
pub(crate) const FIN: u8 = 1;
/// The receiver of the frame is to send nothing on the stream that it opens.
pub(crate) const UNIDIRECTIONAL: u8 = 2;

/// The most bytes that a frame other than one of data may have.
pub(crate) const MAX_CONTROL_LENGTH: usize = 1 << 20;

const HEAD: usize = 8;
const CONTROL: u32 = 1 << 31;
const VERSION: u32 = 3;

const SYN_STREAM: u16 = 1;
const SYN_REPLY: u16 = 2;
const RST_STREAM: u16 = 3;
const SETTINGS: u16 = 4;
const PING: u16 = 6;
const GO_AWAY: u16 = 7;
const HEADERS: u16 = 8;
const WINDOW_UPDATE: u16 = 9;

/// A reason for a stream to be reset.
#[derive(Clone, Copy)]
pub(crate) enum Status {
    ProtocolError = 1,
    RefusedStream = 3,
    Cancel = 5,
}

#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Frame {
    Open {
        id: u32,
        flags: u8,
        block: Vec<u8>,
    },
    Reply {
        id: u32,
        block: Vec<u8>,
    },
    Headers {
        id: u32,
        flags: u8,
        block: Vec<u8>,
    },
    Reset {
        id: u32,
    },
    Ping {
        id: u32,
    },
    GoAway,
    /// Settings, or an update of a window: valid, and of no consequence.
    Ignored,
    /// A part of a frame of data, as much of it as has come.
    Data {
        id: u32,
        bytes: Vec<u8>,
        is_finished: bool,
    },
}

/// Cuts bytes into frames, and keeps the beginning of one that has not come whole. Data is not kept: it is given as it comes.
#[derive(Default)]
pub(crate) struct Reader {
    partial: Vec<u8>,
    data: Option<Data>,
}

/// The rest of a frame of data that is still to come.
struct Data {
    id: u32,
    length: usize,
    is_finished: bool,
}

impl Reader {
    /// Takes from `input` what makes the next frame, or all of it if that is not enough.
    pub(crate) fn next(&mut self, input: &mut &[u8]) -> Result<Option<Frame>, Error> {
        if self.data.is_some() {
            return Ok(self.next_of_data(input));
        }
        let Some(&[a, b, c, d, flags, e, f, g]) = self.fill(input, HEAD) else { return Ok(None) };
        let first = u32::from_be_bytes([a, b, c, d]);
        let length = u32::from_be_bytes([0, e, f, g]) as usize;
        if first & CONTROL == 0 {
            if first == 0 {
                return Err(Error::ZeroStreamId);
            }
            self.partial.clear();
            self.data = Some(Data { id: first, length, is_finished: flags & FIN != 0 });
            return Ok(self.next_of_data(input));
        }
        // As in Kubernetes, the version is not looked at.
        let kind = u16::from_be_bytes([c, d]);
        if length > MAX_CONTROL_LENGTH || !may_be(kind, length) {
            return Err(Error::InvalidControlFrame);
        }
        if self.fill(input, HEAD + length).is_none() {
            return Ok(None);
        }
        let frame = mem::take(&mut self.partial);
        read_control(kind, flags, frame.get(HEAD..).unwrap_or_default()).map(Some)
    }

    /// Gives the first `length` bytes of the frame once they are there.
    fn fill(&mut self, input: &mut &[u8], length: usize) -> Option<&[u8; HEAD]> {
        let missing = length.saturating_sub(self.partial.len());
        let (taken, rest) = input.split_at(missing.min(input.len()));
        self.partial.extend_from_slice(taken);
        *input = rest;
        if self.partial.len() < length { None } else { self.partial.first_chunk() }
    }

    fn next_of_data(&mut self, input: &mut &[u8]) -> Option<Frame> {
        let data = self.data.as_mut()?;
        if data.length > 0 && input.is_empty() {
            return None;
        }
        let (taken, rest) = input.split_at(data.length.min(input.len()));
        *input = rest;
        data.length -= taken.len();
        let is_whole = data.length == 0;
        let frame =
            Frame::Data { id: data.id, bytes: taken.to_vec(), is_finished: data.is_finished && is_whole };
        if is_whole {
            self.data = None;
        }
        Some(frame)
    }
}

/// Tells whether there are frames of this kind that have so many bytes after their head.
fn may_be(kind: u16, length: usize) -> bool {
    match kind {
        SYN_STREAM => length >= 10,
        SYN_REPLY | HEADERS => length >= 4,
        RST_STREAM | GO_AWAY | WINDOW_UPDATE => length == 8,
        PING => length == 4,
        SETTINGS => length >= 4 && (length - 4).is_multiple_of(8),
        _ => false,
    }
}

fn read_control(kind: u16, flags: u8, payload: &[u8]) -> Result<Frame, Error> {
    let mut rest = payload;
    let id = word(&mut rest).ok_or(Error::InvalidControlFrame)?;
    match kind {
        SYN_STREAM => {
            // Between them stand the stream that it belongs to, its priority and a slot, by which nothing is done.
            let block = rest.get(6..).ok_or(Error::InvalidControlFrame)?;
            Ok(Frame::Open { id, flags, block: block.to_vec() })
        }
        SYN_REPLY => Ok(Frame::Reply { id, block: rest.to_vec() }),
        HEADERS => Ok(Frame::Headers { id, flags, block: rest.to_vec() }),
        RST_STREAM if word(&mut rest) == Some(0) => Err(Error::InvalidControlFrame),
        RST_STREAM if id == 0 => Err(Error::ZeroStreamId),
        RST_STREAM => Ok(Frame::Reset { id }),
        PING if id == 0 => Err(Error::ZeroStreamId),
        PING if flags == 0 => Ok(Frame::Ping { id }),
        GO_AWAY if flags == 0 => Ok(Frame::GoAway),
        WINDOW_UPDATE if flags == 0 => Ok(Frame::Ignored),
        SETTINGS if id as usize == rest.len() / 8 => Ok(Frame::Ignored),
        _ => Err(Error::InvalidControlFrame),
    }
}

/// Takes a number of 32 bits from the beginning of `bytes`, if there are so many.
pub(crate) fn word(bytes: &mut &[u8]) -> Option<u32> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_be_bytes(*word))
}

pub(crate) fn write_reply(output: &mut Vec<u8>, id: u32, block: &[u8]) {
    write_control(output, SYN_REPLY, &[id], block);
}

pub(crate) fn write_reset(output: &mut Vec<u8>, id: u32, status: Status) {
    write_control(output, RST_STREAM, &[id, status as u32], &[]);
}

pub(crate) fn write_ping(output: &mut Vec<u8>, id: u32) {
    write_control(output, PING, &[id], &[]);
}

/// Writes that the connection ends well, and which stream was the last that was taken.
pub(crate) fn write_go_away(output: &mut Vec<u8>, last: u32) {
    write_control(output, GO_AWAY, &[last, 0], &[]);
}

fn write_control(output: &mut Vec<u8>, kind: u16, words: &[u32], block: &[u8]) {
    output.extend((CONTROL | VERSION << 16 | u32::from(kind)).to_be_bytes());
    output.extend(((words.len() * 4 + block.len()) as u32).to_be_bytes());
    output.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    output.extend_from_slice(block);
}

/// Writes a frame of data, of which there are to be fewer bytes than 16 MiB.
pub(crate) fn write_data(output: &mut Vec<u8>, id: u32, flags: u8, bytes: &[u8]) {
    output.extend(id.to_be_bytes());
    output.extend((u32::from(flags) << 24 | bytes.len() as u32).to_be_bytes());
    output.extend_from_slice(bytes);
}
