//! The page's state besides what the cluster's trace tells: the requests and their responses, the watches and what they
//! have brought, the request that is being written, and what is looked at.

use std::sync::Arc;

use bytes::Bytes;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cluster::decided::Decided;
use crate::cluster::trace::stream::End;
use crate::cluster::trace::{Exchange, Origin, Outcome};
use crate::cluster::{Request, Which};
use crate::model::watch::{Connection, Event, Note, Row, Watch};
use crate::state::{Model, Page, Shown};
use crate::ui::dom;
use crate::ui::messages::kept as words;

/// The most bytes of bodies of responses, and of events, that are kept; the newest are.
const BODIES: usize = 4 << 20;

/// A desk. Of other clusters than that of this tab there is nothing on it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Desk {
    /// The time, by which clocks of before can be told from those of now: Unix milliseconds, and those of the page's clock.
    times: (f64, f64),
    /// The request that is being written.
    pub(crate) form: Request,
    /// The namespace that lists and completions are about.
    pub(crate) namespace: String,
    /// The revision that the page shows.
    pub(crate) at: Option<u64>,
    /// The exchange whose response is shown.
    pub(crate) shown: Option<u64>,
    /// The exchanges, oldest first.
    pub(crate) exchanges: Vec<Exchange>,
    /// The watches, oldest first.
    pub(crate) watches: Vec<KeptWatch>,
}

/// A watch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptWatch {
    id: u64,
    /// The origin of its first request.
    origin: Origin,
    request: Request,
    target: String,
    open: bool,
    paused: bool,
    received: u64,
    start: Option<String>,
    last: Option<String>,
    bookmarked: bool,
    unmarked: Option<String>,
    rows: Vec<KeptRow>,
    /// The server's numbers of the watch and of the API server, by which its lane is found, and where that began.
    lane: (Option<u64>, Option<usize>, Option<u64>),
}

/// A row of a watch.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum KeptRow {
    /// The event, and when it came.
    Event(Bytes, f64),
    Note(Note),
}

/// A watch that has been put back.
pub(crate) struct Again {
    pub(crate) watch: Watch,
    /// See [`KeptWatch::lane`].
    pub(crate) lane: (Option<u64>, Option<usize>, Option<u64>),
    /// The origin of the watch, in whose name it was opened; `None` if it was not open.
    pub(crate) open: Option<Origin>,
}

impl Desk {
    /// Returns what the page knows now.
    pub(crate) fn of(page: Page) -> Self {
        let shown = match page.shown.get_untracked() {
            Shown::Exchange(id, _) => Some(id),
            _ => None,
        };
        let mut desk = Self {
            times: (dom::now(), dom::monotonic()),
            form: page.form.request(),
            namespace: page.namespace.get_untracked(),
            at: page.at.get_untracked(),
            shown,
            ..Self::default()
        };
        page.quietly(|model| {
            desk.exchanges = exchanges(model);
            desk.watches = watches(model);
        });
        // Those that are left out leave no gap.
        let shown = desk.shown.take();
        for (number, exchange) in (0..).zip(&mut desk.exchanges) {
            if Some(exchange.id) == shown {
                desk.shown = Some(number);
            }
            exchange.id = number;
        }
        desk
    }

