//! The exchanges of this page with its clusters: what everything shown is derived from.

pub(crate) mod stream;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use protocol::trace::RequestRecord;
use serde::{Deserialize, Serialize};

use crate::cluster::decided::Decided;
use crate::cluster::trace::stream::{End, Stream};
use crate::cluster::webhooks::{self, Called, Calls};
use crate::cluster::{Request, Which};
use crate::ui::messages;

/// How many exchanges are kept.
pub(crate) const KEPT: usize = 500;
/// How many bytes of bodies are kept; the newest exchange keeps its body whatever it weighs.
const BODIES: usize = 16 << 20;
/// A body that grows is read up to about so many bytes.
const LONGEST_STREAM: usize = 1 << 20;

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// Whoever sits in front of the page.
    User,
    /// The page, to have something in the cluster when it opens.
    Opening,
    /// A local copy.
    Copy,
    /// A client that the page plays: Alice and Bob, who race, or one of many who watch.
    Lab,
    /// Another client of the cluster.
    Other,
}

/// A request, and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Exchange {
    /// The number of the exchange in this page; newer ones are larger.
    pub(crate) id: u64,
    /// The cluster that the request went to.
    pub(crate) cluster: Which,
    /// The sender of the request.
    pub(crate) origin: Origin,
    /// The request that was sent.
    pub(crate) request: Request,
    /// When, in milliseconds of the page's clock.
    pub(crate) sent_at: f64,
    /// The outcome of the request.
    pub(crate) outcome: Outcome,
    /// The store's newest revision when the answer came, where the page can know it.
    pub(crate) head: Option<u64>,
    /// The stream that came after the response's headers, if it is a stream.
    pub(crate) stream: Option<Stream>,
    /// The authorization decision on it, where the page can know it.
    #[serde(skip)]
    pub(crate) access: Option<Arc<Decided>>,
    /// The webhooks that were called for it, where the page calls them.
    #[serde(skip)]
    pub(crate) webhooks: Calls,
}

/// The outcome of a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// It is under way.
    Pending,
    /// It was answered.
    Answered(Reply),
    /// No answer came, and why.
    Failed(String),
}

/// An answer, as far as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// The HTTP status code.
    pub(crate) status: u16,
    /// Names and values.
    pub(crate) headers: Vec<(String, String)>,
    /// The whole body; empty where it is a stream, and `None` once it has been dropped to save memory.
    pub(crate) body: Option<Bytes>,
    /// The body as JSON, where it came in another media type that can be read so.
    pub(crate) decoded: Option<Bytes>,
    /// The size of the body in bytes.
    pub(crate) size: usize,
    /// From sending to the answer's headers, or its end where it is no stream, in milliseconds.
    pub(crate) took: f64,
    /// The watch whose stream this is.
    pub(crate) watch: Option<u64>,
    /// The API server's record of the request, where the cluster provides one.
    pub(crate) served: Option<Box<RequestRecord>>,
}

impl Reply {
    /// Returns the body as JSON, if it is some, or could be read so.
    pub(crate) fn json(&self) -> Option<&Bytes> {
        self.decoded.as_ref().or_else(|| self.body.as_ref().filter(|body| body.first() == Some(&b'{')))
    }
}

/// The exchanges, newest last.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    exchanges: VecDeque<Exchange>,
    next: u64,
}

impl Trace {
    /// Takes note of the body of an exchange's request as JSON.
    pub(crate) fn read_body(&mut self, id: u64, json: Option<Bytes>) {
        let mut exchanges = self.exchanges.iter_mut();
        if let Some(exchange) = exchanges.find(|exchange| exchange.id == id) {
            exchange.request.json = json;
        }
    }

    /// Notes that `request` goes out at `at`, and gives the number of its exchange.
    pub(crate) fn sent(&mut self, cluster: Which, origin: Origin, request: Request, at: f64) -> u64 {
        let id = self.next;
        self.next += 1;
        self.exchanges.push_back(Exchange {
            id,
            cluster,
            origin,
            request,
            sent_at: at,
            outcome: Outcome::Pending,
            head: None,
            stream: None,
            access: None,
            webhooks: Calls::default(),
        });
        if self.exchanges.len() > KEPT {
            self.exchanges.pop_front();
        }
        id
    }

