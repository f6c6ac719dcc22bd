//! The cluster of this tab, which lives in an engine beside the page: whatever is sent to it goes by messages.

#[cfg(test)]
pub(crate) mod in_process;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Context;
use std::time::Duration;

use bytes::Bytes;
use clock::{Clock, ManualClock};
use futures::future::{LocalBoxFuture, poll_fn};
use futures::stream::StreamExt;
use protocol::client::{Client, Pending, Response};
use protocol::command::{Command, Done};
use protocol::document::{self, Question};
use protocol::message::{ClusterId, Error, HttpRequest, Mode};
use protocol::trace::Time;

use crate::cluster::{Answer, Body, Request, Transport};

/// The User-Agent of the page, so that the fields that it writes have a manager.
pub(crate) const USER_AGENT: &str = "kubeglass";

/// How many API servers a cluster in this tab has at most.
pub(crate) const MOST_SERVERS: usize = 3;

/// Drives an engine that does nothing by itself.
type Drive = Rc<dyn Fn(&mut Context<'_>)>;

/// The way to the cluster of this tab.
pub(crate) struct Embedded {
    client: RefCell<Client>,
    /// The engine does nothing by itself, where it is not in a worker.
    drive: Option<Drive>,
    /// The cluster's clock, as far as this side knows it.
    pub(crate) clock: ManualClock,
    /// How many API servers there are.
    servers: Cell<usize>,
    /// The number of the one that requests go to; `None` lets each have its turn, as a load balancer does.
    chosen: Cell<Option<usize>>,
    /// How many requests have had a turn.
    turns: Cell<usize>,
}

impl Embedded {
    /// Makes the way to an engine in a worker, whose clock was set to `now` (since the Unix epoch).
    pub(crate) fn new(client: Client, now: Duration) -> Self {
        Self::with(client, None, ManualClock::new(now))
    }

    fn with(client: Client, drive: Option<Drive>, clock: ManualClock) -> Self {
        Self {
            client: RefCell::new(client),
            drive,
            clock,
            servers: Cell::new(1),
            chosen: Cell::new(Some(0)),
            turns: Cell::new(0),
        }
    }

    /// Lets a new engine with a new cluster take the place of one that has stopped.
    pub(crate) fn renew(&self, client: Client) {
        self.client.replace(client);
        self.servers.set(1);
        self.chosen.set(Some(0));
    }

    /// Returns the client of the engine.
    pub(crate) fn client(&self) -> Client {
        self.client.borrow().clone()
    }

    /// Takes note of how many API servers there are, as the trace tells: others may have started some.
    pub(crate) fn count_servers(&self, servers: usize) {
        self.servers.set(self.servers().max(servers));
    }

    /// Returns how many API servers there are.
    pub(crate) fn servers(&self) -> usize {
        self.servers.get()
    }

    /// Sets which API server requests go to; `None` lets each have its turn.
    pub(crate) fn choose(&self, number: Option<usize>) {
        self.chosen.set(number);
    }

    /// Returns the number of the API server that the next request goes to.
    pub(crate) fn next(&self) -> usize {
        let number = self.chosen.get().unwrap_or_else(|| self.turns.get() % self.servers().max(1));
        if number < self.servers() { number } else { 0 }
    }

    /// Takes note of the time as the engine tells it. The clock of this side never goes back.
    pub(crate) fn told(&self, time: Time) {
        self.clock.advance(time.now.saturating_sub(self.clock.now()));
    }

    /// Runs a command on the cluster.
    pub(crate) fn command(&self, command: Command) -> LocalBoxFuture<'static, Result<Done, Error>> {
        self.command_to(ClusterId::FIRST, command)
    }

    /// Runs a command on a cluster of the engine.
    pub(crate) fn command_to(
        &self,
        cluster: ClusterId,
        command: Command,
    ) -> LocalBoxFuture<'static, Result<Done, Error>> {
        self.driven(self.client().command(cluster, command))
    }

    /// Starts another API server over the same store, unless there are enough.
    pub(crate) fn join(&self) -> Option<LocalBoxFuture<'static, Result<Done, Error>>> {
        if self.servers() >= MOST_SERVERS {
            return None;
        }
        self.servers.set(self.servers() + 1);
        Some(self.command(Command::AddServer))
    }

    /// Asks a question about a document.
    pub(crate) fn question(
        &self,
        question: Question,
        document: Bytes,
    ) -> LocalBoxFuture<'static, Result<(document::Answer, Bytes), Error>> {
        self.driven(self.client().question(question, document))
    }

    /// Sends a request to the API server whose turn it is, though not for it to be handled: see [`Mode`].
    pub(crate) fn ask(
        &self,
        mode: Mode,
        request: &Request,
    ) -> LocalBoxFuture<'static, Result<Answer, Error>> {
        self.send_to(ClusterId::FIRST, self.next(), mode, request)
    }

    /// Sends a request to an API server of a cluster of the engine.
    pub(crate) fn send_to(
        &self,
        cluster: ClusterId,
        server: usize,
        mode: Mode,
        request: &Request,
    ) -> LocalBoxFuture<'static, Result<Answer, Error>> {
        let mut headers = request.headers.clone();
        if request.header("User-Agent").is_none() {
            headers.push(("User-Agent".to_owned(), USER_AGENT.to_owned()));
        }
        let head = HttpRequest { method: request.method.clone(), uri: request.target.clone(), headers };
        let response = self.driven(self.client().request(cluster, server, mode, head, request.bytes()));
        let drive = self.drive.clone();
        Box::pin(async move { Ok(answer(response.await?, drive)) })
    }

    fn driven<T: 'static>(&self, mut pending: Pending<T>) -> LocalBoxFuture<'static, Result<T, Error>> {
        let Some(drive) = self.drive.clone() else { return pending };
        Box::pin(poll_fn(move |cx| {
            drive(cx);
            pending.as_mut().poll(cx)
        }))
    }
}

fn answer(response: Response, drive: Option<Drive>) -> Answer {
    let Response { head, body, frames } = response;
    let body = match frames {
        None => Body::Bytes(body),
        Some(frames) => {
            let mut frames = frames.map(|frame| frame.map_err(|error| error.to_string())).boxed_local();
            Body::Stream(match drive {
                None => frames,
                Some(drive) => futures::stream::poll_fn(move |cx| {
                    drive(cx);
                    frames.poll_next_unpin(cx)
                })
                .boxed_local(),
            })
        }
    };
    Answer {
        status: head.status,
        headers: head.headers,
        body,
        revision: Some(head.revision),
        served: head.record,
    }
}

impl Transport for Embedded {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let server = self.next();
        self.turns.set(self.turns.get().wrapping_add(1));
        let answer = self.send_to(ClusterId::FIRST, server, Mode::Serve, &request);
        Box::pin(async move { answer.await.map_err(|error| error.to_string()) })
    }
}
