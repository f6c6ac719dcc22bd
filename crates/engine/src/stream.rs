//! Streams: the frames of watches, no faster than they are taken.

use std::collections::HashMap;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream::{FuturesUnordered, StreamFuture};
use futures::{FutureExt, Stream, StreamExt};
use protocol::message::{CallId, FromEngine, WINDOW};

use crate::Outgoing;

/// The frames of a watch.
pub(crate) type Frames = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// The streams that are open.
#[derive(Default)]
pub(crate) struct Streams {
    reading: FuturesUnordered<Reading>,
    /// The streams of which so much is under way that the next frame waits.
    waiting: HashMap<CallId, Frames>,
    /// The numbers of frames of each stream that were sent, and that were taken.
    windows: HashMap<CallId, (u64, u64)>,
    progressed: bool,
}

/// The next frame of a stream.
struct Reading {
    call: CallId,
    next: StreamFuture<Frames>,
}

impl Future for Reading {
    type Output = (CallId, Option<Bytes>, Frames);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let call = self.call;
        self.next.poll_unpin(cx).map(|(frame, frames)| (call, frame, frames))
    }
}

impl Streams {
    /// Opens a stream.
    pub(crate) fn open(&mut self, call: CallId, frames: Frames) {
        self.windows.insert(call, (0, 0));
        self.read(call, frames);
    }

    /// Closes a stream, if it is open.
    pub(crate) fn close(&mut self, call: CallId) {
        if self.windows.remove(&call).is_none() || self.waiting.remove(&call).is_some() {
            return;
        }
        // It is among those that are read: only there it can be dropped.
        let others = std::mem::take(&mut self.reading);
        self.reading = others.into_iter().filter(|reading| reading.call != call).collect();
    }

    /// Takes note that the client has taken so many frames in all.
    pub(crate) fn taken(&mut self, call: CallId, frames: u64) {
        let Some((sent, taken)) = self.windows.get_mut(&call) else { return };
        *taken = frames.clamp(*taken, *sent);
        if let Some(frames) = self.waiting.remove(&call) {
            self.read(call, frames);
        }
    }

    /// Reads frames until none is ready.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, outgoing: &mut Vec<Outgoing>) {
        self.progressed = false;
        while let Poll::Ready(Some((call, frame, frames))) = self.reading.poll_next_unpin(cx) {
            self.progressed = true;
            match frame {
                Some(frame) => {
                    outgoing.push((FromEngine::Frame { call }, frame));
                    if let Some((sent, _)) = self.windows.get_mut(&call) {
                        *sent += 1;
                        self.read(call, frames);
                    }
                }
                None => {
                    self.windows.remove(&call);
                    outgoing.push((FromEngine::End { call }, Bytes::new()));
                }
            }
        }
    }

    /// Returns whether the last [`Self::poll`] has read anything.
    pub(crate) fn progressed(&self) -> bool {
        self.progressed
    }

    fn read(&mut self, call: CallId, frames: Frames) {
        match self.windows.get(&call) {
            Some((sent, taken)) if sent - taken >= WINDOW => {
                self.waiting.insert(call, frames);
            }
            _ => self.reading.push(Reading { call, next: frames.into_future() }),
        }
    }
}
