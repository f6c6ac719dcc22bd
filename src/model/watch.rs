//! One watch, from its first request over every resumption to its end.

use std::collections::VecDeque;
use std::sync::Arc;

use apimachinery::target;
use serde::{Deserialize, Serialize};

use crate::cluster::frames::Frames;
use crate::cluster::status::Status;
use crate::cluster::{Request, Which};

pub(crate) use crate::cluster::event::{Event, EventLook, EventType};

/// How many rows a watch keeps.
pub(crate) const KEPT: usize = 200;

/// So many events between two looks are too many to follow.
const FLOOD: u64 = 8;

/// How many hues there are for watches.
pub(crate) const HUES: usize = 6;

/// Returns the number of the hue that a watch keeps wherever it is shown.
pub(crate) fn hue(watch: u64) -> usize {
    (watch % HUES as u64) as usize
}

/// Returns the class that gives an element the hue of a watch.
pub(crate) fn hue_class(watch: u64) -> &'static str {
    const ALL: [&str; HUES] = ["hue-0", "hue-1", "hue-2", "hue-3", "hue-4", "hue-5"];
    ALL[hue(watch)]
}

/// A watch.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The watch's number in this page.
    pub(crate) id: u64,
    /// The cluster that it goes to.
    pub(crate) cluster: Which,
    /// The request that opened it first.
    pub(crate) request: Request,
    /// Path and query of the connection that is open now, or was last.
    pub(crate) target: String,
    /// How its connection stands.
    pub(crate) connection: Connection,
    /// True from when it is to be opened anew until the response is there.
    pub(crate) is_resuming: bool,
    /// The other client that has opened it, if one has.
    pub(crate) theirs: Option<Theirs>,
    /// True if what arrives is held back from being shown.
    pub(crate) paused: bool,
    /// The rows that it has brought, oldest first, at most [`KEPT`].
    pub(crate) rows: VecDeque<(u64, Row)>,
    /// The rows that arrived while it was paused, at most [`KEPT`].
    held: VecDeque<Row>,
    /// How many came while it was paused.
    pub(crate) waiting: u64,
    /// How many events it has brought in all.
    pub(crate) received: u64,
    /// The version that it began from, as its request says, or else its first event's.
    pub(crate) start: Option<String>,
    /// The last version it has seen: where to resume.
    pub(crate) last: Option<String>,
    /// True if that version came by a bookmark.
    pub(crate) bookmarked: bool,
    /// The last version that came otherwise: where to resume if there were no bookmarks.
    pub(crate) unmarked: Option<String>,
    /// True if so much arrives that nobody can follow it: then it is shown less often.
    pub(crate) floods: bool,
    /// True if its card can be seen; found out only while it floods.
    pub(crate) in_view: bool,
    counted: u64,
    next_row: u64,
    frames: Frames,
}

/// A watch of another client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Theirs {
    /// The server's number of it.
    pub(crate) number: u64,
    /// The client, as far as it says who it is.
    pub(crate) agent: String,
}

/// How a watch's connection stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// Events come.
    Open,
    /// This page closed it.
    Stopped,
    /// The server closed it.
    Ended,
    /// It broke.
    Broken(String),
}

/// A line of a watch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Row {
    /// An event.
    Event(Arc<Event>),
    /// Something that happened to the connection.
    Note(Note),
}

/// Something that happened to a watch's connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Note {
    /// Opened anew from a version.
    Resumed(String),
    /// Closed by this page.
    Stopped,
    /// Closed by the server.
    Ended,
    /// Broken, and why.
    Broken(String),
}

impl Watch {
    /// A watch that `request` has just opened.
    pub(crate) fn new(id: u64, cluster: Which, request: Request) -> Self {
        let start = version_of(&request);
        Self {
            id,
            cluster,
            target: request.target.clone(),
            request,
            connection: Connection::Open,
            is_resuming: false,
            theirs: None,
            paused: false,
            rows: VecDeque::new(),
            held: VecDeque::new(),
            waiting: 0,
            received: 0,
            last: start.clone(),
            unmarked: start.clone(),
            start,
            bookmarked: false,
            floods: false,
            in_view: true,
            counted: 0,
            next_row: 0,
            frames: Frames::default(),
        }
    }

