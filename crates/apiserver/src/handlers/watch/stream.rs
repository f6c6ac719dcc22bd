//! An open watch: the stream of its frames.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use store::{KeyRange, Revision};

mod conversions;
mod ready;

pub(super) use conversions::Converting;
pub(in crate::handlers) use conversions::Steps;
use conversions::Waiting;
use ready::Ready;

use super::frames::Frames;
use super::{Scope, Start};
use crate::clock::Sleep;
use crate::context::Shared;
use crate::handlers::list::selects;
use crate::handlers::wait::FRESHNESS_WAIT;
use crate::options::ListOptions;
use crate::storage::Storage;
use crate::stored::Stored;
use crate::watch_cache::WatchCache;
use crate::watch_cache::cache_watcher::{self, CacheWatcher};
use crate::watch_cache::caches::CacheId;
use crate::watch_cache::window::{CacheEvent, Position};
use apimachinery::status::Status;
use protocol::trace::{EventType, WatchEnd, WatchInfo, WatchScope};

/// How long before its end a watch gets its last bookmark.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);
/// How many frames are made at a time.
const BATCH: usize = 32;
/// How many events may wait for a watch that is not read. kube-apiserver gives a watch a channel of 10 to 1,000
/// events, by how busy its collection is, and ends it when that is full and stays so.
const BUFFER: Position = 1_000;

/// The state of a watch.
enum State {
    /// It waits, until a time, for a version that is still to come before it sends the state.
    Waiting { version: Revision, until: Duration },
    /// It follows the events of its cache.
    Following(Reader),
    /// It has nothing more to send than what is ready.
    Ended,
}

/// How far a watch has read.
#[derive(Clone, Copy)]
struct Reader {
    /// The event to look at next.
    position: Position,
    /// Nothing up to here is due.
    after: Revision,
    /// The end of the events that were there when it began. These were never queued for it.
    begun: Position,
    /// The revision that it knew of then: a bookmark that says no more is not sent.
    known: Revision,
}

/// An open watch.
pub(super) struct Watch {
    shared: Arc<Shared>,
    server: usize,
    cache: CacheId,
    watcher: Arc<CacheWatcher>,
    id: u64,
    frames: Frames,
    /// True if there are selectors.
    selected: bool,
    /// The fields that are not looked at for every event, apart from those that are: many watches are woken at once.
    seldom: Box<Seldom>,
    state: State,
    /// The state that is still to be sent.
    initial: std::vec::IntoIter<Arc<Stored>>,
    /// The bookmark that is due at its end.
    initial_end: Option<Revision>,
    ready: Ready,
}

/// The fields of a watch that are seldom looked at.
struct Seldom {
    range: KeyRange,
    options: ListOptions,
    deadline: Duration,
    bookmark: Option<Duration>,
    timer: Option<(Duration, Sleep)>,
    /// The conversions of what is sent, if a webhook makes them.
    conversions: Option<Converting>,
    /// True once all of the first state has been converted.
    begun: bool,
    /// When a state that cannot be converted is given up.
    given_up: Option<Duration>,
}

/// The parameters that a watch is opened with.
pub(super) struct Opening<'a> {
    /// The number of the API server.
    pub(super) server: usize,
    /// The watch cache.
    pub(super) cache: CacheId,
    /// Path and query.
    pub(super) uri: &'a str,
    /// The scope of the watch.
    pub(super) scope: Scope,
    /// The start of the watch.
    pub(super) start: Start,
    /// How long it lives. One that lives for no time is over before it begins.
    pub(super) timeout: Duration,
    /// The conversions of what is sent, if a webhook makes them.
    pub(super) conversions: Option<Converting>,
}

