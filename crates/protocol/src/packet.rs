//! Packets: several messages, each with a payload, as bytes.
//!
//! A packet is
//!
//! | bytes | meaning |
//! | --- | --- |
//! | 4 | `KGP`, and the version of the protocol |
//! | 4 | the length of the head, little-endian |
//! | head | the messages and the lengths of their payloads, in postcard's format |
//! | rest | the payloads, one after the other |
//!
//! Payloads are not copied to be encoded, and not to be decoded: they are slices of the packet.

use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::VERSION;

const MAGIC: [u8; 3] = *b"KGP";
/// The bytes before the head.
const PREFIX: usize = 8;

/// Why bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// It is cut short.
    #[error("a message was cut short")]
    TooShort,
    /// It begins as no packet does.
    #[error("something that is no message came")]
    NotAPacket,
    /// It is of another version of the protocol.
    #[error("a message is of version {0} of the protocol, not of version {VERSION}")]
    Version(u8),
    /// It is of this version, and cannot be read.
    #[error("a message cannot be read")]
    Malformed,
}

/// The pieces of an encoded packet, in order: the head, and the payloads.
#[derive(Debug)]
pub struct Packet {
    /// Magic, version, length and head.
    pub head: Vec<u8>,
    /// The payloads.
    pub payloads: Vec<Bytes>,
}

impl Packet {
    /// Encodes messages with their payloads.
    ///
    /// # Errors
    /// [`PacketError::Malformed`] if a message cannot be written, or a head would be longer than 4 GiB.
    pub fn encode<M: Serialize>(messages: Vec<(M, Bytes)>) -> Result<Self, PacketError> {
        let (messages, payloads): (Vec<M>, Vec<Bytes>) = messages.into_iter().unzip();
        let lengths: Vec<u64> = payloads.iter().map(|payload| payload.len() as u64).collect();
        let mut head = [MAGIC.as_slice(), &[VERSION, 0, 0, 0, 0]].concat();
        head = postcard::to_extend(&(messages, lengths), head).map_err(|_| PacketError::Malformed)?;
        let length = u32::try_from(head.len() - PREFIX).map_err(|_| PacketError::Malformed)?;
        head[4..PREFIX].copy_from_slice(&length.to_le_bytes());
        Ok(Self { head, payloads: payloads.into_iter().filter(|payload| !payload.is_empty()).collect() })
    }

    /// Returns the length of all pieces.
    pub fn len(&self) -> usize {
        self.head.len() + self.payloads.iter().map(Bytes::len).sum::<usize>()
    }

    /// Returns whether there is nothing in it, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.head.as_slice()).chain(self.payloads.iter().map(Bytes::as_ref))
    }

    /// Returns all pieces with their places in the packet, for a host that copies them into memory of its own.
    pub fn places(&self) -> impl Iterator<Item = (Range<usize>, &[u8])> {
        let mut end = 0;
        self.pieces().map(move |piece| {
            let start = end;
            end += piece.len();
            (start..end, piece)
        })
    }

    /// Returns the packet as one piece.
    pub fn to_bytes(&self) -> Bytes {
        let mut bytes = Vec::with_capacity(self.len());
        self.pieces().for_each(|piece| bytes.extend_from_slice(piece));
        bytes.into()
    }
}

/// Decodes a packet into its messages and their payloads.
///
/// # Errors
/// The bytes are no packet of this version.
pub fn decode<M: DeserializeOwned>(packet: &Bytes) -> Result<Vec<(M, Bytes)>, PacketError> {
    let prefix: &[u8; PREFIX] = packet.first_chunk().ok_or(PacketError::TooShort)?;
    let [m, a, g, version, length @ ..] = prefix;
    if [*m, *a, *g] != MAGIC {
        return Err(PacketError::NotAPacket);
    }
    if *version != VERSION {
        return Err(PacketError::Version(*version));
    }
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| PacketError::TooShort)?;
    let end = PREFIX.checked_add(length).filter(|end| *end <= packet.len()).ok_or(PacketError::TooShort)?;
    let (messages, lengths): (Vec<M>, Vec<u64>) =
        postcard::from_bytes(&packet[PREFIX..end]).map_err(|_| PacketError::Malformed)?;
    if messages.len() != lengths.len() {
        return Err(PacketError::Malformed);
    }
    let mut at = end;
    let mut decoded = Vec::with_capacity(messages.len());
    for (message, length) in messages.into_iter().zip(lengths) {
        let next = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
        let next = next.filter(|next| *next <= packet.len()).ok_or(PacketError::TooShort)?;
        decoded.push((message, packet.slice(at..next)));
        at = next;
    }
    if at == packet.len() { Ok(decoded) } else { Err(PacketError::Malformed) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::{HttpRequest, Mode, ToEngine};

    fn message(call: u64) -> ToEngine {
        let request = HttpRequest { method: "GET".to_owned(), uri: "/version".to_owned(), headers: vec![] };
        ToEngine::Request { call, cluster: Default::default(), server: 0, mode: Mode::At(7), request }
    }

    fn packet() -> Bytes {
        let messages = vec![
            (message(1), Bytes::from_static(b"one")),
            (ToEngine::Subscribe, Bytes::new()),
            (message(2), Bytes::from_static(b"three")),
        ];
        Packet::encode(messages).unwrap().to_bytes()
    }

    #[test]
    fn messages_come_back_with_their_payloads() {
        let decoded: Vec<(ToEngine, Bytes)> = decode(&packet()).unwrap();
        let payloads: Vec<&[u8]> = decoded.iter().map(|(_, payload)| payload.as_ref()).collect();
        assert_eq!(payloads, [b"one".as_slice(), b"", b"three"]);
        assert_eq!(
            [&decoded[0].0, &decoded[1].0, &decoded[2].0],
            [&message(1), &ToEngine::Subscribe, &message(2)]
        );
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Vec<u8>), expected: PacketError) {
        let mut bytes = packet().to_vec();
        change(&mut bytes);
        assert_eq!(decode::<ToEngine>(&bytes.into()), Err(expected));
    }

    #[test]
    fn other_bytes_are_refused() {
        check(|bytes| bytes.truncate(7), PacketError::TooShort);
        check(|bytes| bytes.truncate(20), PacketError::TooShort);
        check(|bytes| bytes.truncate(bytes.len() - 1), PacketError::TooShort);
        check(|bytes| bytes.push(0), PacketError::Malformed);
        check(|bytes| bytes[0] = b'{', PacketError::NotAPacket);
        check(|bytes| bytes[3] += 1, PacketError::Version(VERSION + 1));
        check(|bytes| bytes[8] = 200, PacketError::Malformed);
        check(|bytes| bytes[4..8].fill(255), PacketError::TooShort);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), known: bool) {
            if known && bytes.len() > 8 {
                bytes[..4].copy_from_slice(&packet()[..4]);
                let length = (bytes.len() as u32 - 8).to_le_bytes();
                bytes[4..8].copy_from_slice(&length);
            }
            let _ = decode::<ToEngine>(&bytes.into());
        }
    }
}
