//! The state that a watch shares with its cache: the task to wake, and the events that were sent.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use futures::task::AtomicWaker;
use store::Revision;

use protocol::trace::{Delivery, EventType, WatchEnd, WatchInfo};

/// How many of its last deliveries a watch remembers.
const REMEMBERED: usize = 4096;
/// How many watches remember that many. With more than that, nobody looks at each one.
const WATCHED: usize = 256;
/// How many of its last deliveries any further watch remembers.
const BARELY: usize = 64;

/// How many of its last deliveries a watch is to remember, when so many others are open.
pub(crate) fn remembered(others: usize) -> usize {
    if others < WATCHED { REMEMBERED } else { BARELY }
}

/// An open watch, as its cache and whoever inspects it see it.
#[derive(Debug)]
pub(crate) struct CacheWatcher {
    /// The prefix of the keys that it watches.
    prefix: Arc<str>,
    /// True if it watches one key only, which is all of `prefix`.
    one: bool,
    /// How many of its last deliveries it remembers.
    remembered: usize,
    waker: AtomicWaker,
    ended: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    info: WatchInfo,
    recent: VecDeque<Delivery>,
    end: Option<WatchEnd>,
}

impl CacheWatcher {
    pub(crate) fn new(prefix: Arc<str>, one: bool, remembered: usize, info: WatchInfo) -> Self {
        let state = Mutex::new(State { info, recent: VecDeque::new(), end: None });
        Self { prefix, one, remembered, waker: AtomicWaker::new(), ended: AtomicBool::new(false), state }
    }

    /// Leaves word to be woken.
    pub(crate) fn register(&self, waker: &Waker) {
        self.waker.register(waker);
    }

    /// Returns the prefix of the keys that it watches.
    pub(crate) fn prefix(&self) -> &Arc<str> {
        &self.prefix
    }

    /// Returns whether it watches `key`.
    pub(crate) fn covers(&self, key: &str) -> bool {
        key.starts_with(self.prefix.as_ref()) && (!self.one || key.len() == self.prefix.len())
    }

    /// Whom to wake because of a change of `key`.
    pub(crate) fn interested(&self, key: &str) -> Option<Waker> {
        if self.covers(key) { self.waker.take() } else { None }
    }

    /// Whom to wake, whatever has happened.
    pub(crate) fn wake(&self) -> Option<Waker> {
        self.waker.take()
    }

    /// Ends the watch, and says whom to wake.
    pub(crate) fn end(&self) -> Option<Waker> {
        self.ended.store(true, Ordering::Release);
        self.waker.take()
    }

    /// Notes why it has ended, unless that is known already.
    pub(crate) fn ended_by(&self, end: WatchEnd) {
        self.state().end.get_or_insert(end);
    }

    /// Returns why it has ended: if nobody has said, the client has closed it.
    pub(crate) fn why_ended(&self) -> WatchEnd {
        self.state().end.unwrap_or(WatchEnd::Client)
    }

    /// Returns whether it was ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Notes what became of the event of a revision.
    pub(crate) fn note(&self, revision: Revision, sent: Option<EventType>) {
        let state = &mut *self.state();
        let info = &mut state.info;
        let delivery = Delivery { revision, sent };
        if sent.is_none() {
            info.filtered += 1;
        } else {
            info.sent += 1;
            info.last = Some(delivery);
        }
        info.revision = info.revision.max(revision);
        if state.recent.len() >= self.remembered {
            state.recent.pop_front();
        }
        state.recent.push_back(delivery);
    }

    /// Notes up to which revision it has looked.
    pub(crate) fn looked(&self, revision: Revision) {
        let info = &mut self.state().info;
        info.revision = info.revision.max(revision);
    }

    /// Returns the information about the watch.
    pub(crate) fn info(&self) -> WatchInfo {
        self.state().info.clone()
    }

    /// Returns its number, how many deliveries there have been, and up to which revision it has looked.
    pub(crate) fn progress(&self) -> (u64, u64, Revision) {
        let info = &self.state().info;
        (info.id, info.sent + info.filtered, info.revision)
    }

    /// How many deliveries there have been, and those beyond the first `after`, oldest first, as far as they are
    /// remembered.
    pub(crate) fn deliveries(&self, after: u64) -> (u64, Vec<Delivery>) {
        let state = self.state();
        let all = state.info.sent + state.info.filtered;
        let news = usize::try_from(all.saturating_sub(after)).unwrap_or(usize::MAX);
        let known = state.recent.len().saturating_sub(news);
        (all, state.recent.iter().skip(known).copied().collect())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A watch that was opened beside so many others, and that was sent the revisions up to `sent`.
    #[track_caller]
    fn check(others: usize, sent: u64, after: u64, expected: &[u64]) {
        let info = WatchInfo { id: 1, ..WatchInfo::default() };
        let watcher = CacheWatcher::new("/".into(), false, remembered(others), info);
        for revision in 1..=sent {
            let sent = if revision % 2 == 0 { Some(EventType::Modified) } else { None };
            watcher.note(revision, sent);
        }
        let (all, news) = watcher.deliveries(after);
        let ends: Vec<u64> =
            [news.first(), news.last()].into_iter().flatten().map(|delivery| delivery.revision).collect();
        assert_eq!((all, ends.as_slice()), (sent, expected));
        assert!(news.windows(2).all(|pair| pair[0].revision + 1 == pair[1].revision));
    }

    #[test]
    fn the_last_deliveries_are_remembered() {
        check(0, 0, 0, &[]);
        check(0, 10, 0, &[1, 10]);
        check(0, 10, 9, &[10, 10]);
        check(0, 10, 10, &[]);
        check(0, 10, u64::MAX, &[]);
        check(255, 5_000, 0, &[905, 5_000]);
        check(0, 5_000, 4_000, &[4_001, 5_000]);
        check(256, 5_000, 4_000, &[4_937, 5_000]);
    }
}