impl Watch {
    /// Opens a watch.
    pub(super) fn open(
        shared: &Arc<Shared>,
        opening: Opening<'_>,
        frames: Frames,
        options: ListOptions,
    ) -> Self {
        let Opening { server, cache, uri, scope, start, timeout, conversions } = opening;
        let now = shared.config.clock.now();
        let mut storage = shared.storage();
        let id = storage.number();
        // Watches of one collection share what they compare keys with: it is near when many are woken.
        let neighbour = storage.cache(server, cache).and_then(|cache| cache.watchers.values().next_back());
        let shared_prefix =
            neighbour.map(|other| other.prefix()).filter(|prefix| ***prefix == *scope.start());
        let prefix = shared_prefix.cloned().unwrap_or_else(|| scope.start().into());
        let remembered = cache_watcher::remembered(storage.watches.len());
        let name = storage.cache(server, cache).map(|cache| cache.resource.as_str()).unwrap_or_default();
        let (resource, group) = name.split_once('.').unwrap_or((name, ""));
        let about = WatchScope {
            group: group.to_owned(),
            resource: resource.to_owned(),
            namespace: scope.namespace.clone(),
            label_selector: options.labels.to_string(),
            field_selector: options.fields.to_string(),
        };
        let info = WatchInfo { id, server, uri: uri.to_owned(), scope: about, ..WatchInfo::default() };
        let mut watch = Self {
            shared: Arc::clone(shared),
            server,
            cache,
            watcher: Arc::new(CacheWatcher::new(prefix, scope.key.is_some(), remembered, info)),
            id,
            frames,
            selected: !options.labels.is_empty() || !options.fields.is_empty(),
            seldom: Box::new(Seldom {
                range: scope.range(),
                options,
                deadline: now.saturating_add(timeout),
                bookmark: None,
                timer: None,
                conversions,
                begun: false,
                given_up: matches!(start, Start::State(1..)).then(|| now.saturating_add(FRESHNESS_WAIT)),
            }),
            state: State::Ended,
            initial: Vec::new().into_iter(),
            initial_end: None,
            ready: Ready::default(),
        };
        watch.schedule_bookmark(now, storage.bookmark_interval);
        storage.watches.insert(id, Arc::clone(&watch.watcher));
        if let Some(cache) = storage.cache_mut(server, cache).filter(|_| !timeout.is_zero()) {
            cache.watchers.insert(id, Arc::clone(&watch.watcher));
            watch.begin(cache, start, now);
        }
        drop(storage);
        watch
    }

