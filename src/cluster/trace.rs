//! The exchanges of this page with its clusters: what everything shown is derived from.

use std::collections::VecDeque;

use apiserver::inspect::Served;
use bytes::Bytes;

use crate::cluster::{Request, Which};

/// How many exchanges are kept.
pub(crate) const KEPT: usize = 100;
/// How many bytes of bodies are kept; the newest exchange keeps its body whatever it weighs.
const BODIES: usize = 16 << 20;

/// Who sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Whoever sits in front of the page.
    User,
    /// The page, to have something in the cluster when it opens.
    Opening,
}

/// A request, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// Its number in this page; newer ones are larger.
    pub(crate) id: u64,
    /// Where it went.
    pub(crate) cluster: Which,
    /// Who sent it.
    pub(crate) origin: Origin,
    /// What was sent.
    pub(crate) request: Request,
    /// What became of it.
    pub(crate) outcome: Outcome,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It is under way.
    Pending,
    /// It was answered.
    Answered(Reply),
    /// No answer came, and why.
    Failed(String),
}

/// An answer, as far as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The HTTP status code.
    pub(crate) status: u16,
    /// Names and values.
    pub(crate) headers: Vec<(String, String)>,
    /// The whole body; empty where it is a stream, and `None` once it has been dropped to save memory.
    pub(crate) body: Option<Bytes>,
    /// The size of the body in bytes.
    pub(crate) size: usize,
    /// From sending to the answer's headers, or its end where it is no stream, in milliseconds.
    pub(crate) took: f64,
    /// The watch whose stream this is.
    pub(crate) watch: Option<u64>,
    /// What the API server notes of it, where the cluster tells.
    pub(crate) served: Option<Box<Served>>,
}

/// The exchanges, newest last.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    exchanges: VecDeque<Exchange>,
    next: u64,
}

impl Trace {
    /// Notes that `request` is under way, and gives the number of its exchange.
    pub(crate) fn sent(&mut self, cluster: Which, origin: Origin, request: Request) -> u64 {
        let id = self.next;
        self.next += 1;
        self.exchanges.push_back(Exchange { id, cluster, origin, request, outcome: Outcome::Pending });
        if self.exchanges.len() > KEPT {
            self.exchanges.pop_front();
        }
        id
    }

    /// Notes what became of it.
    pub(crate) fn settled(&mut self, id: u64, outcome: Outcome) {
        if let Some(exchange) = self.exchanges.iter_mut().find(|exchange| exchange.id == id) {
            exchange.outcome = outcome;
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

    /// The exchange of this number, if it is still kept.
    pub(crate) fn get(&self, id: u64) -> Option<&Exchange> {
        self.exchanges.iter().find(|exchange| exchange.id == id)
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
            trace.sent(Which::ThisTab, Origin::User, Request::get("/version"));
        }
        assert!(trace.get(4).is_none() && trace.get(5).is_some());
        let numbers: Vec<u64> = trace.newest().map(|exchange| exchange.id).take(2).collect();
        assert_eq!(numbers, [104, 103]);
    }

    #[test]
    fn drops_old_bodies_when_they_weigh_too_much() {
        let mut trace = Trace::default();
        let mut send = |size| {
            let id = trace.sent(Which::ThisTab, Origin::User, Request::get("/api/v1/pods"));
            trace.settled(id, answered(size));
            id
        };
        let (old, middle, large) = (send(BODIES / 2), send(10), send(BODIES - 10));
        assert_eq!([old, middle, large].map(|id| kept(&trace, id)), [false, true, true]);
        let mut alone = Trace::default();
        let id = alone.sent(Which::ThisTab, Origin::User, Request::get("/api/v1/pods"));
        alone.settled(id, answered(BODIES * 2));
        assert!(kept(&alone, id));
    }

    #[test]
    fn what_is_no_longer_kept_settles_in_silence() {
        let mut trace = Trace::default();
        trace.settled(7, Outcome::Failed(String::new()));
        assert!(trace.get(7).is_none());
    }
}