    /// Returns the number that the next exchange gets.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Forgets all exchanges.
    pub(crate) fn clear(&mut self) {
        self.exchanges.clear();
    }

    /// Begins with exchanges, oldest first, whose numbers follow one another.
    pub(crate) fn begin(&mut self, exchanges: Vec<Exchange>) {
        self.next = exchanges.last().map_or(0, |last| last.id + 1);
        self.exchanges = exchanges.into();
    }

    /// Notes a request of another client, which was told of at `now`, and which watch of this page shows what it opened. What was
    /// in its body, and in that of its response, is not known.
    pub(crate) fn heard(&mut self, record: RequestRecord, watch: Option<u64>, now: f64) -> u64 {
        let took = record.took.as_secs_f64() * 1e3;
        let request = Request {
            method: record.method.clone(),
            target: record.uri.clone(),
            headers: vec![("User-Agent".to_owned(), record.user_agent.clone())],
            ..Request::default()
        };
        let id = self.sent(Which::ThisTab, Origin::Other, request, now - took);
        let outcome = match record.code {
            0 => Outcome::Failed(messages::NO_ANSWER.to_owned()),
            status => Outcome::Answered(Reply {
                status,
                headers: Vec::new(),
                body: None,
                decoded: None,
                size: record.size,
                took,
                watch,
                served: Some(Box::new(record)),
            }),
        };
        self.settled(id, outcome, None);
        id
    }

    /// Notes what became of it, and at which revision the store was then.
    pub(crate) fn settled(&mut self, id: u64, outcome: Outcome, head: Option<u64>) {
        if let Some(exchange) = self.change(id) {
            let streams = matches!(&outcome, Outcome::Answered(reply) if reply.watch.is_some());
            if streams {
                exchange.stream.get_or_insert_default();
            }
            exchange.outcome = outcome;
            exchange.head = head;
        }
        let mut weight = 0;
        for exchange in self.exchanges.iter_mut().rev() {
            if let Outcome::Answered(reply) = &mut exchange.outcome {
                weight += reply.body.as_ref().map_or(0, Bytes::len);
                if weight > BODIES && exchange.id != id {
                    reply.body = None;
                }
            }
        }
    }

    /// Notes that a webhook was called: for the oldest request under way that it may be for.
    pub(crate) fn called(&mut self, called: Called) {
        let Ok(review) = serde_json::from_slice(&called.review) else { return };
        let mut pending = self.exchanges.iter_mut().filter(|exchange| {
            exchange.cluster == Which::ThisTab && matches!(exchange.outcome, Outcome::Pending)
        });
        if let Some(exchange) = pending.find(|exchange| webhooks::is_for(&review, &exchange.request)) {
            exchange.webhooks.add(called);
        }
    }

    /// Notes what authorization decided on it.
    pub(crate) fn decided(&mut self, id: u64, decided: Option<Arc<Decided>>) {
        if let Some(exchange) = self.change(id) {
            exchange.access = decided;
        }
    }

    /// The stream of the exchange of this number; from now on it has one.
    pub(crate) fn stream(&mut self, id: u64) -> Option<&mut Stream> {
        self.change(id).map(|exchange| exchange.stream.get_or_insert_default())
    }

    /// The stream that was opened last for a watch.
    pub(crate) fn stream_of(&mut self, watch: u64) -> Option<&mut Stream> {
        let mut newest = self.exchanges.iter_mut().rev();
        let exchange = newest.find(
            |exchange| matches!(&exchange.outcome, Outcome::Answered(reply) if reply.watch == Some(watch)),
        );
        exchange?.stream.as_mut()
    }

    /// Notes that the stream of a watch is over.
    pub(crate) fn ended(&mut self, watch: u64, at: f64, end: End) {
        if let Some(stream) = self.stream_of(watch) {
            stream.ended(at, end);
        }
    }