    /// Returns the steps of a watch of objects that a webhook converts.
    fn steps(&self) -> Option<&'static Steps> {
        self.seldom.conversions.as_ref().map(|converting| converting.steps)
    }

    /// Reports whether something is to be converted.
    fn is_due(&self) -> bool {
        self.seldom.conversions.as_ref().is_some_and(|converting| converting.conversions.is_due())
    }

    /// Returns the number of the watch.
    pub(super) fn number(&self) -> u64 {
        self.id
    }

    fn begin(&mut self, cache: &WatchCache, start: Start, now: Duration) {
        match start {
            Start::State(version) if version > cache.revision => {
                self.state = State::Waiting { version, until: now.saturating_add(FRESHNESS_WAIT) };
            }
            Start::State(_) => self.send_state(cache),
            Start::After(version) => match cache.position_after(version) {
                Ok(position) => self.follow(cache, position, version),
                Err(oldest) => {
                    self.fail(&Status::expired(&format!("too old resource version: {version} ({oldest})")));
                }
            },
        }
    }

    /// Begins with the objects of the cache; where bookmarks are wanted, one ends them.
    fn send_state(&mut self, cache: &WatchCache) {
        // What is converted before is selected then.
        let all = self.seldom.conversions.is_some();
        let selected = cache
            .range(&self.seldom.range)
            .filter(|(_, stored)| all || selects(&self.seldom.options, stored));
        let initial: Vec<_> = selected.map(|(_, stored)| Arc::clone(stored)).collect();
        self.initial = initial.into_iter();
        let bookmark = self.seldom.options.bookmarks && self.seldom.options.send_initial_events == Some(true);
        self.initial_end = bookmark.then_some(cache.revision);
        self.follow(cache, cache.window.end(), cache.revision);
    }

    fn follow(&mut self, cache: &WatchCache, position: Position, after: Revision) {
        self.watcher.looked(after.min(cache.revision));
        let begun = cache.window.end();
        let known = after.max(cache.window.newest_at(Revision::MAX).unwrap_or(0));
        self.state = State::Following(Reader { position, after, begun, known });
    }

    /// Ends the watch with an ERROR event.
    fn fail(&mut self, status: &Status) {
        self.ready.push(self.frames.error(status));
        self.watcher.note(0, Some(EventType::Error));
        self.watcher.ended_by(WatchEnd::Error);
        self.state = State::Ended;
    }

    /// Makes frames of the state that is still to be sent.
    fn read_initial(&mut self) {
        for _ in 0..BATCH {
            let next = match self.steps() {
                None => self.initial.next(),
                Some(steps) => (steps.next)(self),
            };
            let Some(stored) = next else { break };
            self.ready.push(self.frames.object(
                Some(EventType::Added),
                &stored.json,
                &*self.shared.config.clock,
            ));
            self.watcher.note(stored.revision(), Some(EventType::Added));
        }
        if self.initial.len() == 0
            && let Some(revision) = self.initial_end.take()
        {
            self.ready.push(self.frames.bookmark(revision, true, &*self.shared.config.clock));
            self.watcher.note(revision, Some(EventType::Bookmark));
        }
    }

    /// Makes frames of the cache's next events. Who is so far behind that they are gone, or too many, is ended: the
    /// client has to begin again where it was.
    fn read_events(&mut self, cache: &mut WatchCache, mut reader: Reader) {
        let behind = cache.window.end().saturating_sub(reader.position.max(reader.begun));
        if reader.position < cache.window.start() || behind > BUFFER {
            self.watcher.ended_by(WatchEnd::Server);
            self.state = State::Ended;
            return;
        }
        while self.ready.len() < BATCH {
            let Some(event) = cache.window.get_mut(reader.position) else {
                self.watcher.looked(cache.revision);
                break;
            };
            if event.revision <= reader.after || !self.watcher.covers(&event.key) {
                reader.position += 1;
                continue;
            }
            let shown = match self.steps() {
                None => None,
                Some(steps) => match (steps.shown)(self, event) {
                    Ok(shown) => Some(shown),
                    Err(()) => {
                        (steps.want)(self, cache, reader);
                        break;
                    }
                },
            };
            reader.position += 1;
            let sent = self.event_type(shown.as_ref().unwrap_or(event));
            if sent.is_some() {
                let clock = &*self.shared.config.clock;
                self.ready.push(self.frames.event(sent, event, shown.as_ref(), clock));
            }
            self.watcher.note(event.revision, sent);
        }
        self.state = State::Following(reader);
    }

    fn event_type(&self, event: &CacheEvent) -> Option<EventType> {
        event_type(&event.previous, &event.object, |stored| {
            !self.selected || selects(&self.seldom.options, stored)
        })
    }

    /// Looks for something to send. If there is nothing, `cx` is woken when that may have changed.
    ///
    /// Gives the time at which a cache that lags will have more.
    fn read(&mut self, cx: &Context<'_>) -> Option<Duration> {
        let shared = Arc::clone(&self.shared);
        let mut storage = shared.storage();
        let due = self.read_from(&mut storage, cx);
        drop(storage);
        shared.listeners.wake();
        due
    }

    fn read_from(&mut self, storage: &mut Storage, cx: &Context<'_>) -> Option<Duration> {
        let Some(cache) = storage.cache_mut(self.server, self.cache) else {
            self.state = State::Ended;
            return None;
        };
        if let State::Waiting { version, .. } = self.state
            && cache.revision >= version
        {
            self.send_state(cache);
            self.read_initial();
        }
        if let State::Following(reader) = self.state {
            self.read_events(cache, reader);
        }
        if !self.ready.is_empty() || matches!(self.state, State::Ended) {
            return None;
        }
        if cache.closed
            && matches!(self.state, State::Following(reader) if reader.position == cache.window.end())
        {
            self.watcher.ended_by(WatchEnd::Server);
            self.state = State::Ended;
            return None;
        }
        self.watcher.register(cx.waker());
        let lags = !cache.is_prompt();
        if matches!(self.state, State::Waiting { .. }) {
            storage.wait(self.id, cx.waker());
        }
        if lags { storage.due(self.server, self.cache) } else { None }
    }

    /// Sets the time of the next bookmark: after the interval, or shortly before the watch ends.
    fn schedule_bookmark(&mut self, now: Duration, interval: Duration) {
        let last = self.seldom.deadline.saturating_sub(LAST_BOOKMARK);
        let next = now.saturating_add(interval).min(last);
        self.seldom.bookmark = Some(next).filter(|next| self.seldom.options.bookmarks && *next > now);
    }

    /// Does what is due at `now`. `false`: nothing is.
    fn tick(&mut self, now: Duration, cache_due: Option<Duration>) -> bool {
        // First of all what the cache has heard of by now: it may be what is waited for.
        if cache_due.is_some_and(|due| now >= due) {
            self.shared.tick();
            return true;
        }
        if now >= self.seldom.deadline {
            self.watcher.ended_by(WatchEnd::Timeout);
            self.state = State::Ended;
            return true;
        }
        if let State::Waiting { version, until } = self.state
            && now >= until
        {
            let reached =
                self.shared.storage().cache(self.server, self.cache).map_or(0, |cache| cache.revision);
            self.fail(&Status::too_large_resource_version(version, reached));
            return true;
        }
        if self.seldom.bookmark.is_some_and(|bookmark| now >= bookmark) {
            let (interval, reached) = {
                let storage = self.shared.storage();
                let cache = storage.cache(self.server, self.cache);
                (storage.bookmark_interval, cache.map_or(0, |cache| cache.revision))
            };
            if let State::Following(reader) = self.state
                && reached > reader.known
            {
                self.ready.push(self.frames.bookmark(reached, false, &*self.shared.config.clock));
                self.watcher.note(reached, Some(EventType::Bookmark));
            }
            self.schedule_bookmark(now, interval);
            return true;
        }
        false
    }

    /// Waits for the time at which something is due. `true`: it has come.
    fn wait(&mut self, cx: &mut Context<'_>, now: Duration, cache_due: Option<Duration>) -> bool {
        let until = match self.state {
            State::Waiting { until, .. } => until,
            _ => Duration::MAX,
        };
        let due = [self.seldom.bookmark, cache_due]
            .into_iter()
            .flatten()
            .fold(self.seldom.deadline.min(until), Duration::min);
        let fresh = |shared: &Shared| (due, shared.config.clock.sleep(due.saturating_sub(now)));
        let timer = match &mut self.seldom.timer {
            Some(timer) if timer.0 == due => timer,
            other => other.insert(fresh(&self.shared)),
        };
        let over = timer.1.as_mut().poll(cx).is_ready();
        if over {
            self.seldom.timer = None;
        }
        over
    }
}

