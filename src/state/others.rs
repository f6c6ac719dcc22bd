//! Other clients of the cluster: their requests and watches, as the trace tells them, among those of the page.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::WithValue as _;
use protocol::trace::{Batch, Event, RequestRecord, WatchEnd, WatchInfo};

use crate::cluster::decided::Decided;
use crate::cluster::host::Host;
use crate::cluster::trace::stream::End;
use crate::cluster::trace::{self, Outcome, Trace};
use crate::cluster::{Request, Which};
use crate::model::watch::{Theirs, Watch};
use crate::state::{Model, Page};
use crate::ui::dom;
use crate::ui::messages::others as words;

/// How long a request may be the page's own though no response has come that says so, in milliseconds.
const PATIENCE: f64 = 300.0;
/// How many watches of others are shown: a controller manager opens a hundred.
const MOST_WATCHES: usize = 120;

/// Requests and watches that may be those of others.
#[derive(Default)]
pub(super) struct Others {
    /// The requests that the trace has told of, and when, in milliseconds of the page's clock.
    heard: VecDeque<(f64, RequestRecord)>,
    /// The watches that the trace has told of, and that are shown once it is known who has opened them.
    opened: VecDeque<(f64, WatchInfo)>,
    /// The numbers of watches that have ended, when, and why.
    ended: Vec<(f64, u64, WatchEnd)>,
}

impl Others {
    /// Takes what a batch tells of requests and watches. `clock` gives the page's time of something that happened at a time
    /// of the cluster's clock.
    pub(super) fn take(&mut self, batch: &Batch, clock: impl Fn(Duration) -> f64) {
        let mut now = clock(batch.time().unwrap_or_default().now);
        let open = batch.state.iter().flat_map(|state| &state.watches);
        self.opened.extend(open.map(|info| (now, info.clone())));
        for event in &batch.events {
            match event {
                Event::Request(record) => {
                    now = clock(record.at + record.took);
                    // More are not shown.
                    if self.heard.len() == trace::KEPT {
                        self.heard.pop_front();
                    }
                    self.heard.push_back((now, (**record).clone()));
                }
                Event::WatchOpened(info) => self.opened.push_back((now, info.clone())),
                Event::WatchEnded { watch, end } => self.ended.push((now, *watch, *end)),
                _ => {}
            }
        }
    }

    /// Shows all of it: nothing is the page's own.
    pub(super) fn show(self, model: &mut Model) {
        model.others = self;
        claim(model, f64::INFINITY);
    }

    fn is_empty(&self) -> bool {
        self.heard.is_empty() && self.opened.is_empty() && self.ended.is_empty()
    }
}

/// Returns what those that were told of before `until` are.
fn due<T>(told: &mut VecDeque<(f64, T)>, until: f64) -> Vec<(f64, T)> {
    let due = told.iter().take_while(|(at, _)| *at <= until).count();
    told.drain(..due).collect()
}

/// Returns the server's numbers of the requests that this page has sent, and of the watches that they opened.
fn own(exchanges: &Trace) -> (HashSet<u64>, HashSet<u64>) {
    let served = exchanges.newest().filter_map(|exchange| match &exchange.outcome {
        Outcome::Answered(reply) => reply.served.as_deref(),
        _ => None,
    });
    let (mut requests, mut watches) = (HashSet::new(), HashSet::new());
    for record in served {
        requests.insert(record.id);
        watches.extend(record.watch);
    }
    (requests, watches)
}

/// Shows from now on what others have done, once it is known to be theirs, if there can be others.
pub(crate) fn hear(page: Page) {
    if !page.host.with_value(Host::is_shared) {
        return;
    }
    dom::every(PATIENCE as i32, move || {
        if page.quietly(|model| !model.others.is_empty()) == Some(true) {
            page.update(|model| claim(model, dom::monotonic() - PATIENCE));
        }
    });
}

/// Shows what was told of before `until` and is not the page's own.
fn claim(model: &mut Model, until: f64) {
    let (requests, watches) = own(&model.trace);
    let lanes: HashSet<u64> = model.here.lanes().iter().filter_map(|lane| lane.number).collect();
    let heard = due(&mut model.others.heard, until);
    for (_, info) in due(&mut model.others.opened, until) {
        if !watches.contains(&info.id) && !lanes.contains(&info.id) {
            let agent = heard.iter().map(|(_, record)| record).find(|record| record.watch == Some(info.id));
            let agent = agent.map(|record| short_agent(&record.user_agent).to_owned());
            show_watch(model, &info, agent.unwrap_or_default());
        }
    }
    for (at, record) in heard {
        if !requests.contains(&record.id) {
            let number = record.watch;
            let shown = model
                .watches
                .iter()
                .find(|watch| watch.theirs.as_ref().is_some_and(|theirs| Some(theirs.number) == number));
            let (shown, access) = (shown.map(|watch| watch.id), record.access.as_ref().map(Decided::of));
            let id = model.trace.heard(record, shown, at);
            model.trace.decided(id, access.map(Arc::new));
        }
    }
    // One that has ended before it was shown is shown first.
    let waiting: HashSet<u64> = model.others.opened.iter().map(|(_, info)| info.id).collect();
    let (later, ended) = std::mem::take(&mut model.others.ended)
        .into_iter()
        .partition(|(_, number, _)| waiting.contains(number));
    model.others.ended = later;
    for (at, number, end) in ended {
        let theirs = |watch: &&mut Watch| watch.theirs.as_ref().is_some_and(|theirs| theirs.number == number);
        if let Some(watch) = model.watches.iter_mut().find(theirs) {
            watch.ended(words::ended(end));
            model.trace.ended(watch.id, at, End::Closed);
        }
    }
}

fn show_watch(model: &mut Model, info: &WatchInfo, agent: String) {
    let theirs = model.watches.iter().filter(|watch| watch.theirs.is_some());
    if theirs.count() >= MOST_WATCHES {
        let oldest = model.watches.iter().find(|watch| watch.theirs.is_some()).map(|watch| watch.id);
        model.watches.retain(|watch| Some(watch.id) != oldest);
        oldest.into_iter().for_each(|id| model.here.close_lane(id));
    }
    let id = model.next_watch;
    model.next_watch += 1;
    let mut watch = Watch::new(id, Which::ThisTab, Request::get(&info.uri));
    watch.theirs = Some(Theirs { number: info.id, agent });
    model.watches.push(watch);
    model.here.open_lane(id, Some(info.id), Some(info.server), Some(info.revision));
}

/// Returns a client's name without its version and machine.
pub(crate) fn short_agent(user_agent: &str) -> &str {
    user_agent.split('/').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_clients() {
        for (agent, expected) in [
            ("kubectl/v1.36.0 (linux/amd64) kubernetes/abc", "kubectl"),
            ("kube-controller-manager", "kube-controller-manager"),
            ("", ""),
        ] {
            assert_eq!(short_agent(agent), expected);
        }
    }

    #[test]
    fn what_is_due_comes_in_order() {
        let mut told = VecDeque::from([(1.0, "a"), (2.0, "b"), (5.0, "c")]);
        assert_eq!(due(&mut told, 2.0), [(1.0, "a"), (2.0, "b")]);
        assert_eq!(due(&mut told, 2.0), []);
        assert_eq!(told.len(), 1);
    }
}
