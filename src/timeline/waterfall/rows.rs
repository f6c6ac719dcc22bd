//! The rows of the waterfall: what each request asked for and what served it, made once and kept.

use std::collections::VecDeque;

use apimachinery::target;
use glass::History;
use protocol::trace::Source;

use crate::cluster::place::Place;
use crate::cluster::trace::{Exchange, Origin, Outcome, Reply, Trace};
use crate::cluster::{Which, status};
use crate::state::others::short_agent;
use crate::timeline::waterfall::asked::{Asked, Call, Verb};
use crate::timeline::waterfall::sentence::{Came, Facts, sentence};

/// How many rows a line goes by at most on its way from a request to the one that goes on from it.
const FAR: usize = 12;

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// The number of its exchange.
    pub(crate) id: u64,
    /// The sender of the request.
    pub(crate) origin: Origin,
    /// The client that has sent it, if that is another one.
    pub(crate) agent: Option<String>,
    /// The verb, or the HTTP method if the request has to do with no object.
    pub(crate) verb: String,
    /// The objects that it is about, in short.
    pub(crate) label: String,
    /// As of which revision.
    pub(crate) asked: Asked,
    /// When it was sent, in milliseconds of the page's clock.
    pub(crate) sent_at: f64,
    /// The row of the request that it goes on from: the page before, the list, or the watch before.
    pub(crate) link: Option<u64>,
    /// The result so far.
    pub(crate) came: State,
    /// The source that it was read from.
    pub(crate) source: Option<Source>,
    /// The number of the API server that answered it.
    pub(crate) server: Option<usize>,
    /// The revisions that it made.
    pub(crate) wrote: Vec<u64>,
    /// The version of its object, where it failed for that.
    pub(crate) current: Option<u64>,
    /// When it was over; nothing while more may come.
    pub(crate) over_at: Option<f64>,
    /// How long the answer took in milliseconds.
    pub(crate) took: f64,
    /// How many bytes came.
    pub(crate) size: usize,
    /// Which revision answered, and why.
    pub(crate) sentence: String,
    /// Which page of a list it is.
    page: u64,
    /// The path, to find what it goes on from.
    path: String,
    /// The watch whose stream it is.
    watch: Option<u64>,
}

/// The result of a request so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing yet.
    Pending,
    /// No answer will come.
    Failed,
    /// The status code; nothing more will come.
    Done(u16),
    /// The status code; the stream is open.
    Open(u16),
    /// The status code; the stream is over.
    Over(u16),
}

impl State {
    fn of(exchange: &Exchange) -> Self {
        match (&exchange.outcome, &exchange.stream) {
            (Outcome::Pending, _) => Self::Pending,
            (Outcome::Failed(_), _) => Self::Failed,
            (Outcome::Answered(reply), None) => Self::Done(reply.status),
            (Outcome::Answered(reply), Some(stream)) if stream.end.is_none() => Self::Open(reply.status),
            (Outcome::Answered(reply), Some(_)) => Self::Over(reply.status),
        }
    }

    /// The status code.
    pub(crate) fn code(self) -> Option<u16> {
        match self {
            Self::Done(code) | Self::Open(code) | Self::Over(code) => Some(code),
            Self::Pending | Self::Failed => None,
        }
    }

    /// Reports whether more may come: the request is pending, or its stream is open.
    pub(crate) fn moves(self) -> bool {
        matches!(self, Self::Pending | Self::Open(_))
    }

    /// Reports whether the request has failed.
    pub(crate) fn bad(self) -> bool {
        self == Self::Failed || self.code().is_some_and(|code| code >= 400)
    }
}

/// The rows, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: VecDeque<Row>,
    cluster: Which,
    next: u64,
    /// Counts up whenever a row has changed.
    version: u64,
}

impl Rows {
    /// Takes in what has changed: new requests, and what came of those under way. Gives the number of changes so far.
    pub(crate) fn sync(&mut self, trace: &Trace, cluster: Which, history: &History) -> u64 {
        let before = self.rows.len();
        if self.cluster != cluster {
            *self = Self { cluster, version: self.version + 1, ..Self::default() };
        }
        let oldest = trace.oldest().next().map_or(u64::MAX, |exchange| exchange.id);
        while self.rows.front().is_some_and(|row| row.id < oldest) {
            self.rows.pop_front();
        }
        let mut changed = self.rows.len() != before;
        for at in 0..self.rows.len() {
            let row = &self.rows[at];
            let moved = row.came.moves().then(|| trace.get(row.id)).flatten();
            if let Some(exchange) = moved.filter(|exchange| State::of(exchange) != row.came) {
                self.rows[at] = self.row(exchange, history);
                changed = true;
            }
        }
        let next = self.next;
        for exchange in trace.oldest().skip_while(|exchange| exchange.id < next) {
            self.next = exchange.id + 1;
            if exchange.cluster == cluster {
                let row = self.row(exchange, history);
                self.rows.push_back(row);
                changed = true;
            }
        }
        self.version += u64::from(changed);
        self.version
    }