/// Returns the type of a watch's event, by the object before and after it: one that comes to match the selectors is
/// ADDED to the watch, one that no longer does is DELETED from it.
pub(crate) fn event_type(
    before: &Option<Arc<Stored>>,
    after: &Option<Arc<Stored>>,
    matches: impl Fn(&Arc<Stored>) -> bool,
) -> Option<EventType> {
    match (before.as_ref().is_some_and(&matches), after.as_ref().is_some_and(&matches)) {
        (false, true) => Some(EventType::Added),
        (true, true) => Some(EventType::Modified),
        (true, false) => Some(EventType::Deleted),
        (false, false) => None,
    }
}

impl Stream for Watch {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let watch = &mut *self;
        loop {
            if let Some(frame) = watch.ready.pop() {
                return Poll::Ready(Some(frame));
            }
            if matches!(watch.state, State::Ended) {
                return Poll::Ready(None);
            }
            if watch.watcher.has_ended() {
                watch.watcher.ended_by(WatchEnd::Server);
                watch.state = State::Ended;
                continue;
            }
            match watch.steps().map(|steps| (steps.wait)(watch, cx)) {
                Some(Waiting::Rests) => return Poll::Pending,
                Some(Waiting::Begins) => continue,
                Some(Waiting::Over) | None => {}
            }
            if watch.initial.len() > 0 || watch.initial_end.is_some() {
                watch.read_initial();
                watch.shared.listeners.wake();
                continue;
            }
            let cache_due = watch.read(cx);
            if !watch.ready.is_empty() || matches!(watch.state, State::Ended) || watch.is_due() {
                continue;
            }
            let now = watch.shared.config.clock.now();
            if !watch.tick(now, cache_due) && !watch.wait(cx, now, cache_due) {
                return Poll::Pending;
            }
            // What has become due may be a delivery: a bookmark.
            if !watch.ready.is_empty() {
                watch.shared.listeners.wake();
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut storage = self.shared.storage();
        storage.forget(self.id);
        storage.watches.remove(&self.id);
        storage.note_ended(Arc::clone(&self.watcher));
        if let Some(cache) = storage.cache_mut(self.server, self.cache) {
            cache.watchers.remove(&self.id);
            if cache.closed && cache.watchers.is_empty() {
                cache.window.clear();
            }
        }
        drop(storage);
        self.shared.listeners.wake();
    }
}
