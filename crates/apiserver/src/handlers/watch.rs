//! Watches: a collection's changes, as they happen.

mod frames;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use store::{Cursor, Event, KeyRange, ReadError, Revision};

use super::list::selects;
use super::read::{FRESHNESS_WAIT, invalid_version};
use super::{Outcome, Waiter};
use crate::Body;
use crate::answer::Answer;
use crate::clock::Sleep;
use crate::inspect::WatchInfo;
use crate::negotiate;
use crate::options::ListOptions;
use crate::present::Presenter;
use crate::query::parse_uint;
use crate::server::{Exchange, Shared};
use crate::status::Status;
use crate::storage::{self, Storage, Stored};

use frames::Frames;

/// How often a watch that wants bookmarks gets one.
const BOOKMARK_INTERVAL: Duration = Duration::from_secs(60);

/// How long before its end a watch gets its last bookmark.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

/// The least time that a watch without `timeoutSeconds` lives; up to as much again is added at random.
const MINIMUM_TIMEOUT: u64 = 1800;

impl Exchange<'_> {
    /// Opens a watch.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>
    pub(crate) fn watch(&self, options: ListOptions) -> Outcome {
        let stream = negotiate::stream(self.formats(), self.output)?;
        let version = match options.resource_version.as_str() {
            "" => 0,
            text => parse_uint(text).map_err(|why| Status::unclassified(invalid_version(text, &why)))?,
        };
        let start = match options.send_initial_events {
            Some(true) => Start::Present { not_older_than: version },
            None if version == 0 => Start::Present { not_older_than: 0 },
            Some(false) if version == 0 => Start::Now,
            _ => Start::After(version),
        };
        let timeout = match options.timeout_seconds {
            None | Some(0) => self.default_timeout(),
            Some(seconds) => Duration::from_secs(u64::try_from(seconds).unwrap_or(0)),
        };
        let watch = Watch::open(self, self.presenter()?, options, start, timeout);
        Ok(Answer::stream(stream, Body::Stream(Box::pin(watch))))
    }

    fn default_timeout(&self) -> Duration {
        let mut bytes = [0; 8];
        self.shared.config.random.fill(&mut bytes);
        Duration::from_secs(MINIMUM_TIMEOUT + u64::from_le_bytes(bytes) % MINIMUM_TIMEOUT)
    }
}

/// Where a watch begins.
#[derive(Clone, Copy)]
enum Start {
    /// With the present state, once that is not older than a version.
    Present { not_older_than: Revision },
    /// With what happens from now on.
    Now,
    /// With what happened after a version.
    After(Revision),
}

/// What a watch is doing.
enum State {
    /// It waits for a version that is still to come before it sends the present state.
    Waiting { version: Revision, sleep: Sleep },
    /// It follows the log.
    Following(Cursor),
    /// It has nothing more to send than what is queued.
    Ended,
}

/// An open watch.
struct Watch {
    shared: Arc<Shared>,
    waiter: Waiter,
    frames: Frames,
    range: KeyRange,
    options: ListOptions,
    state: State,
    queue: VecDeque<Bytes>,
    deadline: Duration,
    timeout: Sleep,
    bookmark: Option<Sleep>,
}

impl Watch {
    fn open(
        exchange: &Exchange<'_>,
        presenter: Presenter,
        options: ListOptions,
        start: Start,
        timeout: Duration,
    ) -> Self {
        let (shared, target) = (exchange.shared, exchange.target);
        let clock = &shared.config.clock;
        let waiter = Waiter::new(shared);
        let mut watch = Self {
            shared: Arc::clone(shared),
            frames: Frames::new(&target.resource, presenter, exchange.output.format),
            range: KeyRange::prefix(&storage::collection_key(&target.resource, &target.namespace)),
            state: State::Ended,
            queue: VecDeque::new(),
            deadline: clock.now().saturating_add(timeout),
            timeout: clock.sleep(timeout),
            bookmark: None,
            options,
            waiter,
        };
        watch.schedule_bookmark();
        let mut storage = shared.storage();
        let info = WatchInfo {
            id: watch.waiter.id(),
            uri: exchange.uri.to_owned(),
            revision: storage.store.revision(),
            sent: 0,
        };
        storage.watches.insert(info.id, info);
        match start {
            // A timeout below zero is over before it begins.
            _ if timeout.is_zero() => {}
            Start::Present { not_older_than } if not_older_than > storage.store.revision() => {
                let sleep = clock.sleep(FRESHNESS_WAIT);
                watch.state = State::Waiting { version: not_older_than, sleep };
            }
            Start::Present { .. } => watch.send_present(&storage),
            Start::Now => watch.follow(&storage, storage.store.revision()),
            Start::After(version) => watch.follow(&storage, version),
        }
        drop(storage);
        watch
    }

    /// Queues an ADDED event for every object, and where bookmarks are wanted the one that ends them.
    fn send_present(&mut self, storage: &Storage) {
        let now = self.shared.config.clock.now();
        for entry in storage.store.range(&self.range) {
            if selects(&self.options, &entry.value) {
                let frame = self.frames.object("ADDED", &entry.value.json, now);
                self.queue.push_back(frame);
            }
        }
        let revision = storage.store.revision();
        if self.options.bookmarks && self.options.send_initial_events == Some(true) {
            let frame = self.frames.bookmark(revision, true, now);
            self.queue.push_back(frame);
        }
        self.follow(storage, revision);
    }

