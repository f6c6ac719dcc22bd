//! Once a frame: what has happened in the embedded cluster since the last one. Only what is new is looked at.

use std::collections::VecDeque;
use std::time::Duration;

use apiserver::ApiServer;
use apiserver::inspect::{Change, Overview, ServerInfo, Snapshot};
use leptos::prelude::*;

use super::{Model, Page};
use crate::cluster::Which;
use crate::request::complete::Known;
use crate::timeline::history::History;
use crate::timeline::lanes::Lane;
use crate::ui::dom;
use crate::watches::model::{Connection, EventType};

/// How many writes or requests are taken at once.
const AT_ONCE: usize = 4096;
/// How many reads are kept.
const READS: usize = 32;
/// So many writes a millisecond are more than anybody can follow.
const FLOOD: f64 = 0.15;
/// How long the page leaves what it shows as it is while there is such a flood.
pub(super) const PAUSE: Duration = Duration::from_millis(120);

/// What the embedded cluster says besides its writes.
#[derive(Default)]
pub(crate) struct News {
    /// Its API servers.
    pub(crate) servers: Vec<ServerInfo>,
    /// What its continue tokens have pinned.
    pub(crate) pins: Vec<Snapshot>,
    /// The newest reads, oldest first: the number of the API server, and the revision that it read.
    pub(crate) reads: VecDeque<(usize, u64)>,
    /// The number of the last request that has been looked at.
    pub(crate) served: u64,
    /// Whether more is written than anybody can follow.
    pub(crate) flood: bool,
    /// When it was last looked at, in milliseconds of the page's clock.
    pub(crate) at: f64,
}

impl Page {
    pub(super) fn refresh(self) {
        let overview = self.model.try_update_value(|model| {
            model.frame_pending = false;
            let server = model.embedded.server.clone();
            let history = model.histories.entry(Which::ThisTab).or_default();
            let (now, before) = (dom::monotonic(), history.head());
            write(&server, history);
            let written = history.head().saturating_sub(before) as f64;
            model.news.flood = written / (now - model.news.at).max(1.0) > FLOOD;
            model.news.at = now;
            attribute(&server, history, &mut model.news);
            model.news.servers = server.inspect().servers();
            model.news.pins = server.inspect().snapshots();
            let overview = server.inspect().overview();
            deliver(model, &server, &overview);
            overview
        });
        if let Some(overview) = overview
            && self.overview.with_untracked(|known| *known != overview)
        {
            self.overview.set(overview);
        }
        self.tick.update(|tick| *tick += 1);
    }

    /// Takes what a watch was sent last, before its connection is gone.
    pub(super) fn taken(self, id: u64) {
        self.model.update_value(|model| {
            let server = model.embedded.server.clone();
            if let Some(lane) = model.lanes.iter_mut().find(|lane| lane.watch == id) {
                take(lane, &server);
            }
        });
    }
}

/// Takes the new writes.
fn write(server: &ApiServer, history: &mut History) {
    loop {
        let writes = server.inspect().writes(history.head(), AT_ONCE);
        let more = writes.len() == AT_ONCE;
        for write in writes {
            let change = match write.change {
                Change::Created => EventType::Added,
                Change::Updated => EventType::Modified,
                Change::Deleted => EventType::Deleted,
            };
            let apiserver::inspect::Write { revision, group, resource, namespace, name, .. } = write;
            history.push(revision, change, Known { group, resource, namespace, name });
        }
        if !more {
            return;
        }
    }
}

/// Takes note of who made the new writes, and of what was read.
fn attribute(server: &ApiServer, history: &mut History, news: &mut News) {
    loop {
        let served = server.inspect().served(news.served, AT_ONCE);
        let more = served.len() == AT_ONCE;
        for request in served {
            news.served = request.id;
            for revision in request.wrote {
                history.attribute(revision, request.id, &request.manager);
            }
            if let Some(source) =
                request.source.filter(|_| request.method == "GET" && request.watch.is_none())
            {
                if news.reads.len() == READS {
                    news.reads.pop_front();
                }
                news.reads.push_back((request.server, source.revision));
            }
        }
        if !more {
            return;
        }
    }
}

/// Takes what the watches were sent, and how far each has looked.
fn deliver(model: &mut Model, server: &ApiServer, overview: &Overview) {
    for watch in &model.watches {
        if watch.cluster != Which::ThisTab || watch.connection != Connection::Open {
            continue;
        }
        let Some(lane) = model.lanes.iter_mut().find(|lane| lane.watch == watch.id) else { continue };
        take(lane, server);
        if let Some(info) = overview.watches.iter().find(|info| Some(info.id) == lane.number) {
            lane.looked = lane.looked.max(info.revision);
        }
    }
}

fn take(lane: &mut Lane, server: &ApiServer) {
    let Some(number) = lane.number else { return };
    if let Some((all, deliveries)) = server.inspect().deliveries(number, lane.taken) {
        lane.take(all, deliveries);
    }
}