    /// A, B, ... Z, AA, ...
    pub(crate) fn letter(&self) -> String {
        let (mut n, mut letters) = (self.id, Vec::new());
        loop {
            letters.push(char::from(b'A' + (n % 26) as u8));
            if n < 26 {
                break;
            }
            n = n / 26 - 1;
        }
        letters.iter().rev().collect()
    }

    /// Takes a chunk of the stream; gives the events in it.
    pub(crate) fn chunk(&mut self, chunk: &[u8], at: f64) -> Vec<Arc<Event>> {
        let frames = self.frames.push(chunk);
        let events = frames.into_iter().filter_map(|frame| Event::read(frame, at).map(Arc::new));
        let events: Vec<Arc<Event>> = events.collect();
        for event in &events {
            self.received += 1;
            if !event.version.is_empty() {
                self.bookmarked = event.kind == EventType::Bookmark;
                self.last = Some(event.version.clone());
                if !self.bookmarked {
                    self.unmarked = self.last.clone();
                }
                self.start.get_or_insert_with(|| event.version.clone());
            }
            self.row(Row::Event(event.clone()));
        }
        events
    }

    /// Closes it, as this page does.
    pub(crate) fn stop(&mut self) {
        self.close(Connection::Stopped, Note::Stopped);
    }

    /// Notes that the stream is over.
    pub(crate) fn ended(&mut self, broken: Option<String>) {
        match broken {
            Some(why) => self.close(Connection::Broken(why.clone()), Note::Broken(why)),
            None => self.close(Connection::Ended, Note::Ended),
        }
    }

    fn close(&mut self, connection: Connection, note: Note) {
        if self.connection == Connection::Open {
            self.connection = connection;
            self.frames = Frames::default();
            self.row(Row::Note(note));
        }
    }

    /// Holds back what comes from being shown, or shows what was held back.
    pub(crate) fn pause(&mut self, paused: bool) {
        self.paused = paused;
        if !paused {
            self.waiting = 0;
            for row in std::mem::take(&mut self.held) {
                self.row(row);
            }
        }
    }

    /// The request that goes on from the last version seen, or from the last that was seen by something else than a
    /// bookmark. Where none is known, or it has expired, it is the first request again, without a version.
    pub(crate) fn resumption(&self, bookmarks: bool) -> Request {
        let mut request = self.request.clone();
        let version = if bookmarks { &self.last } else { &self.unmarked };
        let version = version.as_deref().filter(|_| !self.expired());
        request.target = target::with(
            &request.target,
            &[("sendInitialEvents", None), ("resourceVersionMatch", None), ("resourceVersion", version)],
        );
        request
    }

    /// Returns the row of a number, if it is still kept.
    pub(crate) fn row_of(&self, number: u64) -> Option<&Row> {
        // They are numbered one after the other.
        let (first, _) = self.rows.front()?;
        let (_, row) = self.rows.get(usize::try_from(number.checked_sub(*first)?).ok()?)?;
        Some(row)
    }

