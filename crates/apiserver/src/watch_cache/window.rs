//! The events that a watch cache keeps: a bounded window of the newest ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use store::{Key, Revision};

use crate::negotiate::View;
use crate::stored::Stored;

/// How many events a window holds at least.
const LOWER_BOUND: usize = 100;
/// How many events a window holds at most.
const UPPER_BOUND: usize = 100 * 1024;
/// How long an event is worth keeping: a request may take a minute, and then some.
const FRESH: Duration = Duration::from_secs(75);
/// How many of the newest events keep the frames that were made of them. Who is further behind makes its own.
const FRAMED: usize = 256;

/// A place in a window. Places are counted from the beginning of the cache and never reused.
pub(crate) type Position = u64;

/// A change of one object, as the cache has it.
#[derive(Debug)]
pub(crate) struct CacheEvent {
    /// The revision that made it.
    pub revision: Revision,
    /// The object's key.
    pub key: Key,
    /// The object since; `None` if it was deleted.
    pub object: Option<Arc<Stored>>,
    /// The object before; `None` if it was created.
    pub previous: Option<Arc<Stored>>,
    /// When the cache took it in, since the Unix epoch.
    at: Duration,
    /// The frames that watchers were sent: the first watcher encodes a frame, the others share its bytes.
    frames: Vec<(FrameKey, Bytes)>,
}

/// The key of a frame: watchers with the same key share the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameKey {
    /// `ADDED`, `MODIFIED` or `DELETED`: with selectors, watchers may see it differently.
    pub kind: &'static str,
    /// The media type.
    pub format: &'static str,
    /// The form in which the object is shown.
    pub view: View,
    /// The version in which the resource is asked for, as an address that stands for it.
    pub resource: usize,
}

impl CacheEvent {
    pub(crate) fn new(
        revision: Revision,
        key: Key,
        object: Option<Arc<Stored>>,
        previous: Option<Arc<Stored>>,
        at: Duration,
    ) -> Self {
        Self { revision, key, object, previous, at, frames: Vec::new() }
    }

    /// The same change with the objects as they are shown.
    pub(crate) fn shown(&self, object: Option<Arc<Stored>>, previous: Option<Arc<Stored>>) -> Self {
        Self::new(self.revision, self.key.clone(), object, previous, self.at)
    }

    /// The frame that was made for `key`.
    pub(crate) fn frame(&self, key: FrameKey) -> Option<Bytes> {
        self.frames.iter().find(|(known, _)| *known == key).map(|(_, frame)| frame.clone())
    }

    /// Keeps a frame for the others.
    pub(crate) fn keep(&mut self, key: FrameKey, frame: Bytes) {
        self.frames.push((key, frame));
    }
}

/// The newest events, in the order of their revisions.
///
/// It grows while it is full of events that are younger than 75 seconds, and shrinks when three quarters of them
/// are older, between 100 and 102,400 events: kube-apiserver's rule.
#[derive(Debug)]
pub(crate) struct Window {
    events: VecDeque<CacheEvent>,
    /// The position of the first event.
    start: Position,
    capacity: usize,
    /// The revision of the newest event that has been dropped since the cache was last filled by a list.
    dropped: Option<Revision>,
}

impl Window {
    /// An empty one.
    pub(crate) const fn new() -> Self {
        Self { events: VecDeque::new(), start: 0, capacity: LOWER_BOUND, dropped: None }
    }

    /// The position of the oldest event.
    pub(crate) fn start(&self) -> Position {
        self.start
    }

    /// The position that the next event will have.
    pub(crate) fn end(&self) -> Position {
        self.start + self.events.len() as Position
    }

    /// How many events it holds.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    /// How many events it can hold now.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns whether it has dropped events since it was last emptied.
    pub(crate) fn has_dropped(&self) -> bool {
        self.dropped.is_some()
    }

    /// Returns whether it has dropped events after `revision`.
    pub(crate) fn has_dropped_after(&self, revision: Revision) -> bool {
        self.dropped.is_some_and(|dropped| dropped > revision)
    }

    /// The revision of the oldest event.
    pub(crate) fn oldest(&self) -> Option<Revision> {
        self.events.front().map(|event| event.revision)
    }

    /// The revision of the newest event that is not newer than `revision`.
    pub(crate) fn newest_at(&self, revision: Revision) -> Option<Revision> {
        let count = self.events.partition_point(|event| event.revision <= revision);
        count.checked_sub(1).and_then(|last| self.events.get(last)).map(|event| event.revision)
    }

    /// The position of the first event that is newer than `revision`.
    pub(crate) fn position_after(&self, revision: Revision) -> Position {
        if self.events.back().is_none_or(|newest| newest.revision <= revision) {
            return self.end();
        }
        self.start + self.events.partition_point(|event| event.revision <= revision) as Position
    }

