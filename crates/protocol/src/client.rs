//! A client of an engine: calls go out as messages, and what comes back finds its call.
//!
//! A client does no I/O. Whoever carries packets hands it what comes ([`Client::receive`]), and sends what it has
//! ([`Client::flush`]) when it is told that there is something.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::channel::{mpsc, oneshot};
use futures::{Stream, StreamExt};

use crate::command::{Command, Done};
use crate::document::{Answer, Question};
use crate::message::{
    CallId, ClusterId, Error, FromEngine, HttpRequest, HttpResponse, Mode, ToEngine, WINDOW,
};
use crate::packet::{self, Packet, PacketError};
use crate::trace::Batch;
use crate::webhook::{WebhookCall, WebhookOutcome};

/// The number of frames of a stream that are taken before the engine is told so.
const TOLD: u64 = WINDOW / 4;

/// A client. Cheap to clone; all clones are the same client.
#[derive(Clone)]
pub struct Client(Rc<Shared>);

struct Shared {
    next: Cell<CallId>,
    calls: RefCell<HashMap<CallId, Waiting>>,
    outgoing: RefCell<Vec<(ToEngine, Bytes)>>,
    /// Tells whoever carries packets that there is something to be sent.
    wake: Box<dyn Fn()>,
    /// Calls webhooks, if the client does that.
    webhooks: RefCell<Option<CallWebhook>>,
    /// Why no message can be sent any more.
    stopped: RefCell<Option<Error>>,
}

/// Begins to call a webhook with a review. The client is told the outcome by [`Client::tell_webhook`].
type CallWebhook = Rc<dyn Fn(&Client, u64, WebhookCall, Bytes)>;

/// A response that is to come. The message has been sent already; dropped, a request is cancelled.
pub type Pending<T> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// Whoever waits for something.
enum Waiting {
    Response(oneshot::Sender<Result<Response, Error>>),
    Stream(mpsc::UnboundedSender<Result<Bytes, Error>>),
    Done(oneshot::Sender<Result<Done, Error>>),
    Answer(oneshot::Sender<Result<(Answer, Bytes), Error>>),
}

/// A response.
pub struct Response {
    /// All of it but the body.
    pub head: HttpResponse,
    /// The body; empty if it is a stream.
    pub body: Bytes,
    /// The frames, if it is a stream.
    pub frames: Option<Frames>,
}

/// The frames of a stream. Dropped, it is closed.
pub struct Frames {
    call: Call,
    frames: mpsc::UnboundedReceiver<Result<Bytes, Error>>,
    taken: u64,
}

/// A call that the engine is told of when nobody wants it any more.
struct Call {
    id: CallId,
    client: Client,
    over: bool,
}

impl Drop for Call {
    fn drop(&mut self) {
        // What has come to an end has no entry any more, or one that belongs to the stream that came of it.
        if self.over {
            return;
        }
        let forgotten = self.client.0.calls.borrow_mut().remove(&self.id);
        self.client.send(ToEngine::Cancel { call: self.id }, Bytes::new());
        drop(forgotten);
    }
}

impl Client {
    /// Makes a client. `wake` is called when there is something to [flush](Self::flush).
    pub fn new(wake: impl Fn() + 'static) -> Self {
        Self(Rc::new(Shared {
            next: Cell::new(1),
            calls: RefCell::default(),
            outgoing: RefCell::default(),
            wake: Box::new(wake),
            webhooks: RefCell::default(),
            stopped: RefCell::default(),
        }))
    }

    /// Sends a request.
    pub fn request(
        &self,
        cluster: ClusterId,
        server: usize,
        mode: Mode,
        request: HttpRequest,
        body: Bytes,
    ) -> Pending<Response> {
        let message = |call| ToEngine::Request { call, cluster, server, mode, request };
        self.call(Waiting::Response, message, body)
    }

    /// Runs a command.
    pub fn command(&self, cluster: ClusterId, command: Command) -> Pending<Done> {
        let message = |call| ToEngine::Command { call, cluster, command };
        self.call(Waiting::Done, message, Bytes::new())
    }

    /// Asks a question about a document.
    pub fn question(&self, question: Question, document: Bytes) -> Pending<(Answer, Bytes)> {
        let message = |call| ToEngine::Question { call, question };
        self.call(Waiting::Answer, message, document)
    }

    /// Asks for the trace, which [`Self::receive`] gives from then on.
    pub fn subscribe(&self) {
        self.send(ToEngine::Subscribe, Bytes::new());
    }

    /// Has the engine load the code that it begins without.
    pub fn prefetch(&self) {
        self.send(ToEngine::Prefetch, Bytes::new());
    }

    /// Tells the engine that the trace was taken up to a batch.
    pub fn taken_trace(&self, batch: u64) {
        self.send(ToEngine::TakenTrace { batch }, Bytes::new());
    }

    /// Has the engine send its calls of webhooks to this client: `call` begins one, with its number and the review, and in the end
    /// somebody [tells](Self::tell_webhook) the client, which `call` is given, what came of it.
    pub fn call_webhooks(&self, call: impl Fn(&Self, u64, WebhookCall, Bytes) + 'static) {
        *self.0.webhooks.borrow_mut() = Some(Rc::new(call));
        self.send(ToEngine::CallWebhooks, Bytes::new());
    }

