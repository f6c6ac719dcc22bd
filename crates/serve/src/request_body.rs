//! The body of a request on its connection: it stands before the next request.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, EXPECT};
use http::request::Parts;
use http::{HeaderValue, Version};
use hyper::body::Body;

use crate::body::{self, Unread};
use crate::ledger::{Hold, Ledger};

/// The body of a request, until it is read or left.
pub(crate) struct RequestBody<B> {
    body: Option<B>,
    /// True if the next request on the connection comes after this body.
    in_line: bool,
    /// True if there will be no next request, or if the sender of the body waits to be asked for it.
    is_last: bool,
    /// True if the connection has to end with the response.
    closes: bool,
}

impl<B> RequestBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: ToString,
{
    pub(crate) fn new(head: &Parts, body: B) -> Self {
        let closing = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"close");
        let is_last = head.version < Version::HTTP_11
            || head.headers.get(CONNECTION).is_some_and(closing)
            || head.headers.contains_key(EXPECT);
        let in_line = head.version <= Version::HTTP_11;
        Self { body: (!body.is_end_stream()).then_some(body), in_line, is_last, closes: false }
    }

    /// Reports whether there is something to read.
    pub(crate) fn is_there(&self) -> bool {
        self.body.is_some()
    }

    /// Reports whether the connection has to end with the response: not all of the body has been taken off it.
    pub(crate) fn closes(&self) -> bool {
        self.closes
    }

    /// Reads the body. Gives it with the room that it takes.
    ///
    /// # Errors
    /// See [`Unread`].
    pub(crate) async fn read(&mut self, bodies: &Arc<Ledger>) -> Result<(Bytes, Hold), Unread> {
        let Some(body) = self.body.take() else { return Ok((Bytes::new(), bodies.open())) };
        self.closes = self.in_line;
        let read = body::read(body, bodies).await?;
        self.closes = false;
        Ok(read)
    }

    /// Leaves a body that nobody reads: it is passed over, so that the next request can be read, unless there is none, or the
    /// body is long or slow.
    pub(crate) async fn leave(&mut self) {
        let Some(body) = self.body.take().filter(|_| self.in_line) else { return };
        self.closes = true;
        self.closes = self.is_last || !body::pass_over(body).await;
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http_body_util::Full;

    use super::*;
    use crate::limits::{BODY_LIMIT, PASSED_OVER};

    fn sent(version: Version, header: &'static str, size: usize) -> RequestBody<Full<Bytes>> {
        let mut request = Request::post("/").version(version);
        if let Some((name, value)) = header.split_once(": ") {
            request = request.header(name, value);
        }
        let (head, body) = request.body(Full::from(vec![b'x'; size])).unwrap().into_parts();
        RequestBody::new(&head, body)
    }

    #[tokio::test]
    async fn connections_end_with_what_is_left_on_them() {
        let cases = [
            (Version::HTTP_11, "", 0, false),
            (Version::HTTP_11, "", 2, false),
            (Version::HTTP_11, "", PASSED_OVER + 1, true),
            (Version::HTTP_11, "connection: keep-alive", 2, false),
            (Version::HTTP_11, "connection: Close", 2, true),
            (Version::HTTP_11, "expect: 100-continue", 2, true),
            (Version::HTTP_10, "", 0, false),
            (Version::HTTP_10, "", 2, true),
            (Version::HTTP_2, "", PASSED_OVER + 1, false),
        ];
        for (version, header, size, expected) in cases {
            let mut body = sent(version, header, size);
            // The second time there is nothing left.
            for _ in 0..2 {
                body.leave().await;
                assert_eq!(body.closes(), expected, "{version:?} {header} {size}");
            }
        }
    }

    #[tokio::test]
    async fn connections_go_on_after_what_is_read() {
        let bodies = Ledger::new(2 * BODY_LIMIT);
        for (version, size, closes) in [
            (Version::HTTP_11, 2, false),
            (Version::HTTP_10, 2, false),
            (Version::HTTP_11, BODY_LIMIT + 1, true),
            (Version::HTTP_2, BODY_LIMIT + 1, false),
        ] {
            let mut body = sent(version, "", size);
            let read = body.read(&bodies).await;
            assert_eq!(read.is_err(), size > BODY_LIMIT);
            body.leave().await;
            assert_eq!((body.is_there(), body.closes()), (false, closes), "{version:?} {size}");
        }
    }
}
