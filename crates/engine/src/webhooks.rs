//! Calls of webhooks: the clients of a cluster's engines make them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};
use std::time::Duration;

use apiserver::{WebhookCall, WebhookCaller, WebhookResponse};
use bytes::Bytes;
use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use protocol::message::FromEngine;
use protocol::webhook::{self, WebhookOutcome};

use crate::Outgoing;

/// The time that an outcome has to arrive. Who makes a call ends it in time.
const GRACE: Duration = Duration::from_secs(1);

/// The webhooks of a cluster, and of its forks. All clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Webhooks(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The number of the last client, and of the last call.
    clients: u64,
    calls: u64,
    /// The clients that make calls. The last one is asked.
    making: Vec<Making>,
    /// The calls that nobody has told the outcome of.
    pending: HashMap<u64, Pending>,
    /// The real time that has elapsed.
    elapsed: Duration,
}

/// A client that makes calls.
struct Making {
    client: u64,
    /// The messages that it is to be sent.
    outgoing: Vec<Outgoing>,
    /// Has the engine polled that sends it.
    waker: Option<Waker>,
}

/// A call under way.
struct Pending {
    client: u64,
    /// When it has taken too long.
    deadline: Duration,
    sender: oneshot::Sender<Result<WebhookResponse, String>>,
    /// The error where nothing listens.
    unreachable: String,
}

/// The part of a client that makes calls. Once it is dropped, those that it was to make fail, and others are asked.
pub(crate) struct Client {
    webhooks: Webhooks,
    number: u64,
}

impl Webhooks {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a client make the calls from now on.
    pub(crate) fn join(&self) -> Client {
        let mut state = self.lock();
        state.clients += 1;
        let number = state.clients;
        state.making.push(Making { client: number, outgoing: Vec::new(), waker: None });
        Client { webhooks: self.clone(), number }
    }

    /// Lets real time elapse. Calls that have taken too long come to an end.
    pub(crate) fn elapse(&self, real: Duration) {
        let mut state = self.lock();
        state.elapsed += real;
        let now = state.elapsed;
        for (_, call) in state.pending.extract_if(|_, call| call.deadline <= now) {
            // Who has given up does not wait.
            let _ = call.sender.send(Err(WebhookCall::DEADLINE.to_owned()));
        }
    }

    /// Takes the outcome of a call. Who comes too late is not heard.
    pub(crate) fn told(&self, webhook: u64, outcome: WebhookOutcome, body: Bytes) {
        let Some(call) = self.lock().pending.remove(&webhook) else { return };
        let outcome = match outcome {
            WebhookOutcome::Response { status: code, content_type } => {
                Ok(WebhookResponse { code, content_type, body })
            }
            WebhookOutcome::Unreachable => Err(call.unreachable),
            WebhookOutcome::Failed(why) => Err(why),
        };
        let _ = call.sender.send(outcome);
    }
}

impl WebhookCaller for Webhooks {
    fn call(&self, call: WebhookCall) -> BoxFuture<'static, Result<WebhookResponse, String>> {
        let unreachable = call.unreachable();
        let WebhookCall { url, body, function, timeout, .. } = call;
        let (sender, receiver) = oneshot::channel();
        let waker = {
            let mut state = self.lock();
            let State { calls, elapsed, making, pending, .. } = &mut *state;
            *calls += 1;
            // If there is no client, nobody makes the call, and the sender is dropped.
            making.last_mut().and_then(|making| {
                let (client, deadline) = (making.client, *elapsed + timeout + GRACE);
                pending
                    .insert(*calls, Pending { client, deadline, sender, unreachable: unreachable.clone() });
                let call = webhook::WebhookCall { url: url.clone(), function, timeout };
                making.outgoing.push((FromEngine::Webhook { webhook: *calls, call }, body));
                making.waker.take()
            })
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        async move {
            let outcome = receiver.await.unwrap_or(Err(unreachable));
            outcome.map_err(|why| WebhookCall::error(&url, &why))
        }
        .boxed()
    }
}

impl Client {
    /// Moves what the client is to be sent to the end of `outgoing`. `cx` is woken when there is more.
    pub(crate) fn take(&self, cx: &Context<'_>, outgoing: &mut Vec<Outgoing>) {
        let mut state = self.webhooks.lock();
        if let Some(making) = state.making.iter_mut().find(|making| making.client == self.number) {
            outgoing.append(&mut making.outgoing);
            making.waker = Some(cx.waker().clone());
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut state = self.webhooks.lock();
        state.making.retain(|making| making.client != self.number);
        state.pending.retain(|_, call| call.client != self.number);
    }
}