    fn change(&mut self, id: u64) -> Option<&mut Exchange> {
        // Numbers are given out one by one, and only the oldest are dropped.
        let first = self.exchanges.front()?.id;
        self.exchanges.get_mut(usize::try_from(id.checked_sub(first)?).ok()?)
    }

    /// Adds to the body of a response. Reports whether there is room for more.
    pub(crate) fn append(&mut self, id: u64, chunk: &[u8]) -> bool {
        let outcome = self.change(id).map(|exchange| &mut exchange.outcome);
        let Some(Outcome::Answered(Reply { body: Some(body), size, .. })) = outcome else { return false };
        *body = [&body[..], chunk].concat().into();
        *size = body.len();
        *size < LONGEST_STREAM
    }

    /// The exchange of this number, if it is still kept.
    pub(crate) fn get(&self, id: u64) -> Option<&Exchange> {
        let first = self.exchanges.front()?.id;
        self.exchanges.get(usize::try_from(id.checked_sub(first)?).ok()?)
    }

    /// The exchanges, oldest first.
    pub(crate) fn oldest(&self) -> impl DoubleEndedIterator<Item = &Exchange> + ExactSizeIterator {
        self.exchanges.iter()
    }

    /// The exchanges, newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(size: usize) -> Outcome {
        let body = Some(Bytes::from(vec![b' '; size]));
        Outcome::Answered(Reply {
            status: 200,
            headers: Vec::new(),
            body,
            size,
            took: 1.0,
            watch: None,
            served: None,
            decoded: None,
        })
    }

    fn kept(trace: &Trace, id: u64) -> bool {
        let exchange = trace.get(id).unwrap();
        matches!(&exchange.outcome, Outcome::Answered(reply) if reply.body.is_some())
    }

    #[test]
    fn keeps_the_newest_exchanges() {
        let mut trace = Trace::default();
        for _ in 0..KEPT + 5 {
            trace.sent(Which::ThisTab, Origin::User, Request::get("/version"), 0.0);
        }
        assert!(trace.get(4).is_none() && trace.get(5).is_some());
        let numbers: Vec<u64> = trace.newest().map(|exchange| exchange.id).take(2).collect();
        assert_eq!(numbers, [504, 503]);
    }

    #[test]
    fn drops_old_bodies_when_they_weigh_too_much() {
        let mut trace = Trace::default();
        let mut send = |size| {
            let id = trace.sent(Which::ThisTab, Origin::User, Request::get("/api/v1/pods"), 0.0);
            trace.settled(id, answered(size), None);
            id
        };
        let (old, middle, large) = (send(BODIES / 2), send(10), send(BODIES - 10));
        assert_eq!([old, middle, large].map(|id| kept(&trace, id)), [false, true, true]);
        let mut alone = Trace::default();
        let id = alone.sent(Which::ThisTab, Origin::User, Request::get("/api/v1/pods"), 0.0);
        alone.settled(id, answered(BODIES * 2), None);
        assert!(kept(&alone, id));
    }

    #[test]
    fn what_is_no_longer_kept_settles_in_silence() {
        let mut trace = Trace::default();
        trace.settled(7, Outcome::Failed(String::new()), None);
        assert!(trace.get(7).is_none());
    }

    #[test]
    fn a_stream_belongs_to_the_newest_answer_of_its_watch() {
        let mut trace = Trace::default();
        let mut open = |watch| {
            let id = trace.sent(Which::ThisTab, Origin::User, Request::get("/api/v1/pods?watch=1"), 0.0);
            let Outcome::Answered(reply) = answered(0) else { unreachable!() };
            trace.settled(id, Outcome::Answered(Reply { watch: Some(watch), ..reply }), Some(7));
            id
        };
        let ids = [open(0), open(1), open(0)];
        trace.stream_of(0).unwrap().events = 3;
        trace.ended(1, 5.0, End::Closed);
        let events = ids.map(|id| trace.get(id).unwrap().stream.as_ref().unwrap().events);
        let ended = ids.map(|id| trace.get(id).unwrap().stream.as_ref().unwrap().end.is_some());
        assert_eq!((events, ended), ([0, 0, 3], [false, true, false]));
        assert!(trace.stream_of(9).is_none());
    }
}