    /// The event at `position`, if there is one.
    pub(crate) fn get_mut(&mut self, position: Position) -> Option<&mut CacheEvent> {
        let index = usize::try_from(position.checked_sub(self.start)?).ok()?;
        self.events.get_mut(index)
    }

    /// The events from `position` on.
    pub(crate) fn from(&self, position: Position) -> impl Iterator<Item = &CacheEvent> {
        let index = usize::try_from(position.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.events.iter().skip(index)
    }

    /// Takes an event in, and lets go of the oldest one if there is no room.
    pub(crate) fn push(&mut self, event: CacheEvent) {
        self.resize(event.at);
        if self.events.len() == self.capacity {
            self.drop_oldest(1);
        }
        self.events.push_back(event);
        if let Some(index) = self.events.len().checked_sub(FRAMED + 1) {
            self.events[index].frames = Vec::new();
        }
    }

    /// Lets go of the events up to `revision`.
    pub(crate) fn forget(&mut self, revision: Revision) {
        let count = self.events.partition_point(|event| event.revision <= revision);
        self.drop_oldest(count);
    }

    /// Lets go of everything, as a cache does that is filled anew.
    pub(crate) fn clear(&mut self) {
        self.start = self.end();
        self.events = VecDeque::new();
        self.dropped = None;
    }

    fn drop_oldest(&mut self, count: usize) {
        if let Some(newest) = self.events.drain(..count).next_back() {
            self.start += count as Position;
            self.dropped = Some(newest.revision);
        }
    }

    fn resize(&mut self, now: Duration) {
        if self.events.len() < self.capacity {
            return;
        }
        let age = |index: usize| {
            self.events.get(index).map_or(Duration::ZERO, |event| now.saturating_sub(event.at))
        };
        if age(0) < FRESH {
            self.capacity = (self.capacity * 2).min(UPPER_BOUND);
        } else if age(self.events.len() - self.capacity / 4) > FRESH {
            self.capacity = (self.capacity / 2).max(LOWER_BOUND);
            self.drop_oldest(self.events.len().saturating_sub(self.capacity));
            self.events.shrink_to(self.capacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window into which came an event at each of `seconds`, with the revisions 1, 2, 3...
    fn window(seconds: impl IntoIterator<Item = u64>) -> Window {
        let mut window = Window::new();
        for (second, revision) in seconds.into_iter().zip(1..) {
            window.push(CacheEvent::new(revision, "/k".into(), None, None, Duration::from_secs(second)));
        }
        window
    }

    #[track_caller]
    fn check(window: &Window, capacity: usize, oldest: Revision, dropped: bool) {
        assert_eq!(
            (window.capacity(), window.oldest(), window.has_dropped()),
            (capacity, Some(oldest), dropped)
        );
    }

    #[test]
    fn it_keeps_what_is_young_however_much_it_is() {
        check(&window([0; 100]), 100, 1, false);
        check(&window([0; 101]), 200, 1, false);
        check(&window([0; 1_000]), 1_600, 1, false);
        check(&window(vec![0; UPPER_BOUND + 5]), UPPER_BOUND, 6, true);
    }

    #[test]
    fn it_lets_go_of_what_is_old_when_it_is_full() {
        check(&window((0..150).map(|event| event * 10)), 100, 51, true);
        // 101 young events make it grow. It shrinks once the newest quarter is old, too.
        check(&window([0; 140].into_iter().chain([100; 61])), 200, 2, true);
        check(&window([0; 200].into_iter().chain([100])), 100, 102, true);
    }

    #[test]
    fn positions_stay_while_events_go() {
        let mut window = window([0; 10]);
        assert_eq!((window.position_after(4), window.position_after(99)), (4, 10));
        window.forget(6);
        assert_eq!((window.start(), window.end(), window.oldest()), (6, 10, Some(7)));
        assert_eq!((window.position_after(4), window.newest_at(8), window.newest_at(6)), (6, Some(8), None));
        assert!(window.get_mut(5).is_none() && window.get_mut(6).is_some_and(|event| event.revision == 7));
        window.clear();
        assert_eq!((window.start(), window.end(), window.has_dropped()), (10, 10, false));
    }

    #[test]
    fn frames_are_kept_for_a_while() {
        let mut window = window([0; 300]);
        let key = FrameKey { kind: "ADDED", format: "application/json", view: View::Whole, resource: 1 };
        let other = FrameKey { kind: "MODIFIED", ..key };
        let event = window.get_mut(299).expect("the newest event");
        event.keep(key, Bytes::from_static(b"a"));
        assert_eq!((event.frame(key), event.frame(other)), (Some(Bytes::from_static(b"a")), None));
        for _ in 0..FRAMED {
            window.push(CacheEvent::new(301, "/k".into(), None, None, Duration::ZERO));
        }
        let event = window.get_mut(299).expect("an event that is still there");
        assert_eq!(event.frame(key), None, "who is so far behind makes its own");
    }
}