    /// Returns the events that are kept, oldest first.
    pub(crate) fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.rows.iter().filter_map(|(_, row)| match row {
            Row::Event(event) => Some(event.as_ref()),
            Row::Note(_) => None,
        })
    }

    /// Returns whether the server has said that the version to resume from is too old.
    pub(crate) fn expired(&self) -> bool {
        self.events()
            .next_back()
            .is_some_and(|event| event.status.as_ref().is_some_and(|status| status.code == 410))
    }

    /// The newest failure that it has been told of.
    pub(crate) fn failure(&self) -> Option<&Status> {
        self.events().rev().find_map(|event| event.status.as_deref())
    }

    /// Notes that `request` has opened it anew.
    pub(crate) fn resumed(&mut self, request: &Request) {
        self.connection = Connection::Open;
        self.frames = Frames::default();
        self.target.clone_from(&request.target);
        self.last = version_of(request);
        self.bookmarked = self.last != self.unmarked && self.last.is_some();
        if self.last.is_none() {
            self.unmarked = None;
        }
        self.row(Row::Note(Note::Resumed(self.last.clone().unwrap_or_default())));
    }

    /// Finds out whether more has come since this was last asked than anybody can follow.
    pub(crate) fn count(&mut self) {
        self.floods = self.received - self.counted > FLOOD;
        self.counted = self.received;
    }

    /// Adds a row, or holds it back while it is paused.
    pub(crate) fn row(&mut self, row: Row) {
        if self.paused {
            self.waiting += 1;
            self.held.push_back(row);
            if self.held.len() > KEPT {
                self.held.pop_front();
            }
            return;
        }
        self.rows.push_back((self.next_row, row));
        self.next_row += 1;
        if self.rows.len() > KEPT {
            self.rows.pop_front();
        }
    }
}

/// The version that a request names, if it names one to begin from.
pub(crate) fn version_of(request: &Request) -> Option<String> {
    let (_, params) = target::split(&request.target);
    let version = params.into_iter().find(|(name, _)| name == "resourceVersion")?.1;
    (!matches!(version.as_str(), "" | "0")).then_some(version)
}