    /// Reads one that was [written](Self::write).
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// Returns it as bytes.
    pub(crate) fn write(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Takes away what was not yet when `revision` was the newest one.
    pub(crate) fn go_back(&mut self, revision: u64) {
        let wrote = |exchange: &Exchange| match &exchange.outcome {
            Outcome::Answered(reply) => {
                let served = reply.served.as_deref();
                served.is_some_and(|served| served.wrote.iter().any(|wrote| *wrote > revision))
            }
            _ => false,
        };
        let been = self.exchanges.iter().position(wrote).unwrap_or(self.exchanges.len());
        self.exchanges.truncate(been);
        let opened = |id: u64| {
            self.exchanges.iter().any(
                |exchange| matches!(&exchange.outcome, Outcome::Answered(reply) if reply.watch == Some(id)),
            )
        };
        self.watches.retain(|watch| opened(watch.id));
        self.watches.iter_mut().for_each(|watch| watch.go_back(revision));
        self.at = self.at.filter(|at| *at <= revision);
        let last = || {
            let mut newest = self.exchanges.iter().rev();
            newest.find(|exchange| !exchange.request.watches()).map(|exchange| exchange.id)
        };
        let known = self.shown.filter(|id| self.exchanges.iter().any(|exchange| exchange.id == *id));
        self.shown = known.or_else(last);
    }

    /// Returns the exchanges and the watches as the page has them, at its times. What was under way has failed.
    pub(crate) fn unpack(&mut self) -> (Vec<Exchange>, Vec<Again>) {
        let (wall, clock) = self.times;
        let by = dom::monotonic() - clock - (dom::now() - wall);
        let mut exchanges = std::mem::take(&mut self.exchanges);
        for exchange in &mut exchanges {
            exchange.sent_at += by;
            match &mut exchange.outcome {
                Outcome::Pending => exchange.outcome = Outcome::Failed(words::RELOADED.to_owned()),
                Outcome::Answered(reply) => {
                    let access = reply.served.as_ref().and_then(|served| served.access.as_ref());
                    exchange.access = access.map(|access| Arc::new(Decided::of(access)));
                }
                Outcome::Failed(_) => {}
            }
            if let Some(stream) = &mut exchange.stream {
                stream.shift(by);
                stream.end.get_or_insert_with(|| (clock + by, End::Broken(words::RELOADED.to_owned())));
            }
        }
        let watches = std::mem::take(&mut self.watches);
        (exchanges, watches.into_iter().map(KeptWatch::again).collect())
    }
}

impl KeptWatch {
    fn of(watch: &Watch, model: &Model) -> Self {
        let rows = watch.rows.iter().map(|(_, row)| match row {
            Row::Event(event) => KeptRow::Event(event.text.clone().into(), event.at),
            Row::Note(note) => KeptRow::Note(note.clone()),
        });
        let opened = model.trace.oldest().find(
            |exchange| matches!(&exchange.outcome, Outcome::Answered(reply) if reply.watch == Some(watch.id)),
        );
        let lane = model.lane(watch.id);
        Self {
            id: watch.id,
            origin: opened.map_or(Origin::User, |exchange| exchange.origin),
            request: watch.request.clone(),
            target: watch.target.clone(),
            open: watch.connection == Connection::Open || watch.is_resuming,
            paused: watch.paused,
            received: watch.received,
            start: watch.start.clone(),
            last: watch.last.clone(),
            bookmarked: watch.bookmarked,
            unmarked: watch.unmarked.clone(),
            rows: rows.collect(),
            lane: lane.map_or((None, None, None), |lane| (lane.number, lane.server, lane.start)),
        }
    }

    fn again(self) -> Again {
        let mut watch = Watch::new(self.id, Which::ThisTab, self.request);
        for row in self.rows {
            let row = match row {
                KeptRow::Event(text, at) => {
                    Event::read(text.to_vec(), at).map(|event| Row::Event(Arc::new(event)))
                }
                KeptRow::Note(note) => Some(Row::Note(note)),
            };
            row.into_iter().for_each(|row| watch.row(row));
        }
        watch.target = self.target;
        (watch.start, watch.last, watch.unmarked) = (self.start, self.last, self.unmarked);
        (watch.received, watch.bookmarked) = (self.received, self.bookmarked);
        if self.open {
            watch.ended(Some(words::RELOADED.to_owned()));
        } else {
            watch.connection = Connection::Stopped;
        }
        watch.paused = self.paused;
        Again { watch, lane: self.lane, open: self.open.then_some(self.origin) }
    }

    /// Takes away what it has seen of newer revisions.
    fn go_back(&mut self, revision: u64) {
        let is_newer = |version: &str| version.parse().is_ok_and(|version: u64| version > revision);
        self.rows.retain(|row| match row {
            KeptRow::Event(text, at) => {
                Event::read(text.to_vec(), *at).is_some_and(|event| !is_newer(&event.version))
            }
            KeptRow::Note(_) => true,
        });
        for version in [&mut self.start, &mut self.last, &mut self.unmarked] {
            if version.as_deref().is_some_and(is_newer) {
                *version = Some(revision.to_string());
            }
        }
    }
}

/// Returns the exchanges with the cluster of this tab, oldest first, with bodies as far as there is room.
fn exchanges(model: &Model) -> Vec<Exchange> {
    let mut room = BODIES;
    let newest = model.trace.newest().filter(|exchange| exchange.cluster == Which::ThisTab);
    let mut kept: Vec<Exchange> = newest
        .cloned()
        .map(|mut exchange| {
            if let Outcome::Answered(reply) = &mut exchange.outcome {
                let weight = [&reply.body, &reply.decoded].into_iter().flatten().map(Bytes::len).sum();
                match room.checked_sub(weight) {
                    Some(left) => room = left,
                    None => (reply.body, reply.decoded) = (None, None),
                }
            }
            exchange
        })
        .collect();
    kept.reverse();
    kept
}

/// Returns the page's own watches of the cluster of this tab.
fn watches(model: &Model) -> Vec<KeptWatch> {
    let own = model.watches.iter().filter(|watch| watch.cluster == Which::ThisTab && watch.theirs.is_none());
    let mut room = BODIES;
    let mut kept: Vec<KeptWatch> = own.map(|watch| KeptWatch::of(watch, model)).collect();
    for watch in kept.iter_mut().rev() {
        let weights = watch.rows.iter().rev().map(|row| match row {
            KeptRow::Event(text, _) => text.len(),
            KeptRow::Note(_) => 0,
        });
        let fits = weights.take_while(|weight| match room.checked_sub(*weight) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        });
        let first = watch.rows.len() - fits.count();
        watch.rows.drain(..first);
    }
    kept
}
