//! A way to a cluster whose every request is noted in the trace: what local copies send, and scripts.

use std::rc::Rc;

use futures::StreamExt;
use futures::future::LocalBoxFuture;

use crate::cluster::frames::Frames;
use crate::cluster::trace::stream::End;
use crate::cluster::trace::{Origin, Outcome, Reply};
use crate::cluster::{Answer, Body, Request, Stream, Transport, Which};
use crate::model::watch::Event;
use crate::state::Page;
use crate::ui::{dom, messages};

/// A transport that takes notes.
pub(super) struct Traced {
    pub(super) page: Page,
    pub(super) which: Which,
    pub(super) origin: Origin,
    pub(super) to: Rc<dyn Transport>,
}

impl Transport for Traced {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let (page, which, origin) = (self.page, self.which, self.origin);
        let begun = dom::monotonic();
        let id = page.update(|model| model.trace.sent(which, origin, request.clone(), begun));
        let sent = self.to.send(request);
        Box::pin(async move {
            let Some(id) = id else { return sent.await };
            let mut note =
                Note { page, id, revision: None, frames: Frames::default(), open: false, over: false };
            let answer = sent.await;
            let took = dom::monotonic() - begun;
            let mut answer = match answer {
                Ok(answer) => answer,
                Err(why) => {
                    note.settle(Outcome::Failed(why.clone()));
                    return Err(why);
                }
            };
            note.revision = answer.revision;
            let body = match &answer.body {
                Body::Bytes(bytes) => Some(bytes.clone()),
                Body::Stream(_) => None,
            };
            note.settle(Outcome::Answered(Reply {
                status: answer.status,
                headers: answer.headers.clone(),
                size: body.as_ref().map_or(0, |body| body.len()),
                body,
                decoded: None,
                took,
                watch: None,
                served: answer.served.clone(),
            }));
            if let Body::Stream(stream) = answer.body {
                note.open();
                answer.body = Body::Stream(listened(stream, note));
            }
            Ok(answer)
        })
    }
}

/// The stream, with what it brings noted.
fn listened(mut stream: Stream, mut note: Note) -> Stream {
    futures::stream::poll_fn(move |context| {
        let next = stream.poll_next_unpin(context);
        if let std::task::Poll::Ready(chunk) = &next {
            match chunk {
                Some(Ok(chunk)) => note.chunk(chunk),
                Some(Err(why)) => note.ended(End::Broken(why.clone())),
                None => note.ended(End::Closed),
            }
        }
        next
    })
    .boxed_local()
}

/// The note of one exchange. Whoever drops it has given the request up.
struct Note {
    page: Page,
    id: u64,
    /// The newest revision of the store when the answer came.
    revision: Option<u64>,
    frames: Frames,
    open: bool,
    over: bool,
}

impl Note {
    fn settle(&mut self, outcome: Outcome) {
        self.over = true;
        self.page.settle(self.id, outcome, self.revision);
    }

    fn open(&mut self) {
        (self.open, self.over) = (true, false);
        let id = self.id;
        self.page.update(|model| model.trace.stream(id).is_some());
    }

    fn chunk(&mut self, chunk: &[u8]) {
        let frames = self.frames.push(chunk);
        let events: Vec<Event> = frames.into_iter().filter_map(|frame| Event::read(frame, 0.0)).collect();
        let id = self.id;
        self.page.update(|model| {
            if let Some(stream) = model.trace.stream(id) {
                stream.brought(dom::monotonic(), chunk.len(), events.iter());
            }
        });
    }

    fn ended(&mut self, end: End) {
        self.over = true;
        let id = self.id;
        self.page.update(|model| {
            if let Some(stream) = model.trace.stream(id) {
                stream.ended(dom::monotonic(), end);
            }
        });
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        match (self.over, self.open) {
            (true, _) => {}
            (false, true) => self.ended(End::Stopped),
            (false, false) => self.settle(Outcome::Failed(messages::GIVEN_UP.to_owned())),
        }
    }
}
