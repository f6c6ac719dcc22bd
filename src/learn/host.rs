//! The page's cluster as what documents run in: their requests are the page's own, and so is the picture of them.

use std::time::Duration;

use bytes::Bytes;
use document::message::{Body, Request, Response};
use document::{Evaluation, Server};
use leptos::prelude::*;
use protocol::command::Command;
use protocol::document::Question;
use protocol::message::{ClusterId, Mode};

use super::reader::Reader;
use crate::cluster::documents::is_binary;
use crate::cluster::trace::{Origin, Outcome};
use crate::cluster::{self, Which};
use crate::state::{Page, Shown};
use crate::ui::{dom, messages};

/// How often it is looked whether what is under way has come.
const TURNS: usize = 3;

/// The cluster of a document.
pub(crate) struct Host {
    page: Page,
    /// The exchanges of the block that runs, in order.
    exchanges: RwSignal<Vec<u64>>,
    /// The number of the cluster, and that of the reader's cluster now: what begins another one goes on in none.
    own: u64,
    turn: StoredValue<u64>,
}

impl Host {
    /// Makes the host of the cluster that a reader has now.
    pub(crate) fn of(reader: Reader) -> Self {
        let Reader { page, exchanges, turn, .. } = reader;
        Self { page, exchanges, own: turn.get_value(), turn }
    }

    /// Returns an error if another cluster has begun.
    fn goes_on(&self) -> Result<(), String> {
        if self.turn.try_get_value() == Some(self.own) { Ok(()) } else { Err(messages::NO_ANSWER.to_owned()) }
    }
}

impl Server for Host {
    async fn send(&self, request: &Request) -> Result<Response, String> {
        self.goes_on()?;
        let page = self.page;
        page.cluster.set(Which::ThisTab);
        let sent = composed(request);
        let id =
            page.exchange(sent, Origin::User, false).await.ok_or_else(|| messages::NO_ANSWER.to_owned())?;
        self.exchanges.update(|exchanges| exchanges.push(id));
        page.show(Shown::Exchange(id, false));
        let answered = |outcome: &Outcome| match outcome {
            Outcome::Answered(reply) => {
                let body = match reply.watch {
                    Some(watch) => Body::Stream(watch),
                    None => Body::Whole(reply.body.clone().unwrap_or_default()),
                };
                Ok(Response { status: reply.status, headers: reply.headers.clone(), body })
            }
            Outcome::Failed(why) => Err(why.clone()),
            Outcome::Pending => Err(messages::NO_ANSWER.to_owned()),
        };
        let found = untrack(|| page.read(|model| model.trace.get(id).map(|sent| answered(&sent.outcome))));
        found.unwrap_or_else(|| Err(messages::NO_ANSWER.to_owned()))
    }

    async fn arrange(&self, requests: Vec<Request>) -> Result<Vec<(u16, Bytes)>, String> {
        self.goes_on()?;
        let embedded = self.page.embedded();
        let send = |request| embedded.send_to(ClusterId::FIRST, 0, Mode::Serve, &composed(request));
        let sent: Vec<_> = requests.iter().map(send).collect();
        let mut responses = Vec::new();
        for response in sent {
            let answer = response.await.map_err(|error| error.to_string())?;
            let body = match answer.body {
                cluster::Body::Bytes(body) => body,
                cluster::Body::Stream(_) => Bytes::new(),
            };
            responses.push((answer.status, body));
        }
        Ok(responses)
    }

    async fn events(&self, stream: u64) -> Vec<Bytes> {
        for _ in 0..TURNS {
            let ask = cluster::Request::get("/api");
            let _ = self.page.embedded().ask(Mode::At(u64::MAX), &ask).await;
            dom::sleep(0).await;
        }
        let events = untrack(|| {
            self.page.watch(stream, |watch| {
                watch.events().map(|event| Bytes::from(event.text.clone())).collect::<Vec<_>>()
            })
        });
        events.unwrap_or_default()
    }

    async fn advance(&self, by: Duration) {
        if self.goes_on().is_err() {
            return;
        }
        let _ = self.page.embedded().command(Command::Advance { by }).await;
    }

    async fn to_json(&self, content_type: &str, document: Bytes) -> Result<Bytes, String> {
        self.page.embedded().to_json(content_type, document).await
    }

    async fn encode(&self, content_type: &str, json: Bytes) -> Result<Bytes, String> {
        // What is no text the page writes itself when it sends.
        if is_binary(content_type) {
            return Ok(json);
        }
        let question = Question::Encode { content_type: content_type.to_owned() };
        let encoded = self.page.embedded().question(question, json).await;
        encoded.map(|(_, document)| document).map_err(|error| error.to_string())
    }

    async fn evaluate(&self, expression: &str, variables: Bytes) -> Result<bool, Evaluation> {
        let question = Question::Evaluate { expression: expression.to_owned() };
        let (_, value) = self.page.embedded().question(question, variables).await?;
        Ok(*value == *b"true")
    }
}

/// Returns a document's request as the page sends it.
fn composed(request: &Request) -> cluster::Request {
    cluster::Request {
        method: request.method.clone(),
        target: request.target.clone(),
        headers: request.headers.clone(),
        body: String::from_utf8_lossy(&request.body).into_owned(),
        ..cluster::Request::default()
    }
}
