//! Bodies of requests as they arrive, and of responses as they are taken.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::connection::UnderWay;
use crate::ledger::{Hold, Ledger};
use crate::limits::{BODY_LIMIT, BODY_RATE, BODY_START, PASSED_OVER};

/// The body of a response on its way out.
pub(crate) type ResponseBody = UnsyncBoxBody<Bytes, Infallible>;

/// How many bytes of a response are handed on at once, so that it shows whether they are taken.
const PIECE: usize = 64 * 1024;

/// Why a body was not read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is longer than any may be.
    TooLarge,
    /// There are too many others.
    TooMany,
    /// It comes too slowly.
    TooSlow,
    /// It is no body, for this reason.
    Broken(String),
}

/// Reads a body, which has to come at a certain rate. Gives it with the room that it takes.
///
/// # Errors
/// See [`Unread`].
pub(crate) async fn read<B>(mut body: B, bodies: &Arc<Ledger>) -> Result<(Bytes, Hold), Unread>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: ToString,
{
    if body.size_hint().lower() > BODY_LIMIT as u64 {
        return Err(Unread::TooLarge);
    }
    let (begin, mut hold) = (Instant::now(), bodies.open());
    let mut read = Read::default();
    loop {
        let due = begin + BODY_START + Duration::from_secs(read.len as u64 / BODY_RATE);
        let frame = match timeout_at(due, body.frame()).await {
            Err(_) => return Err(Unread::TooSlow),
            Ok(None) => return Ok((read.whole(), hold)),
            Ok(Some(Err(why))) => return Err(Unread::Broken(why.to_string())),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else { continue };
        if read.len + data.len() > BODY_LIMIT {
            return Err(Unread::TooLarge);
        }
        if !hold.grow(data.len()) {
            return Err(Unread::TooMany);
        }
        read.add(data);
        // What has arrived is copied faster than others can be heard.
        tokio::task::yield_now().await;
    }
}

/// Reads a body that does not matter and keeps nothing of it, so that the next request on its connection can be read. Reports
/// whether that was all of it: a long or slow one is left.
pub(crate) async fn pass_over<B>(mut body: B) -> bool
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.size_hint().lower() > PASSED_OVER as u64 {
        return false;
    }
    let (due, mut room) = (Instant::now() + BODY_START, PASSED_OVER);
    while let Ok(frame) = timeout_at(due, body.frame()).await {
        match frame {
            None => return true,
            Some(Err(_)) => return false,
            Some(Ok(frame)) => match room.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
                Some(rest) => room = rest,
                None => return false,
            },
        }
    }
    false
}

/// The part of a body that has been read. Nothing is made ready for what is only announced, and nothing is moved as more arrives.
#[derive(Default)]
struct Read {
    len: usize,
    parts: Vec<Bytes>,
    /// The last bytes, as long as they come in small pieces.
    last: BytesMut,
}

impl Read {
    /// Smaller pieces are put together: each may keep a buffer that is larger than itself.
    const LARGE: usize = 16 * 1024;

    fn add(&mut self, piece: Bytes) {
        self.len += piece.len();
        if piece.len() < Self::LARGE {
            self.last.extend_from_slice(&piece);
        } else {
            self.end_small();
            self.parts.push(piece);
        }
    }

    fn end_small(&mut self) {
        if !self.last.is_empty() {
            self.parts.push(self.last.split().freeze());
        }
    }

    fn whole(mut self) -> Bytes {
        self.end_small();
        match self.parts.as_mut_slice() {
            [only] => std::mem::take(only),
            parts => Bytes::from(parts.concat()),
        }
    }
}

/// A body that stands for one that is too large, whatever it is: nobody looks into such a one.
pub(crate) fn too_large() -> Bytes {
    Bytes::from(vec![0; BODY_LIMIT + 1])
}

/// A response that is being sent. It notes when there is something for the reader to take, and when it is taken.
pub(crate) struct Sending<B> {
    body: B,
    under_way: UnderWay,
    /// The memory that it takes of the limit for responses.
    _holds: Vec<Hold>,
}