/// Shortens a target: leaves out the prefix of its API, `namespaces/`, and the parameters that say no more than that it is a watch.
pub(crate) fn short(uri: &str) -> String {
    let (path, params) = target::split(uri);
    let path = path.trim_start_matches("/apis/").trim_start_matches("/api/v1/").replace("namespaces/", "");
    let rest: Vec<String> = params
        .into_iter()
        .filter(|(name, _)| !matches!(name.as_str(), "watch" | "allowWatchBookmarks" | "resourceVersion"))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    [vec![path], rest].concat().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(target: &str) -> Watch {
        Watch::new(0, Which::ThisTab, Request::get(target))
    }

    fn event(kind: &str, name: &str, version: u32) -> Vec<u8> {
        format!(
            r#"{{"type":"{kind}","object":{{"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default","resourceVersion":"{version}"}}}}}}{}"#,
            "\n"
        )
        .into_bytes()
    }

    const GONE: &[u8] = br#"{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (10240)","reason":"Expired","code":410}}"#;

    fn shown(watch: &Watch) -> Vec<String> {
        watch
            .rows
            .iter()
            .map(|(_, row)| match row {
                Row::Event(event) => format!("{} {} {}", event.kind.name(), event.name, event.version),
                Row::Note(note) => format!("{note:?}"),
            })
            .collect()
    }

    #[test]
    fn events_come_in_order_however_they_are_cut() {
        let mut w = watch("/p?watch=true");
        let stream = [event("ADDED", "a", 7), event("BOOKMARK", "", 9)].concat();
        for chunk in stream.chunks(50) {
            w.chunk(chunk, 1.0);
        }
        assert_eq!(shown(&w), ["ADDED a 7", "BOOKMARK  9"]);
        assert_eq!((w.received, w.last.as_deref(), w.bookmarked), (2, Some("9"), true));
        assert_eq!(w.start.as_deref(), Some("7"));
    }

    #[test]
    fn resumes_from_the_last_version_it_saw() {
        let mut w =
            watch("/p?watch=true&resourceVersion=5&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
        assert_eq!(w.resumption(true).target, "/p?watch=true&resourceVersion=5");
        w.chunk(&event("MODIFIED", "a", 8), 1.0);
        w.stop();
        w.ended(None);
        let request = w.resumption(true);
        assert_eq!(request.target, "/p?watch=true&resourceVersion=8");
        w.resumed(&request);
        assert_eq!(shown(&w), ["MODIFIED a 8", "Stopped", "Resumed(\"8\")"]);
        assert_eq!(w.connection, Connection::Open);
    }

    #[test]
    fn knows_where_it_would_resume_without_bookmarks() {
        let mut w = watch("/p?watch=true&resourceVersion=5");
        assert_eq!((w.last.as_deref(), w.unmarked.as_deref()), (Some("5"), Some("5")));
        w.chunk(&[event("MODIFIED", "a", 8), event("BOOKMARK", "", 12)].concat(), 1.0);
        w.stop();
        let targets = [true, false].map(|bookmarks| w.resumption(bookmarks).target);
        assert_eq!(targets, ["/p?watch=true&resourceVersion=12", "/p?watch=true&resourceVersion=8"]);
        w.resumed(&w.resumption(true));
        assert_eq!((w.last.as_deref(), w.unmarked.as_deref(), w.bookmarked), (Some("12"), Some("8"), true));
        w.stop();
        w.resumed(&w.resumption(false));
        assert_eq!((w.last.as_deref(), w.bookmarked), (Some("8"), false));
    }

    #[test]
    fn knows_a_flood() {
        let mut w = watch("/p?watch=true");
        for version in 0..20 {
            w.chunk(&event("MODIFIED", "a", version), 1.0);
        }
        w.count();
        assert!(w.floods);
        w.count();
        assert!(!w.floods);
    }

    #[test]
    fn what_has_expired_begins_anew() {
        let mut w = watch("/p?watch=true&resourceVersion=1");
        w.chunk(GONE, 1.0);
        w.ended(None);
        assert!(w.expired());
        assert_eq!(w.resumption(true).target, "/p?watch=true");
        let (_, Row::Event(error)) = &w.rows[0] else { panic!("{:?}", w.rows) };
        assert_eq!(error.status.as_ref().map(|status| status.reason.as_str()), Some("Expired"));
    }

    #[test]
    fn a_pause_holds_back_and_loses_nothing() {
        let mut w = watch("/p?watch=true");
        w.pause(true);
        w.chunk(&event("ADDED", "a", 7), 1.0);
        assert_eq!((shown(&w).len(), w.waiting, w.last.as_deref()), (0, 1, Some("7")));
        w.pause(false);
        assert_eq!((shown(&w).len(), w.waiting), (1, 0));
    }

    #[test]
    fn keeps_the_newest() {
        let mut w = watch("/p?watch=true");
        for version in 1..=300 {
            w.chunk(&event("MODIFIED", "a", version), 1.0);
        }
        assert_eq!(w.rows.len(), KEPT);
        assert_eq!(shown(&w)[0], "MODIFIED a 101");
        assert_eq!((w.received, w.rows[0].0), (300, 100));
        let versions = [99, 100, 299, 300].map(|number| match w.row_of(number)? {
            Row::Event(event) => Some(event.version.as_str()),
            Row::Note(_) => None,
        });
        assert_eq!(versions, [None, Some("101"), Some("300"), None]);
    }

    #[test]
    fn letters_go_on_after_z() {
        let letters = |id| Watch::new(id, Which::Remote, Request::default()).letter();
        assert_eq!([0, 25, 26, 51, 52, 701, 702].map(letters), ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn targets_are_short() {
        assert_eq!(short("/api/v1/namespaces/default/pods?watch=true&resourceVersion=5"), "default/pods");
        assert_eq!(
            short("/apis/apps/v1/deployments?watch=1&labelSelector=a=b"),
            "apps/v1/deployments labelSelector=a=b"
        );
    }

    #[test]
    fn what_is_no_event_is_passed_over() {
        let mut w = watch("/p?watch=true");
        assert!(w.chunk(b"{\"a\":1}{\"type\":\"X\",\"object\":{}}", 1.0).is_empty());
        assert_eq!(w.received, 0);
    }
}
