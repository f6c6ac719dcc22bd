//! One watch, as the model knows it: what it must, may and must not be sent.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use json_tree::Value;

use super::history::Object;
use super::query::Query;
use super::reads::PATIENCE;
use super::world::{Checked, World, ensure};
use crate::common::Flag;

/// How many events may wait for a watch that is not read.
const BUFFER: usize = 1_000;
/// How often a watch gets a bookmark.
pub(crate) const BOOKMARKS: Duration = Duration::from_secs(60);

/// An open watch.
pub(crate) struct Watcher {
    pub(crate) stream: Pin<Box<dyn Stream<Item = Bytes> + Send>>,
    pub(crate) flag: Arc<Flag>,
    pub(crate) path: String,
    pub(crate) id: u64,
    pub(crate) server: usize,
    pub(crate) query: Query,
    pub(crate) bookmarks: bool,
    pub(crate) opened: Duration,
    /// Between which times it ends by itself.
    pub(crate) deadline: (Duration, Duration),
    /// The version that it waits for before it sends a state.
    pub(crate) waits: Option<u64>,
    /// True if the version at which it starts had expired.
    pub(crate) expired: bool,
    /// True if the version at which it starts may have expired.
    pub(crate) may_expire: bool,
    /// True if the watch was sent an error: nothing comes after that.
    pub(crate) failed: bool,
    /// True if the initial events end with a bookmark.
    pub(crate) ends_initial: bool,
    /// The part of the initial state that is still to come.
    pub(crate) initial: VecDeque<Value>,
    /// The version of the bookmark behind that.
    pub(crate) initial_end: Option<u64>,
    /// Everything up to here has come.
    pub(crate) cursor: u64,
    /// Up to where the server had surely read its cache for it.
    pub(crate) read: u64,
    /// The revision of the cache when the watch began: to send what was there then is never too much.
    pub(crate) begun: u64,
    /// The version that it was asked to begin after.
    pub(crate) after: u64,
    /// True if it was not read to its end last time.
    pub(crate) partly: bool,
    /// How often its cache had been filled anew.
    pub(crate) relists: usize,
    pub(crate) dropped: bool,
    /// The version at which the watch can be resumed.
    pub(crate) seen: Option<u64>,
    /// When a bookmark came last, or might have first.
    pub(crate) marked: Duration,
    /// When the next one is due.
    pub(crate) due: Duration,
}

impl Watcher {
    /// Begins with the state that the cache has reached.
    pub(crate) fn begin(&mut self, world: &World, reached: u64) {
        let (items, _) = self.query.page(world.history.at(reached), "", 0);
        self.initial = items.into_iter().map(|object| object.value.clone()).collect();
        self.initial_end = self.ends_initial.then_some(reached);
        (self.cursor, self.read, self.begun, self.waits) = (reached, reached, reached, None);
    }

    /// Compares what was read.
    ///
    /// `before` is where its cache was before.
    pub(crate) fn check(
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
        let version = crate::common::version(&json_tree::json!({ "metadata": object["metadata"] }));
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

    /// Returns whether an event that the watch has not read is gone, because the cache was told to forget it.
    fn was_robbed(&self, world: &World) -> bool {
        !world.history.changes(self.read, world.servers[self.server].forgot).is_empty()
    }

    /// Returns whether more events wait for the watch than may.
    fn is_slow(&self, world: &World) -> bool {
        let reached = world.servers[self.server].reached;
        world.history.changes(self.read.max(self.begun), reached).len() > BUFFER
    }

    /// Returns whether there is a reason to end the watch.
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