    /// Tells the engine the outcome of the call of a webhook, and the body of its response.
    pub fn tell_webhook(&self, webhook: u64, outcome: WebhookOutcome, body: Bytes) {
        self.send(ToEngine::Webhook { webhook, outcome }, body);
    }

    fn call<T: 'static>(
        &self,
        waiting: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Waiting,
        message: impl FnOnce(CallId) -> ToEngine,
        payload: Bytes,
    ) -> Pending<T> {
        let id = self.0.next.get();
        self.0.next.set(id + 1);
        let (sender, receiver) = oneshot::channel();
        let stopped = self.0.stopped.borrow().clone();
        let call = Call { id, client: self.clone(), over: stopped.is_some() };
        if stopped.is_none() {
            self.0.calls.borrow_mut().insert(id, waiting(sender));
            self.send(message(id), payload);
        }
        Box::pin(async move {
            let mut call = call;
            if let Some(error) = stopped {
                return Err(error);
            }
            let result = receiver.await.unwrap_or(Err(Error::Cut));
            call.over = true;
            result
        })
    }

    fn send(&self, message: ToEngine, payload: Bytes) {
        if self.0.stopped.borrow().is_some() {
            return;
        }
        let first = {
            let mut outgoing = self.0.outgoing.borrow_mut();
            outgoing.push((message, payload));
            outgoing.len() == 1
        };
        if first {
            (self.0.wake)();
        }
    }

    /// Returns everything that is to be sent, as one packet; `None` if there is nothing.
    pub fn flush(&self) -> Option<Packet> {
        let messages = self.0.outgoing.take();
        if messages.is_empty() { None } else { Packet::encode(messages).ok() }
    }

    /// Takes a packet from the engine: what it answers goes to whoever waits for it. Returns the batches of the trace that
    /// were in it.
    ///
    /// # Errors
    /// The bytes are no packet of this version.
    pub fn receive(&self, packet: &Bytes) -> Result<Vec<Batch>, PacketError> {
        let mut batches = Vec::new();
        for (message, payload) in packet::decode::<FromEngine>(packet)? {
            if let FromEngine::Trace(batch) = message {
                batches.push(batch);
            } else {
                self.take(message, payload);
            }
        }
        Ok(batches)
    }

    fn take(&self, message: FromEngine, payload: Bytes) {
        let waiting = |call| self.0.calls.borrow_mut().remove(&call);
        match message {
            FromEngine::Response { call, response } => {
                if let Some(Waiting::Response(sender)) = waiting(call) {
                    self.respond(call, sender, response, payload);
                }
            }
            FromEngine::Frame { call } => {
                if let Some(Waiting::Stream(sender)) = self.0.calls.borrow().get(&call) {
                    // Who has dropped it has cancelled it.
                    let _ = sender.unbounded_send(Ok(payload));
                }
            }
            FromEngine::End { call } => drop(waiting(call)),
            FromEngine::Done { call, done } => {
                if let Some(Waiting::Done(sender)) = waiting(call) {
                    let _ = sender.send(Ok(done));
                }
            }
            FromEngine::Answer { call, answer } => {
                if let Some(Waiting::Answer(sender)) = waiting(call) {
                    let _ = sender.send(Ok((answer, payload)));
                }
            }
            FromEngine::Failed { call, error } => {
                if let Some(waiting) = waiting(call) {
                    waiting.fail(error);
                }
            }
            FromEngine::Webhook { webhook, call } => {
                let begin = self.0.webhooks.borrow().clone();
                if let Some(begin) = begin {
                    begin(self, webhook, call, payload);
                }
            }
            FromEngine::Ready | FromEngine::Trace(_) => {}
        }
    }

    fn respond(
        &self,
        call: CallId,
        sender: oneshot::Sender<Result<Response, Error>>,
        head: HttpResponse,
        body: Bytes,
    ) {
        let frames = head.streams.then(|| {
            let (frame_sender, frames) = mpsc::unbounded();
            self.0.calls.borrow_mut().insert(call, Waiting::Stream(frame_sender));
            let call = Call { id: call, client: self.clone(), over: false };
            Frames { call, frames, taken: 0 }
        });
        // Who no longer waits drops the frames, which cancels them.
        let _ = sender.send(Ok(Response { head, body, frames }));
    }

    /// Fails everything that is under way, and everything that is asked for from now on: the engine has stopped.
    pub fn stop(&self, error: &Error) {
        *self.0.stopped.borrow_mut() = Some(error.clone());
        self.0.outgoing.take();
        let calls = self.0.calls.take();
        calls.into_values().for_each(|waiting| waiting.fail(error.clone()));
    }
}

impl Waiting {
    fn fail(self, error: Error) {
        // Nobody may wait any more.
        match self {
            Self::Response(sender) => drop(sender.send(Err(error))),
            Self::Stream(sender) => drop(sender.unbounded_send(Err(error))),
            Self::Done(sender) => drop(sender.send(Err(error))),
            Self::Answer(sender) => drop(sender.send(Err(error))),
        }
    }
}

impl Stream for Frames {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let frame = self.frames.poll_next_unpin(cx);
        match &frame {
            Poll::Ready(Some(Ok(_))) => {
                self.taken += 1;
                if self.taken.is_multiple_of(TOLD) {
                    let message = ToEngine::Taken { call: self.call.id, frames: self.taken };
                    self.call.client.send(message, Bytes::new());
                }
            }
            Poll::Ready(_) => self.call.over = true,
            Poll::Pending => {}
        }
        frame
    }
}
