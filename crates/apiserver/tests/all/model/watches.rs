//! Opening, reading, closing and resuming watches.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::Duration;

use apiserver::Body;
use bytes::Bytes;
use futures::FutureExt;
use http::Request;

use super::query::Query;
use super::step::{Open, Step, Version};
use super::watcher::{BOOKMARKS, Watcher};
use super::world::{Checked, World, ensure};
use crate::common::Flag;

/// How many watches are open at a time.
const OPEN: usize = 8;
/// How long a watch lives at least, and at most, that does not say so.
const LIFE: (Duration, Duration) = (Duration::from_secs(1800), Duration::from_secs(3600));

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

    /// Returns whether the server may respond that the events after `version` have expired. Once an event has left the
    /// window, that may be said of every version but the last one before the oldest event in it.
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