impl<B: Body<Data = Bytes, Error = Infallible>> Sending<B> {
    pub(crate) fn new(body: B, under_way: UnderWay, holds: Vec<Hold>) -> Self {
        under_way.offer();
        Self { body, under_way, _holds: holds }
    }
}

impl<B: Body<Data = Bytes, Error = Infallible> + Unpin> Body for Sending<B> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.under_way.taken();
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if frame.is_ready() {
            self.under_way.offer();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes that are handed on in pieces.
pub(crate) struct Pieces(pub(crate) Bytes);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let piece = PIECE.min(self.0.len());
        Poll::Ready(Some(Ok(Frame::data(self.0.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
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
    use futures::{StreamExt, stream};
    use http_body_util::{Full, StreamBody};

    use super::*;

    /// `chunks`: of how many bytes, and after how many seconds each comes.
    async fn check(chunks: &'static [(usize, u64)], room: usize, expected: Result<usize, Unread>) {
        let frames = stream::iter(chunks).then(|(size, seconds)| async {
            tokio::time::sleep(Duration::from_secs(*seconds)).await;
            Ok::<_, Infallible>(Frame::data(Bytes::from(vec![b'x'; *size])))
        });
        let found = read(StreamBody::new(Box::pin(frames)), &Ledger::new(room)).await;
        assert_eq!(found.map(|(bytes, _)| bytes.len()), expected, "{chunks:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_are_bounded_in_size_and_time() {
        const ROOM: usize = 64 * 1024 * 1024;
        check(&[], ROOM, Ok(0)).await;
        check(&[(2, 0), (3, 9)], ROOM, Ok(5)).await;
        check(&[(2, 0), (3, 11)], ROOM, Err(Unread::TooSlow)).await;
        check(&[(80_000, 5), (80_000, 12)], ROOM, Ok(160_000)).await;
        check(&[(BODY_LIMIT, 0)], ROOM, Ok(BODY_LIMIT)).await;
        check(&[(BODY_LIMIT, 0), (1, 0)], ROOM, Err(Unread::TooLarge)).await;
        check(&[(60, 0), (60, 0)], 100, Err(Unread::TooMany)).await;
        let declared = Full::from(vec![b'x'; BODY_LIMIT + 1]);
        assert_eq!(read(declared, &Ledger::new(ROOM)).await.map(|_| ()), Err(Unread::TooLarge));
    }

    #[tokio::test(start_paused = true)]
    async fn short_bodies_are_passed_over() {
        const CASES: [(&[(usize, u64)], bool); 4] = [
            (&[], true),
            (&[(9, 1), (PASSED_OVER - 9, 8)], true),
            (&[(PASSED_OVER, 0), (1, 0)], false),
            (&[(1, 11)], false),
        ];
        for (chunks, expected) in CASES {
            let frames = stream::iter(chunks).then(|(size, seconds)| async {
                tokio::time::sleep(Duration::from_secs(*seconds)).await;
                Ok::<_, Infallible>(Frame::data(Bytes::from(vec![b'x'; *size])))
            });
            assert_eq!(pass_over(StreamBody::new(Box::pin(frames))).await, expected, "{chunks:?}");
        }
    }

    #[test]
    fn what_was_read_is_the_whole() {
        let mut read = Read::default();
        let mut expected = Vec::new();
        for size in [1, 5, Read::LARGE, Read::LARGE + 1, 3, 0, 7, Read::LARGE] {
            let piece: Vec<u8> = (0..size).map(|index| (index + size) as u8).collect();
            expected.extend_from_slice(&piece);
            read.add(piece.into());
        }
        assert_eq!(read.len, expected.len());
        assert_eq!(read.whole(), expected);
        assert_eq!(Read::default().whole(), "");
    }

    #[tokio::test]
    async fn pieces_are_the_whole() {
        let bytes = Bytes::from((0..PIECE * 2 + 5).map(|index| index as u8).collect::<Vec<_>>());
        assert_eq!(Pieces(bytes.clone()).size_hint().exact(), Some(bytes.len() as u64));
        let mut body = Pieces(bytes.clone());
        let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(first.len(), PIECE);
        assert_eq!([first, body.collect().await.unwrap().to_bytes()].concat(), bytes);
    }
}