    fn follow(&mut self, storage: &Storage, after: Revision) {
        match storage.store.watch(self.range.clone(), after) {
            Ok(cursor) => self.state = State::Following(cursor),
            Err(error) => self.fail(&read_error(error)),
        }
    }

    /// Queues an ERROR event and ends the watch.
    fn fail(&mut self, status: &Status) {
        self.queue.push_back(self.frames.error(status));
        self.state = State::Ended;
    }

    /// What the watch says of an event, if anything: an object that comes to match the selectors is ADDED to it,
    /// one that no longer does is DELETED from it.
    fn translate(&mut self, event: &Event<'_, Arc<Stored>>) -> Option<Bytes> {
        let matching = |stored: &&Arc<Stored>| selects(&self.options, stored);
        let new = event.value.map(|entry| &entry.value).filter(matching);
        let old = event.previous.map(|entry| &entry.value).filter(matching);
        let (kind, json) = match (old, new) {
            (None, Some(new)) => ("ADDED", new.json.clone()),
            (Some(_), Some(new)) => ("MODIFIED", new.json.clone()),
            (Some(old), None) => ("DELETED", old.json_at(event.revision)),
            (None, None) => return None,
        };
        Some(self.frames.object(kind, &json, self.shared.config.clock.now()))
    }

    /// Reads on to the next event that the watch is about.
    fn follow_log(&mut self, storage: &mut Storage, mut cursor: Cursor) -> State {
        let read = loop {
            match storage.store.next(&mut cursor) {
                Ok(Some(event)) => match self.translate(&event) {
                    Some(frame) => {
                        self.queue.push_back(frame);
                        break Ok(());
                    }
                    None => continue,
                },
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        if let Some(info) = storage.watches.get_mut(&self.waiter.id()) {
            info.revision = cursor.revision();
        }
        match read {
            Ok(()) => State::Following(cursor),
            Err(error) => {
                self.fail(&read_error(error));
                State::Ended
            }
        }
    }

    /// Looks at the store for something to send. `false`: there is nothing now.
    fn advance(&mut self, storage: &mut Storage) -> bool {
        if !storage.watches.contains_key(&self.waiter.id()) {
            self.state = State::Ended;
            return true;
        }
        if let State::Waiting { version, .. } = self.state
            && storage.store.revision() >= version
        {
            self.send_present(storage);
        }
        let state = std::mem::replace(&mut self.state, State::Ended);
        self.state = match state {
            State::Following(cursor) => self.follow_log(storage, cursor),
            other => other,
        };
        !self.queue.is_empty() || matches!(self.state, State::Ended)
    }

    /// Sets the time of the next bookmark: a minute from now, or shortly before the watch ends.
    fn schedule_bookmark(&mut self) {
        if !self.options.bookmarks {
            return;
        }
        let clock = &self.shared.config.clock;
        let now = clock.now();
        let next = (now + BOOKMARK_INTERVAL).min(self.deadline.saturating_sub(LAST_BOOKMARK));
        self.bookmark = (next > now).then(|| clock.sleep(next - now));
    }

    /// Sees to what is due. `false`: nothing is.
    fn tick(&mut self, cx: &mut Context<'_>) -> bool {
        if self.timeout.as_mut().poll(cx).is_ready() {
            self.state = State::Ended;
            return true;
        }
        if let State::Waiting { version, sleep } = &mut self.state
            && sleep.as_mut().poll(cx).is_ready()
        {
            let version = *version;
            let current = self.shared.storage().store.revision();
            self.fail(&Status::too_large_resource_version(version, current));
            return true;
        }
        let due = self.bookmark.as_mut().is_some_and(|bookmark| bookmark.as_mut().poll(cx).is_ready());
        if due {
            if matches!(self.state, State::Following(_)) {
                let revision = self.shared.storage().store.revision();
                let frame = self.frames.bookmark(revision, false, self.shared.config.clock.now());
                self.queue.push_back(frame);
            }
            self.schedule_bookmark();
        }
        due
    }
}

impl Stream for Watch {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let watch = &mut *self;
        loop {
            if let Some(frame) = watch.queue.pop_front() {
                let mut storage = watch.shared.storage();
                if let Some(info) = storage.watches.get_mut(&watch.waiter.id()) {
                    info.sent += 1;
                }
                return Poll::Ready(Some(frame));
            }
            if matches!(watch.state, State::Ended) {
                return Poll::Ready(None);
            }
            let shared = Arc::clone(&watch.shared);
            let found = {
                let mut storage = shared.storage();
                let found = watch.advance(&mut storage);
                if !found {
                    storage.wait(watch.waiter.id(), cx.waker());
                }
                found
            };
            if !found && !watch.tick(cx) {
                return Poll::Pending;
            }
        }
    }
}

fn read_error(error: ReadError) -> Box<Status> {
    match error {
        ReadError::Compacted { requested, compact_revision } => {
            Status::expired(&format!("too old resource version: {requested} ({compact_revision})"))
        }
        ReadError::Future { requested, revision } => Status::too_large_resource_version(requested, revision),
    }
}
