//! The server's side of SPDY/3.1 as clients of Kubernetes speak it (port-forward, and exec and attach of older ones): bytes in, events and
//! bytes out. Where the draft of SPDY and the servers of Kubernetes differ, this does what the servers do.
#![deny(missing_docs)]

mod connection;
mod frame;
mod headers;

pub use connection::{Connection, Event};
pub use headers::Headers;

/// The words that a request for an upgrade to this protocol has in its header `Upgrade`.
pub const PROTOCOL: &str = "SPDY/3.1";

/// The reason why nothing more can be read from a connection. The texts are those of the library that Kubernetes uses.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// A frame of an unknown kind, with a wrong length or flags, or larger than is taken.
    #[error("invalid control frame")]
    InvalidControlFrame,
    /// A frame about no stream.
    #[error("stream id zero is disallowed")]
    ZeroStreamId,
    /// Headers that end before or after their frame does.
    #[error("compressed payload size was incorrect")]
    WrongCompressedPayloadSize,
    /// Headers that do not continue the compressed ones before them.
    #[error("headers are not compressed with the dictionary of SPDY")]
    Compression,
    /// A name of a header with letters in upper case, or that is no text.
    #[error("header was not lowercased")]
    UnlowercasedHeaderName,
    /// A header that is about a connection, as HTTP/1.1 has them.
    #[error("frame contained invalid header")]
    InvalidHeaderPresent,
}