    /// The rows, oldest first.
    pub(crate) fn all(&self) -> &VecDeque<Row> {
        &self.rows
    }

    /// The place of a row.
    pub(crate) fn place(&self, id: u64) -> Option<usize> {
        let at = self.rows.partition_point(|row| row.id < id);
        self.rows.get(at).filter(|row| row.id == id).map(|_| at)
    }

    /// The row of this number.
    pub(crate) fn get(&self, id: u64) -> Option<&Row> {
        self.rows.get(self.place(id)?)
    }

    /// When the oldest was sent, and when the newest was over; that is `now`, if one is not.
    pub(crate) fn times(&self, now: f64) -> (f64, f64) {
        let first = self.rows.front().map_or(now, |row| row.sent_at);
        (first, self.rows.iter().map(|row| row.over_at.unwrap_or(now)).fold(first, f64::max))
    }

    /// Reports whether any row has more to come.
    pub(crate) fn moves(&self) -> bool {
        self.rows.iter().any(|row| row.came.moves())
    }

    /// When the request was over that a row goes on from, and when those were that only pass it: that a row below goes
    /// on from, not too far.
    pub(crate) fn links(&self, id: u64, now: f64) -> (Option<f64>, Vec<f64>) {
        let over = |link: u64| self.get(link).map(|row| row.over_at.unwrap_or(now));
        let Some(at) = self.place(id) else { return (None, Vec::new()) };
        let below = self.rows.range(at + 1..).take(FAR);
        let passes = below.filter_map(|row| row.link.filter(|link| *link < id).and_then(over)).collect();
        (self.rows.get(at).and_then(|row| row.link).and_then(over), passes)
    }

    /// Reports whether more than one API server is among those that answered.
    pub(crate) fn servers(&self) -> bool {
        self.rows.iter().any(|row| row.server.is_some_and(|server| server > 0))
    }

    fn row(&self, exchange: &Exchange, history: &History) -> Row {
        let request = &exchange.request;
        let call = Call::of(request);
        let path = target::split(&request.target).0;
        let came = State::of(exchange);
        let reply = match &exchange.outcome {
            Outcome::Answered(reply) => Some(reply),
            _ => None,
        };
        let watch = reply.and_then(|reply| reply.watch);
        let link = self.link(exchange.id, call.asked, &path, watch);
        let page = match call.asked {
            Asked::Continue(_) => link.map_or(0, |link| link.page.max(1) + 1),
            _ => 0,
        };
        let failure = reply
            .filter(|reply| reply.status >= 400)
            .and_then(|reply| status::failure(reply.body.as_deref()?));
        let reason = failure.map(|failure| failure.reason).unwrap_or_default();
        let served = reply.and_then(|reply| reply.served.as_deref());
        let conflict = came.code() == Some(409);
        let current = conflict.then(|| version_of(&path, exchange.head, history)).flatten();
        let stream = exchange.stream.as_ref();
        let facts = Facts {
            verb: call.verb,
            asked: Some(call.asked),
            one: call.one,
            dry: call.dry,
            came: match &exchange.outcome {
                Outcome::Pending => Came::Nothing,
                Outcome::Failed(why) => Came::Failed(why),
                Outcome::Answered(reply) => Came::Answered(reply.status, &reason),
            },
            source: served.and_then(|served| served.source),
            head: exchange.head,
            wrote: served.map(|served| served.wrote.as_slice()),
            current,
            page,
            error: stream.and_then(|stream| stream.error),
            end: stream.and_then(|stream| stream.end.as_ref()).map(|(_, end)| end),
        };
        let took = reply.map_or(0.0, |reply| reply.took);
        let ended =
            stream.and_then(|stream| stream.end.as_ref()).map_or(exchange.sent_at + took, |(at, _)| *at);
        Row {
            id: exchange.id,
            origin: exchange.origin,
            agent: (exchange.origin == Origin::Other).then(|| {
                let agent = request.header("User-Agent").unwrap_or_default();
                short_agent(agent).to_owned()
            }),
            verb: call.verb.map_or_else(|| request.method.clone(), |verb| verb.name().to_owned()),
            sentence: sentence(&facts),
            label: call.label,
            asked: call.asked,
            sent_at: exchange.sent_at,
            link: link.map(|link| link.id),
            came,
            source: facts.source,
            server: served.map(|served| served.server),
            wrote: served.map(|served| served.wrote.clone()).unwrap_or_default(),
            current,
            over_at: Some(ended).filter(|_| !came.moves()),
            took,
            size: reply.map_or(0, |reply| size(exchange, reply)),
            page,
            path,
            watch,
        }
    }

