//! Bodies of responses.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::Stream;
use http_body::{Body, Frame, SizeHint};

/// The body of a response: bytes, or the events of a watch as they come. Dropping it ends the watch.
pub struct ResponseBody(Content);

enum Content {
    Bytes(Bytes),
    Events(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl ResponseBody {
    pub(crate) fn bytes(bytes: Bytes) -> Self {
        Self(Content::Bytes(bytes))
    }

    pub(crate) fn events(events: Pin<Box<dyn Stream<Item = Bytes> + Send>>) -> Self {
        Self(Content::Events(events))
    }
}

impl std::fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Content::Bytes(bytes) => write!(f, "ResponseBody({} bytes)", bytes.len()),
            Content::Events(_) => f.write_str("ResponseBody(events)"),
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Content::Bytes(bytes) if bytes.is_empty() => Poll::Ready(None),
            Content::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Content::Events(events) => {
                events.as_mut().poll_next(cx).map(|event| event.map(|e| Ok(Frame::data(e))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Content::Bytes(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Events(_) => SizeHint::default(),
        }
    }
}
