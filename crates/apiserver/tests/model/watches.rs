//! Watches: every event is compared with what the model says comes next.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use apiserver::Body;
use bytes::Bytes;
use futures::{FutureExt, Stream};
use http::Request;
use serde_json::Value;

use crate::common::{self, Flag};
use crate::history::Object;
use crate::query::Query;
use crate::reads::PATIENCE;
use crate::step::{Open, Step, Version};
use crate::world::{Checked, World, ensure};

/// How many watches are open at a time.
const OPEN: usize = 8;
/// How long a watch lives at least, and at most, that does not say so.
const LIFE: (Duration, Duration) = (Duration::from_secs(1800), Duration::from_secs(3600));
/// How many events may wait for a watch that is not read.
const BUFFER: usize = 1_000;
const BOOKMARKS: Duration = Duration::from_secs(60);

/// How a watch begins.
#[derive(Clone, Copy, Debug)]
enum Begin {
    /// With a state that is not older than that.
    State(u64),
    /// With what comes after that.
    After(u64),
}

/// A watch that was closed: where it can be resumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    query: Query,
    version: u64,
}

/// An open watch.
pub(crate) struct Watcher {
    stream: Pin<Box<dyn Stream<Item = Bytes> + Send>>,
    flag: Arc<Flag>,
    path: String,
    id: u64,
    server: usize,
    query: Query,
    bookmarks: bool,
    opened: Duration,
    /// Between which times it ends by itself.
    deadline: (Duration, Duration),
    /// The version that it waits for before it sends a state.
    waits: Option<u64>,
    /// Whether its start had expired.
    expired: bool,
    /// Whether it may have.
    may_expire: bool,
    /// Whether it was sent an error: nothing comes behind that.
    failed: bool,
    /// Whether its initial events end with a bookmark.
    ends_initial: bool,
    /// What is still to come of the state that it begins with.
    initial: VecDeque<Value>,
    /// The version of the bookmark behind that.
    initial_end: Option<u64>,
    /// Everything up to here has come.
    cursor: u64,
    /// Up to where the server had surely read its cache for it.
    read: u64,
    /// Where the cache was when it began: what was there then is never too much.
    begun: u64,
    /// The version that it was asked to begin after.
    after: u64,
    /// Whether it was not read to its end last time.
    partly: bool,
    /// How often its cache had been filled anew.
    relists: usize,
    dropped: bool,
    /// Where it can be resumed.
    seen: Option<u64>,
    /// When a bookmark came last, or might have first.
    marked: Duration,
    /// When the next one is due.
    due: Duration,
}

