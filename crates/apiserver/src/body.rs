//! The body of a response: bytes, or a stream of them.

use bytes::Bytes;

use crate::kubelet::Chunks;
use crate::upgrade::Upgrade;

/// The body of an answer. A watch that is open is a [`Body::Stream`] with one chunk per event, each a whole
/// frame of the negotiated media type; everything else is [`Body::Bytes`].
pub enum Body {
    /// The whole body.
    Bytes(Bytes),
    /// One frame after the other, until the server closes the stream. Dropping it ends the watch.
    Stream(Chunks),
    /// The connection is switched to another protocol. Only clients that ask for it in their headers get that.
    Upgrade(Upgrade),
    /// There is no answer: whoever carries it to the client is to break the connection. Only
    /// [`Fault::Cut`](protocol::trace::Fault::Cut) does that.
    Cut,
}

impl Body {
    /// The bytes of a body that is not a stream.
    pub fn bytes(&self) -> Option<&Bytes> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Stream(_) | Self::Upgrade(_) | Self::Cut => None,
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "Bytes({} bytes)", bytes.len()),
            Self::Stream(_) => f.write_str("Stream"),
            Self::Upgrade(_) => f.write_str("Upgrade"),
            Self::Cut => f.write_str("Cut"),
        }
    }
}
