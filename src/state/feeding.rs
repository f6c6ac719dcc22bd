//! The feeding of the page: what happens in the cluster of this tab goes into what is known of it as it arrives; once a
//! frame everything that shows it is notified.

use std::collections::VecDeque;
use std::time::Duration;

use leptos::prelude::*;
use protocol::trace::{Batch, Event, RequestRecord};

use super::{Overview, Page};
use crate::cluster::host::Host;
use crate::ui::dom;

/// How many reads are kept.
const READS: usize = 32;
/// So many writes a millisecond are more than anybody can follow.
const FLOOD: f64 = 0.15;
/// How long the page leaves what it shows as it is while there is such a flood, in milliseconds.
const PAUSE: f64 = 120.0;
/// Showing what is new takes no more than one part in so many of the time, where it takes long.
const SHARE: f64 = 4.0;
/// The time that is short enough for every frame, in milliseconds.
const SHORT: f64 = 12.0;
/// The longest that what is shown is left as it is, in milliseconds.
const LONGEST: f64 = 1_000.0;

/// The recent activity that the page keeps, besides what is known of the cluster.
#[derive(Default)]
pub(crate) struct News {
    /// The newest reads, oldest first: the number of the API server, and the revision that it read.
    pub(crate) reads: VecDeque<(usize, u64)>,
    /// The newest revision when it was last looked at.
    head: u64,
    /// True if more is written than anybody can follow.
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
            let glass = &model.here;
            let head = glass.revision();
            let written = head.saturating_sub(model.news.head) as f64;
            model.news.flood = written / (begun - model.news.at).max(1.0) > FLOOD;
            (model.news.head, model.news.at) = (head, begun);
            let counts = glass.versions().counts();
            Overview {
                revision: head,
                compact_revision: glass.compact_revision(),
                counts: counts.into_iter().map(|(resource, count)| (resource.to_owned(), count)).collect(),
            }
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

    /// Takes what has happened in the cluster of this tab.
    pub(super) fn happened(self, batches: Vec<Batch>) {
        let shared = self.host.with_value(Host::is_shared);
        // Who keeps the cluster is told of each batch.
        self.quietly(|model| {
            let keeper = model.keeper.clone();
            for batch in batches {
                if shared {
                    let now = dom::monotonic();
                    model.others.take(&batch, |_| now);
                }
                let number = batch.number;
                for event in &batch.events {
                    if let Event::Request(request) = event {
                        model.news.read(request);
                    }
                }
                let time = batch.time();
                // The client gives them in order; what is not the next one is of an engine that is gone.
                if number != model.here.batch() + 1 {
                    continue;
                }
                if let Some(keeper) = &keeper {
                    keeper.take(&batch);
                }
                let _ = model.here.take(batch);
                if let Some(time) = time {
                    model.embedded.told(time);
                }
                model.embedded.client().taken_trace(number);
            }
            model.embedded.count_servers(model.here.servers().len());
        });
        self.touch();
    }
}

impl News {
    /// Takes note of a request that has read something.
    fn read(&mut self, request: &RequestRecord) {
        let read = request.source.filter(|_| request.method == "GET" && request.watch.is_none());
        if let Some(source) = read {
            if self.reads.len() == READS {
                self.reads.pop_front();
            }
            self.reads.push_back((request.server, source.revision));
        }
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