impl World {
    /// Does a step that is about watches.
    pub(crate) fn watch(&mut self, step: &Step) -> Checked {
        let (open, cut) = (self.watchers.len().max(1), self.cut.len().max(1));
        match step {
            Step::Open { server, open } => self.open(*server, open, None),
            Step::Resume { server, number, bookmarks } => {
                let Some(Cut { query, version }) = self.cut.get(number % cut).copied() else { return Ok(()) };
                let open = Open {
                    query,
                    version: Version::Unset,
                    initial: None,
                    bookmarks: *bookmarks,
                    timeout: None,
                    path: None,
                };
                self.open(*server, &open, Some(version))
            }
            Step::Read { number, frames } => {
                if self.watchers.is_empty() {
                    return Ok(());
                }
                let watcher = self.watchers.remove(number % open);
                self.read_watch(watcher, frames.unwrap_or(usize::MAX))
            }
            Step::ReadAll => {
                for watcher in std::mem::take(&mut self.watchers) {
                    self.read_watch(watcher, usize::MAX)?;
                }
                Ok(())
            }
            Step::Cut { number } => {
                if !self.watchers.is_empty() {
                    let watcher = self.watchers.remove(number % open);
                    self.remember(&watcher);
                }
                Ok(())
            }
            Step::Drop { number } => {
                if let Some(watcher) = self.watchers.get_mut(number % open) {
                    watcher.dropped = true;
                    self.servers[0].api.inspect().drop_watch(watcher.id);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn remember(&mut self, watcher: &Watcher) {
        let Some(version) = watcher.seen else { return };
        if self.cut.len() == OPEN {
            self.cut.remove(0);
        }
        self.cut.push(Cut { query: watcher.query, version });
    }

    /// Opens a watch, after `resume` if that is given.
    fn open(&mut self, server: usize, open: &Open, resume: Option<u64>) -> Checked {
        let server = self.server(server);
        let version = resume.or_else(|| self.version(open.version));
        let path = path_of(open, version);
        let request = Request::get(path.as_str()).body(Bytes::new()).map_err(|why| why.to_string())?;
        let api = &self.servers[server].api;
        let response = api.call(request).now_or_never().ok_or_else(|| format!("{path} waits"))?;
        let id = api.inspect().overview().watches.last().map_or(0, |watch| watch.id);
        let Body::Stream(stream) = response.into_body() else { return Err(format!("{path} is no watch")) };
        self.observe()?;
        let (now, known) = (self.now(), &self.servers[server]);
        let (reached, any) = (known.reached, version.unwrap_or(0) == 0);
        let begin = match (version, open.initial) {
            (None, Some(false)) => Begin::After(self.history.head),
            (Some(0), Some(false)) => Begin::After(reached),
            // By the path alone, no version means any.
            (None, None) if open.path == Some(false) => Begin::State(0),
            (None, _) => Begin::State(self.history.head),
            (Some(version), Some(true)) => Begin::State(version),
            (Some(0), None) => Begin::State(0),
            (Some(version), _) => Begin::After(version),
        };
        let whole = open.path != Some(false) && (open.initial == Some(true) || any && open.initial.is_none());
        let deadline = match open.timeout {
            None | Some(0) => (now + LIFE.0, now + LIFE.1),
            Some(seconds) => {
                let end = now + Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
                (end, end)
            }
        };
        let mut watcher = Watcher {
            stream,
            flag: Flag::new(),
            path,
            id,
            server,
            query: open.query,
            bookmarks: open.bookmarks,
            opened: now,
            deadline,
            waits: None,
            expired: false,
            may_expire: false,
            failed: false,
            ends_initial: open.bookmarks && whole,
            initial: VecDeque::new(),
            initial_end: None,
            cursor: reached,
            read: reached,
            begun: reached,
            after: 0,
            partly: false,
            relists: known.relists,
            dropped: false,
            seen: None,
            marked: now,
            due: now + BOOKMARKS,
        };
        match begin {
            Begin::State(version) if version > reached => watcher.waits = Some(version),
            Begin::State(_) => watcher.begin(self, reached),
            Begin::After(version) => {
                watcher.expired = version < known.oldest();
                watcher.may_expire = self.may_have_expired(server, version);
                (watcher.cursor, watcher.after) = (version, version);
                watcher.read = version.min(reached);
                watcher.seen = Some(version);
            }
        }
        if self.watchers.len() == OPEN {
            let oldest = self.watchers.remove(0);
            self.remember(&oldest);
        }
        self.watchers.push(watcher);
        Ok(())
    }

    /// Whether it may be said that what comes after `version` is not known any more. Once something has left the
    /// window, that is said of every version but the last one before the oldest event there.
    fn may_have_expired(&self, server: usize, version: u64) -> bool {
        let (server, now) = (&self.servers[server], self.now());
        let forgotten = self.history.last_change(server.forgot).is_some_and(|last| last > server.listed);
        let oldest = self.history.changes(server.forgot, server.reached).first();
        let dropped = self.history.last_change(version).map_or(version, |last| last - 1);
        forgotten && oldest.is_some_and(|oldest| version + 1 < oldest.revision)
            || self.history.may_have_dropped(dropped, server.reached, now)
    }

    /// Reads a watch as far as it goes, or at most so many frames.
    fn read_watch(&mut self, mut watcher: Watcher, most: usize) -> Checked {
        let before = self.servers[watcher.server].reached;
        let woken = watcher.flag.take();
        let waker = watcher.flag.waker();
        let mut cx = Context::from_waker(&waker);
        let (mut frames, mut ended, mut partly) = (Vec::new(), false, false);
        loop {
            if frames.len() == most {
                partly = true;
                watcher.flag.set();
                break;
            }
            match watcher.stream.as_mut().poll_next(&mut cx) {
                Poll::Ready(Some(frame)) => frames.push(frame),
                Poll::Ready(None) => {
                    ended = true;
                    break;
                }
                Poll::Pending => break,
            }
        }
        self.observe()?;
        let shown = || format!("GET {} of server {}", watcher.path, watcher.server);
        ensure!(woken || frames.is_empty() && !ended, "{}: it went on, but nobody was woken", shown());
        let path = shown();
        let checked = watcher.check(self, before, &frames, (ended, partly));
        checked.map_err(|why| {
            let frames: Vec<_> = frames.iter().map(|frame| String::from_utf8_lossy(frame)).collect();
            format!("{path}: {why}; read {frames:?}, ended: {ended}")
        })?;
        if ended {
            self.seen.ended += 1;
            self.remember(&watcher);
        } else {
            self.watchers.push(watcher);
        }
        Ok(())
    }
}

fn path_of(open: &Open, version: Option<u64>) -> String {
    let single = open.query.single().filter(|_| open.path.is_some());
    let mut path = open.query.path(if open.path.is_some() { "/watch" } else { "" });
    if let Some(name) = single {
        path.push_str(&format!("/{name}"));
    }
    path.push('?');
    path.push_str(&open.query.parameters());
    if open.path != Some(false) {
        path.push_str("watch=1&");
    }
    if let Some(version) = version {
        path.push_str(&format!("resourceVersion={version}&"));
    }
    if let Some(initial) = open.initial {
        path.push_str(&format!("sendInitialEvents={initial}&resourceVersionMatch=NotOlderThan&"));
    }
    if let Some(seconds) = open.timeout {
        path.push_str(&format!("timeoutSeconds={seconds}&"));
    }
    path.push_str(&format!("allowWatchBookmarks={}", open.bookmarks));
    path
}

impl Watcher {
    /// Begins with the state that the cache has reached.
    fn begin(&mut self, world: &World, reached: u64) {
        let (items, _) = self.query.page(world.history.at(reached), "", 0);
        self.initial = items.into_iter().map(|object| object.value.clone()).collect();
        self.initial_end = self.ends_initial.then_some(reached);
        (self.cursor, self.read, self.begun, self.waits) = (reached, reached, reached, None);
    }

    /// Compares what was read.
    ///
    /// `before` is where its cache was before.
    fn check(
        &mut self,
        world: &mut World,
        before: u64,
        frames: &[Bytes],
        (ended, partly): (bool, bool),
    ) -> Checked {
        let reached = world.servers[self.server].reached;
        // It may look before its cache hears more.
        let first = [before, reached].into_iter().find(|reached| Some(*reached) >= self.waits);
        if let (Some(_), Some(first)) = (self.waits, first) {
            self.begin(world, first);
        }
        for frame in frames {
            ensure!(!self.failed, "something came behind an error");
            let mut event: Value =
                serde_json::from_slice(frame).map_err(|why| format!("not an event: {why}"))?;
            let object = event["object"].take();
            match event["type"].as_str().unwrap_or_default() {
                "ERROR" => {
                    self.check_error(world, &object)?;
                    self.failed = true;
                }
                "BOOKMARK" => {
                    self.check_bookmark(world, &object)?;
                    world.seen.bookmarks += 1;
                }
                kind => {
                    self.check_event(world, kind, object)?;
                    world.seen.events += 1;
                }
            }
        }
        ensure!(!self.expired || self.failed || partly || ended, "it must be 410");
        if ended {
            let server = &world.servers[self.server];
            ensure!(
                self.failed || self.may_end(world),
                "it must not end: it has read up to {}, its cache is at {reached} and forgot {}",
                self.read,
                server.forgot
            );
        } else if !partly {
            self.check_pending(world)?;
            self.check_due(world)?;
            (self.cursor, self.read) = (self.cursor.max(reached), reached);
        } else if let Some(seen) = self.seen {
            self.read = self.read.max(seen.min(reached));
        }
        self.partly = partly;
        Ok(())
    }

    /// An ADDED, MODIFIED or DELETED event must be the next one.
    fn check_event(&mut self, world: &World, kind: &str, object: Value) -> Checked {
        let object = Object::new(object).value;
        ensure!(self.waits.is_none(), "the cache has not reached the version");
        if let Some(expected) = self.initial.pop_front() {
            ensure!(kind == "ADDED" && object == expected, "the state goes on with {expected}");
            return Ok(());
        }
        ensure!(self.initial_end.is_none(), "the bookmark behind the state is missing");
        let changes = world.history.changes(self.cursor, world.servers[self.server].reached);
        let next = changes.iter().find_map(|change| Some((change.revision, change.event(&self.query)?)));
        let Some((revision, expected)) = next else { return Err(format!("nothing comes, but {kind} came")) };
        ensure!((kind, &object) == (expected.0, &expected.1), "{} {} is next", expected.0, expected.1);
        self.cursor = revision;
        self.seen = Some(revision);
        Ok(())
    }

    /// A bookmark promises that everything up to it was sent.
    fn check_bookmark(&mut self, world: &World, object: &Value) -> Checked {
        let version = common::version(&serde_json::json!({ "metadata": object["metadata"] }));
        let ends = object["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true";
        ensure!(self.bookmarks && self.waits.is_none(), "no bookmark was asked for");
        ensure!(self.initial.is_empty(), "a bookmark came amid the state");
        if let Some(expected) = self.initial_end.take() {
            ensure!(ends && version == expected, "the state ends at {expected}");
        } else {
            ensure!(!ends, "the state ends a second time");
            ensure!(version >= self.cursor, "a bookmark of {version} after {}", self.cursor);
            let reached = world.servers[self.server].reached;
            ensure!(version <= reached, "a bookmark of {version}, but the cache is at {reached}");
            let mut changes = world.history.changes(self.cursor, version).iter();
            let lost = changes.find_map(|change| change.event(&self.query));
            ensure!(lost.is_none(), "a bookmark of {version}, but not sent was {lost:?}");
            let now = world.now();
            let last = self.deadline.0.saturating_sub(Duration::from_secs(2));
            ensure!(now >= (self.marked + BOOKMARKS).min(last), "a bookmark came too soon");
            (self.marked, self.due) = (now, now + BOOKMARKS);
        }
        self.cursor = version;
        self.seen = Some(version);
        Ok(())
    }

    /// A bookmark comes every minute, if there is something to say: the cache is beyond where the watch began. The last
    /// one comes two seconds before the end, whenever that is.
    fn check_due(&mut self, world: &World) -> Checked {
        let (now, reached) = (world.now(), world.servers[self.server].reached);
        let ends = now + Duration::from_secs(2) >= self.deadline.0;
        if !self.bookmarks || self.waits.is_some() || now < self.due || ends {
            return Ok(());
        }
        self.due = now + BOOKMARKS;
        let news = reached > self.begun.max(self.after);
        ensure!(!news, "a bookmark of {reached} is due");
        Ok(())
    }

    /// 410 if the start may have expired, 504 if what it waits for has not come in time.
    fn check_error(&self, world: &mut World, status: &Value) -> Checked {
        let (server, now) = (&world.servers[self.server], world.now());
        match (status["code"].as_u64(), self.waits) {
            (Some(410), None) => {
                ensure!(self.expired || self.may_expire, "410, but the window begins at {}", server.oldest());
                world.seen.expired += 1;
            }
            (Some(504), Some(version)) => {
                ensure!(server.reached < version, "504, but the cache is at {}", server.reached);
                ensure!(now >= self.opened + PATIENCE, "504 too soon");
                world.seen.too_new += 1;
            }
            _ => return Err("such an error is not expected".to_owned()),
        }
        Ok(())
    }

    /// Whether something of what it has not read has gone, because the cache was told so.
    fn was_robbed(&self, world: &World) -> bool {
        !world.history.changes(self.read, world.servers[self.server].forgot).is_empty()
    }

    /// Whether more events wait for it than may.
    fn is_slow(&self, world: &World) -> bool {
        let reached = world.servers[self.server].reached;
        world.history.changes(self.read.max(self.begun), reached).len() > BUFFER
    }

    /// Whether there is a reason to end it.
    fn may_end(&self, world: &World) -> bool {
        let server = &world.servers[self.server];
        self.dropped
            || world.now() >= self.deadline.0
            || server.relists != self.relists
            || self.was_robbed(world)
            || self.is_slow(world)
            || world.history.may_have_dropped(self.read, server.reached, world.now())
    }

    /// It is open, and there is nothing to read: must it have ended, or is something missing?
    fn check_pending(&mut self, world: &World) -> Checked {
        let (server, now) = (&world.servers[self.server], world.now());
        ensure!(!self.failed, "it has failed, and did not end");
        ensure!(!self.dropped, "it was dropped, and did not end");
        ensure!(now < self.deadline.1, "it is over, and did not end");
        ensure!(server.relists == self.relists, "its cache was filled anew, and it did not end");
        if let Some(version) = self.waits {
            ensure!(now < self.opened + PATIENCE, "it waits for {version} for too long");
            return Ok(());
        }
        ensure!(self.partly || !self.was_robbed(world), "its events are gone, and it did not end");
        ensure!(self.partly || !self.is_slow(world), "it was not read, and did not end");
        ensure!(self.initial.is_empty() && self.initial_end.is_none(), "the state is not complete");
        let mut changes = world.history.changes(self.cursor, server.reached).iter();
        let lost = changes.find_map(|change| change.event(&self.query));
        ensure!(lost.is_none(), "not sent was {lost:?}");
        Ok(())
    }
}
