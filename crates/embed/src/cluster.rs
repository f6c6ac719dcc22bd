//! The cluster in which the examples of a page run: an engine in a worker.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use document::message::{Body, Request, Response};
use document::{Evaluation, Server};
use futures::StreamExt;
use futures::future::AbortHandle;
use js_sys::Function;
use protocol::client::{self, Client, Frames};
use protocol::command::Command;
use protocol::document::Question;
use protocol::message::{ClusterId, HttpRequest, Mode};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

/// The User-Agent of what names none, so that the fields that it writes have a manager.
const USER_AGENT: &str = "kubeglass";

/// How often it is looked whether what is under way has come.
const TURNS: usize = 3;

/// The most events of a watch that are kept. A page is told all of them.
const KEPT: usize = 1_000;

/// A cluster.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    tell: Function,
    next: Cell<u64>,
    streams: Rc<RefCell<HashMap<u64, Stream>>>,
}

/// A stream that is open.
struct Stream {
    events: Vec<Bytes>,
    ends: AbortHandle,
}

impl Cluster {
    pub(crate) fn new(client: Client, tell: Function) -> Self {
        Self { client, tell, next: Cell::new(1), streams: Rc::default() }
    }

    /// Tells the page something.
    pub(crate) fn tell(&self, what: &Value) {
        tell(&self.tell, what);
    }

    /// Closes a stream.
    pub(crate) fn close(&self, stream: u64) {
        if let Some(stream) = self.streams.borrow_mut().remove(&stream) {
            stream.ends.abort();
        }
    }

    async fn request(&self, request: &Request) -> Result<client::Response, String> {
        let mut headers = request.headers.clone();
        if request.header("User-Agent").is_none() {
            headers.push(("User-Agent".to_owned(), USER_AGENT.to_owned()));
        }
        let head = HttpRequest { method: request.method.clone(), uri: request.target.clone(), headers };
        let sent = self.client.request(ClusterId::FIRST, 0, Mode::Serve, head, request.body.clone());
        sent.await.map_err(|error| error.to_string())
    }

    /// Takes the events of a stream as they come, and tells the page of each.
    fn follow(&self, mut frames: Frames) -> u64 {
        let number = self.next.replace(self.next.get() + 1);
        let (streams, told) = (Rc::clone(&self.streams), self.tell.clone());
        let (following, ends) = futures::future::abortable(async move {
            while let Some(Ok(frame)) = frames.next().await {
                tell(&told, &json!({"stream": number, "event": String::from_utf8_lossy(&frame)}));
                if let Some(stream) = streams.borrow_mut().get_mut(&number)
                    && stream.events.len() < KEPT
                {
                    stream.events.push(frame);
                }
            }
            tell(&told, &json!({"stream": number, "ended": true}));
        });
        self.streams.borrow_mut().insert(number, Stream { events: Vec::new(), ends });
        wasm_bindgen_futures::spawn_local(async move {
            // What is aborted has been closed.
            let _ = following.await;
        });
        number
    }

    async fn ask(&self, question: Question, document: Bytes) -> Result<Bytes, String> {
        let asked = self.client.question(question, document).await;
        asked.map(|(_, document)| document).map_err(|error| error.to_string())
    }
}

fn tell(told: &Function, what: &Value) {
    // A page that has gone hears nothing.
    let _ = told.call1(&JsValue::NULL, &what.to_string().into());
}

impl Server for Cluster {
    async fn send(&self, request: &Request) -> Result<Response, String> {
        let client::Response { head, body, frames } = self.request(request).await?;
        let body = frames.map_or(Body::Whole(body), |frames| Body::Stream(self.follow(frames)));
        Ok(Response { status: head.status, headers: head.headers, body })
    }

    async fn arrange(&self, requests: Vec<Request>) -> Result<Vec<(u16, Bytes)>, String> {
        // All are under way before the first is waited for.
        let sent = futures::future::join_all(requests.iter().map(|request| self.request(request))).await;
        sent.into_iter()
            .map(|response| response.map(|response| (response.head.status, response.body)))
            .collect()
    }

    async fn events(&self, stream: u64) -> Vec<Bytes> {
        for _ in 0..TURNS {
            // What comes of a request comes behind what has happened before it.
            let _ = self.request(&Request::new("GET", "/api")).await;
        }
        self.streams.borrow().get(&stream).map(|stream| stream.events.clone()).unwrap_or_default()
    }

    async fn advance(&self, by: Duration) {
        let _ = self.client.command(ClusterId::FIRST, Command::Advance { by }).await;
    }

    async fn to_json(&self, content_type: &str, document: Bytes) -> Result<Bytes, String> {
        self.ask(Question::ToJson { content_type: content_type.to_owned() }, document).await
    }

    async fn encode(&self, content_type: &str, json: Bytes) -> Result<Bytes, String> {
        self.ask(Question::Encode { content_type: content_type.to_owned() }, json).await
    }

    async fn evaluate(&self, expression: &str, variables: Bytes) -> Result<bool, Evaluation> {
        let question = Question::Evaluate { expression: expression.to_owned() };
        let (_, value) = self.client.question(question, variables).await?;
        Ok(*value == *b"true")
    }
}
