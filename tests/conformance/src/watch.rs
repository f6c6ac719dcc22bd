//! A watch that is left open while other steps go on.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::Stream;
use json_tree::{Value, json};

use crate::frames::Frames;

/// How much is taken of one stream before the others are looked at again.
const CHUNKS_AT_ONCE: usize = 1000;

/// The watches of a scenario, by the name of the step that opened them.
pub(crate) type Watches = BTreeMap<String, Watch>;

/// The chunks of a body that is a stream, as they come in.
pub(crate) type Chunks = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// An answer to a watch request, and what it has delivered.
pub(crate) struct Watch {
    chunks: Option<Chunks>,
    frames: Frames,
    events: Vec<Value>,
    ended: bool,
}

impl Watch {
    /// A watch that delivers events in `content_type` as they come. Without a stream it never does.
    pub(crate) fn new(content_type: &str, chunks: Option<Chunks>) -> Self {
        Self { chunks, frames: Frames::new(content_type), events: Vec::new(), ended: false }
    }

    /// Takes in whatever the stream has ready.
    pub(crate) fn pump(&mut self, cx: &mut Context<'_>) {
        for _ in 0..CHUNKS_AT_ONCE {
            let Some(chunks) = &mut self.chunks else { return };
            match chunks.as_mut().poll_next(cx) {
                Poll::Pending => return,
                Poll::Ready(None) => self.close(),
                Poll::Ready(Some(chunk)) => match self.frames.push(&chunk) {
                    Ok(events) => self.events.extend(events),
                    Err(error) => {
                        self.events.push(json!({"<read error>": error}));
                        self.close();
                    }
                },
            }
        }
        cx.waker().wake_by_ref();
    }

    /// How many events have not been taken.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    /// Reports whether the watch is over.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Takes the events.
    pub(crate) fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    /// Ends the watch.
    pub(crate) fn close(&mut self) {
        self.chunks = None;
        self.ended = true;
    }
}
