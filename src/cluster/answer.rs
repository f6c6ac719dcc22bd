//! Reading an answer whole, with its body.

use ::bytes::Bytes;
use futures::StreamExt;

use super::{Answer, Body};

/// A status code, headers and a body.
pub(crate) type Told = (u16, Vec<(String, String)>, Bytes);

/// The revision of what is read as it is now.
pub(crate) const NEWEST: u64 = u64::MAX;

/// Reads a response: its status code, its headers and its body; of a stream its first frame.
pub(crate) async fn told(answer: Answer) -> Result<Told, String> {
    let body = match answer.body {
        Body::Bytes(bytes) => bytes,
        Body::Stream(mut stream) => stream.next().await.unwrap_or(Ok(Bytes::new()))?,
    };
    Ok((answer.status, answer.headers, body))
}
