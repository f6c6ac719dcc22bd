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
/// How long the page leaves what it shows as it is while there is such a flood, in milliseconds.
const PAUSE: f64 = 120.0;
/// Showing what is new takes no more than one part in so many of the time, where it takes long.
const SHARE: f64 = 4.0;
/// What is short enough for every frame, in milliseconds.
const SHORT: f64 = 12.0;
/// The longest that what is shown is left as it is, in milliseconds.
const LONGEST: f64 = 1_000.0;

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
    /// How long it took then to show what was new, in milliseconds.
    pub(crate) took: f64,
}

impl News {
    /// How long what is shown is to be left as it is when `now` something has happened, in milliseconds.
    pub(super) fn pause(&self, now: f64) -> f64 {
        let rest = if self.took > SHORT { (self.took * (SHARE - 1.0)).min(LONGEST) } else { 0.0 };
        let rest = if self.flood { rest.max(PAUSE) } else { rest };
        (self.at + self.took + rest - now).max(0.0)
    }
}

impl Page {
    pub(super) fn refresh(self) {
        let begun = dom::monotonic();
        let overview = self.model.try_update_value(|model| {
            model.frame_pending = false;
            let server = model.embedded.server.clone();
            let history = model.histories.entry(Which::ThisTab).or_default();
            let before = history.head();
            write(&server, history);
            let written = history.head().saturating_sub(before) as f64;
            model.news.flood = written / (begun - model.news.at).max(1.0) > FLOOD;
            model.news.at = begun;
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
        // Everybody who shows it has done so once the browser has time for something else.
        let shown = move || {
            self.model.try_update_value(|model| model.news.took = dom::monotonic() - begun);
        };
        set_timeout(shown, Duration::ZERO);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(took: f64, flood: bool, now: f64, expected: f64) {
        assert_eq!(News { at: 1000.0, took, flood, ..News::default() }.pause(now), expected);
    }

    #[test]
    fn what_takes_long_is_done_seldom() {
        check(5.0, false, 1006.0, 0.0);
        check(20.0, false, 1020.0, 60.0);
        check(20.0, false, 1050.0, 30.0);
        check(20.0, false, 9000.0, 0.0);
        check(5.0, true, 1005.0, 120.0);
        check(100.0, true, 1100.0, 300.0);
        check(9000.0, false, 10_000.0, 1000.0);
    }
}
