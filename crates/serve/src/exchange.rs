//! One request and its answer, between hyper's bodies and the API server's.

use std::convert::Infallible;

use apiserver::{ApiServer, Body};
use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use http::{
    HeaderValue, Method, Request, Response, Uri,
    header::{CONTENT_LENGTH, HOST},
};
use http_body_util::{BodyExt, Empty, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Body as HttpBody, Frame};
use tokio::sync::watch;

use crate::websocket::Handshake;

/// The most bytes of a request's body that the API server takes: one more makes it answer 413.
pub const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// How much of a body beyond the limit is read and thrown away. Who still sends cannot hear the answer: closing the
/// connection under it would lose what was answered.
const DISCARD_LIMIT: usize = 32 * 1024 * 1024;

/// Why a connection is closed instead of being answered.
pub type Broken = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer on its way out: each chunk is sent as soon as it is there.
pub type ResponseBody = UnsyncBoxBody<Bytes, Infallible>;

/// Answers a request. A stream ends when `stop` becomes true.
///
/// # Errors
/// The connection is to be closed: the request's body cannot be read, for its sender is gone or does not speak HTTP, or
/// the server was told to break it.
pub async fn answer<B>(
    server: ApiServer,
    request: Request<B>,
    stop: watch::Receiver<bool>,
) -> Result<Response<ResponseBody>, Broken>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<Broken>,
{
    let (mut parts, body) = request.into_parts();
    let body = read(body, BODY_LIMIT + 1, BODY_LIMIT + DISCARD_LIMIT).await.map_err(Into::into)?;
    if let Some(authority) = parts.uri.authority()
        && !parts.headers.contains_key(HOST)
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        parts.headers.insert(HOST, host);
    }
    parts.uri = origin_form(&parts.uri);
    let head = parts.method == Method::HEAD;
    let handshake = Handshake::of(&mut parts);
    let response = server.call(Request::from_parts(parts, body)).await;
    match (handshake, response.into_parts()) {
        (Some(handshake), (parts, Body::Stream(events))) => {
            Ok(handshake.answer(&parts.headers, events, stop))
        }
        (_, (parts, body)) => outgoing(Response::from_parts(parts, body), head, stop),
    }
}

/// Reads a body, of which `keep` bytes are kept and `limit` read at most.
async fn read<B>(mut body: B, keep: usize, limit: usize) -> Result<Bytes, B::Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    let mut kept = BytesMut::new();
    let mut total = 0;
    while total < limit
        && let Some(frame) = body.frame().await
    {
        if let Ok(data) = frame?.into_data() {
            total += data.len();
            kept.extend_from_slice(&data[..data.len().min(keep - kept.len())]);
        }
    }
    Ok(kept.freeze())
}

/// Path and query alone, byte for byte: HTTP/2 requests, and HTTP/1.1 ones to proxies, carry scheme and authority too.
fn origin_form(uri: &Uri) -> Uri {
    uri.path_and_query().map_or_else(|| Uri::from_static("/"), |path| Uri::from(path.clone()))
}

fn outgoing(
    response: Response<Body>,
    head: bool,
    stop: watch::Receiver<bool>,
) -> Result<Response<ResponseBody>, Broken> {
    let (mut parts, body) = response.into_parts();
    let status = parts.status;
    let bodiless = status.is_informational() || matches!(status.as_u16(), 204 | 304);
    let body = match body {
        Body::Bytes(bytes) => {
            if !bodiless {
                parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
            }
            if head { Empty::new().boxed_unsync() } else { Full::new(bytes).boxed_unsync() }
        }
        Body::Stream(_) if head => Empty::new().boxed_unsync(),
        Body::Stream(stream) => {
            StreamBody::new(until(stop, stream).map(|bytes| Ok(Frame::data(bytes)))).boxed_unsync()
        }
        Body::Cut => return Err("the server was told to break the connection".into()),
    };
    Ok(Response::from_parts(parts, body))
}

/// A stream that ends when `stop` becomes true.
pub(crate) fn until<S: Stream + Unpin + Send>(
    mut stop: watch::Receiver<bool>,
    stream: S,
) -> impl Stream<Item = S::Item> + Unpin + Send {
    stream.take_until(Box::pin(async move {
        // An error says that the server is gone, which is a stop as well.
        let _ = stop.wait_for(|stop| *stop).await;
    }))
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[track_caller]
    fn check_read(chunks: &[&'static str], keep: usize, limit: usize, expected: &str, left: usize) {
        let mut rest = chunks.iter().copied();
        let frames =
            std::iter::from_fn(|| rest.next()).map(|text| Ok::<_, Infallible>(Frame::data(text.into())));
        let body = StreamBody::new(futures::stream::iter(frames));
        let found = futures::executor::block_on(read(body, keep, limit)).unwrap();
        assert_eq!((found.as_ref(), rest.count()), (expected.as_bytes(), left));
    }

    #[test]
    fn bodies_are_cut_and_the_rest_is_thrown_away() {
        check_read(&[], 5, 9, "", 0);
        check_read(&["ab", "c"], 5, 9, "abc", 0);
        check_read(&["abc", "def", "ghi"], 5, 20, "abcde", 0);
        check_read(&["abc", "def", "ghi", "jkl"], 5, 9, "abcde", 1);
    }

    #[track_caller]
    fn check_uri(uri: &str, expected: &str) {
        assert_eq!(origin_form(&uri.parse().unwrap()), expected);
    }

    #[test]
    fn uris_keep_their_escapes() {
        check_uri("/api/v1//x%2Fy%20?a=%3D&b=c,d", "/api/v1//x%2Fy%20?a=%3D&b=c,d");
        check_uri("http://127.0.0.1:8001/api?x", "/api?x");
        check_uri("http://127.0.0.1:8001", "/");
        check_uri("127.0.0.1:80", "/");
    }

    #[track_caller]
    fn check_outgoing(status: StatusCode, body: Body, head: bool, length: Option<&str>, expected: &str) {
        let (_send, stop) = watch::channel(false);
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let response = outgoing(response, head, stop).unwrap();
        let found = response.headers().get(CONTENT_LENGTH).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(found.as_deref(), length);
        let bytes = futures::executor::block_on(response.into_body().collect()).unwrap().to_bytes();
        assert_eq!(bytes, expected);
    }

    fn stream() -> Body {
        Body::Stream(Box::pin(futures::stream::iter(["a", "b"].map(Bytes::from))))
    }

    #[test]
    fn answers_carry_their_length() {
        check_outgoing(StatusCode::OK, Body::Bytes("abc".into()), false, Some("3"), "abc");
        check_outgoing(StatusCode::OK, Body::Bytes("abc".into()), true, Some("3"), "");
        check_outgoing(StatusCode::NO_CONTENT, Body::Bytes(Bytes::new()), false, None, "");
        check_outgoing(StatusCode::OK, stream(), false, None, "ab");
        check_outgoing(StatusCode::OK, stream(), true, None, "");
    }

    #[test]
    fn a_cut_breaks_the_connection() {
        let (_running, stop) = watch::channel(false);
        assert!(outgoing(Response::new(Body::Cut), false, stop).is_err());
    }

    #[test]
    fn streams_end_with_the_server() {
        let (send, stop) = watch::channel(false);
        let body = Body::Stream(Box::pin(futures::stream::pending()));
        let mut body = outgoing(Response::new(body), false, stop).unwrap().into_body();
        futures::executor::block_on(async {
            assert!(futures::poll!(body.frame()).is_pending());
            send.send(true).unwrap();
            assert!(body.frame().await.is_none());
        });
    }
}