    /// The row of the request that one goes on from: the page before of a continue token, the list or the watch before
    /// of a watch.
    fn link(&self, id: u64, asked: Asked, path: &str, watch: Option<u64>) -> Option<&Row> {
        let mut before = self.rows.iter().rev().skip_while(|row| row.id >= id);
        match asked {
            Asked::Continue(revision) | Asked::From(revision) => before.find(|row| {
                let resumed = watch.is_some() && row.watch == watch;
                let list = row.watch.is_none() && row.path == path && row.verb == Verb::List.name();
                resumed || list && row.source.is_some_and(|source| source.revision == revision)
            }),
            _ => None,
        }
    }
}

fn size(exchange: &Exchange, reply: &Reply) -> usize {
    exchange.stream.as_ref().map_or(reply.size, |stream| stream.bytes)
}

/// The version that the object at `path` had when the store was at `head`.
fn version_of(path: &str, head: Option<u64>, history: &History) -> Option<u64> {
    let (head, place) = (head?, Place::of(path)?);
    let object = history.objects().iter().find(|object| {
        let known = &object.known;
        (known.group.as_str(), known.resource.as_str()) == (place.group(), place.resource)
            && (known.namespace.as_str(), known.name.as_str()) == (place.namespace, place.name)
    })?;
    let newest = object.writes.partition_point(|revision| *revision <= head);
    object.writes.get(newest.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use protocol::trace::{Layer, RequestRecord};

    use super::*;
    use crate::cluster::Request;
    use crate::cluster::trace::stream::End;
    use crate::model::timeline::samples::history;
    use crate::model::watch::EventType;

    const PATH: &str = "/api/v1/namespaces/default/configmaps";

    fn served(source: Option<(Layer, u64)>, wrote: &[u64]) -> Option<Box<RequestRecord>> {
        Some(Box::new(RequestRecord {
            id: 0,
            server: 0,
            method: String::new(),
            uri: String::new(),
            at: Duration::ZERO,
            code: 200,
            source: source.map(|(layer, revision)| Source { layer, revision }),
            wrote: wrote.to_vec(),
            manager: String::new(),
            user_agent: String::new(),
            took: Duration::ZERO,
            watch: None,
            judgements: Vec::new(),
            considered: Vec::new(),
            access: None,
            size: 0,
        }))
    }

    fn reply(status: u16, body: &'static str, served: Option<Box<RequestRecord>>) -> Reply {
        let (headers, body) = (Vec::new(), Some(Bytes::from_static(body.as_bytes())));
        Reply { status, headers, body, size: 10, took: 2.0, watch: None, served, decoded: None }
    }

    fn send(trace: &mut Trace, request: Request, reply: Reply) -> u64 {
        let id = trace.sent(Which::ThisTab, Origin::User, request, 1.0);
        trace.settled(id, Outcome::Answered(reply), Some(1030));
        id
    }

    fn synced(trace: &Trace) -> Rows {
        let mut rows = Rows::default();
        let history = history(&[
            (1015, EventType::Added, "a"),
            (1027, EventType::Modified, "a"),
            (1040, EventType::Modified, "a"),
        ]);
        rows.sync(trace, Which::ThisTab, &history);
        rows
    }

    #[test]
    fn pages_and_watches_know_what_they_go_on_from() {
        let token = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAyMiwic3RhcnQiOiJiXHUwMDAwIn0";
        let mut trace = Trace::default();
        let list = |query: &str| Request::get(&format!("{PATH}{query}"));
        let at = |layer| reply(200, "{}", served(Some((layer, 1022)), &[]));
        send(&mut trace, list("?limit=2"), at(Layer::Cache));
        send(&mut trace, Request::get("/api/v1/namespaces/default/secrets"), at(Layer::Cache));
        send(&mut trace, list(&format!("?limit=2&continue={token}")), at(Layer::Snapshot));
        send(&mut trace, list(&format!("?limit=2&continue={token}")), at(Layer::Snapshot));
        let watch = Reply { watch: Some(7), ..at(Layer::Cache) };
        send(&mut trace, list("?watch=1&resourceVersion=1022"), watch.clone());
        trace.ended(7, 5.0, End::Stopped);
        send(&mut trace, list("?watch=1&resourceVersion=1029"), watch);
        let rows = synced(&trace);
        let links: Vec<Option<u64>> = rows.all().iter().map(|row| row.link).collect();
        assert_eq!(links, [None, None, Some(0), Some(2), Some(3), Some(4)]);
        let said = |id| rows.get(id).unwrap().sentence.as_str();
        assert!(said(2).starts_with("Page 2 of the snapshot at 1022"), "{}", said(2));
        assert!(said(3).starts_with("Page 3 of the snapshot at 1022"), "{}", said(3));
        let states: Vec<State> = rows.all().iter().map(|row| row.came).skip(3).collect();
        assert_eq!(states, [State::Done(200), State::Over(200), State::Open(200)]);
    }

    #[test]
    fn knows_when_things_were_over() {
        let mut trace = Trace::default();
        let watch = Reply { watch: Some(7), ..reply(200, "{}", served(Some((Layer::Cache, 1022)), &[])) };
        send(&mut trace, Request::get(&format!("{PATH}?watch=1&resourceVersion=1022")), watch.clone());
        assert_eq!(synced(&trace).times(9.0), (1.0, 9.0));
        trace.ended(7, 5.0, End::Stopped);
        send(&mut trace, Request::get("/version"), reply(200, "{}", None));
        send(&mut trace, Request::get(&format!("{PATH}?watch=1&resourceVersion=1029")), watch);
        let rows = synced(&trace);
        assert_eq!(rows.links(2, 9.0), (Some(5.0), vec![]));
        assert_eq!(rows.links(1, 9.0), (None, vec![5.0]));
        assert_eq!(rows.links(0, 9.0), (None, vec![]));
        assert!(rows.moves());
    }

    #[test]
    fn a_conflict_says_what_the_object_was_at() {
        let body = r#"{"metadata":{"resourceVersion":"1015"}}"#;
        let failure = r#"{"kind":"Status","status":"Failure","reason":"Conflict","code":409}"#;
        let mut trace = Trace::default();
        let put = Request::json("PUT", &format!("{PATH}/a"), body);
        send(&mut trace, put, reply(409, failure, served(None, &[])));
        let rows = synced(&trace);
        let row = rows.get(0).unwrap();
        assert_eq!(row.sentence, "Conflict: sent 1015, the object is at 1027. Nothing was written.");
        assert_eq!((row.current, row.came.bad()), (Some(1027), true));
    }

    #[test]
    fn takes_in_only_what_has_changed() {
        let mut trace = Trace::default();
        let (mut rows, history) = (Rows::default(), History::default());
        let mut sync = |trace: &Trace, which| {
            let version = rows.sync(trace, which, &history);
            (version, rows.all().iter().map(|row| row.came).collect::<Vec<_>>())
        };
        assert_eq!(sync(&trace, Which::ThisTab), (0, vec![]));
        let id = trace.sent(Which::ThisTab, Origin::Copy, Request::get(PATH), 1.0);
        trace.sent(Which::Remote, Origin::User, Request::get(PATH), 1.0);
        assert_eq!(sync(&trace, Which::ThisTab), (1, vec![State::Pending]));
        assert_eq!(sync(&trace, Which::ThisTab).0, 1);
        trace.settled(id, Outcome::Answered(reply(200, "{}", None)), None);
        assert_eq!(sync(&trace, Which::ThisTab), (2, vec![State::Done(200)]));
        assert_eq!(sync(&trace, Which::Remote).1, vec![State::Pending]);
        for _ in 0..crate::cluster::trace::KEPT {
            trace.sent(Which::ThisTab, Origin::User, Request::get("/version"), 2.0);
        }
        assert_eq!(sync(&trace, Which::Remote).1, vec![]);
    }
}
