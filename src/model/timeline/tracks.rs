//! The rails beside the log, one for each watch, and the cursors: what stands at which revision.

use glass::Lane;
use protocol::trace::{ServerInfo, Snapshot};

use crate::model::watch::{Connection, EventType, Watch};

/// More rails than this are not drawn.
pub(crate) const MOST: usize = 8;

/// How a watch stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Track {
    /// The watch's number in this page.
    pub(crate) watch: u64,
    /// The watch's letter.
    pub(crate) letter: String,
    /// The revision that it began from, if that is known.
    pub(crate) start: Option<u64>,
    /// The revision up to which it has seen everything that concerns it.
    pub(crate) seen: u64,
    /// True if the watch's connection is open.
    pub(crate) open: bool,
    /// The revision of its last bookmark.
    pub(crate) bookmark: Option<u64>,
}

impl Track {
    /// How a watch stands, by what it has brought and by what its lane knows.
    pub(crate) fn of(watch: &Watch, lane: Option<&Lane>) -> Self {
        let number = |version: &Option<String>| version.as_ref().and_then(|version| version.parse().ok());
        let looked = lane.map_or(0, |lane| lane.looked);
        let mut deliveries = lane.into_iter().flat_map(|lane| lane.deliveries().iter().rev().take(4096));
        let bookmark = deliveries.find(|delivered| delivered.sent == Some(EventType::Bookmark));
        Self {
            watch: watch.id,
            letter: watch.letter(),
            start: lane.and_then(|lane| lane.start).or_else(|| number(&watch.start)),
            seen: looked.max(number(&watch.last).unwrap_or_default()),
            open: watch.connection == Connection::Open,
            bookmark: bookmark.map(|delivered| delivered.revision),
        }
    }
}

/// The content of a rail beside a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rail {
    /// The watch had not begun yet, or was over.
    None,
    /// The watch is open, and the write does not concern it.
    Open,
    /// The watch was not sent the event, for its selectors have nothing to do with the object.
    Filtered,
    /// The watch has not looked at the event yet.
    Coming,
    /// The watch was sent the event.
    Sent(EventType),
}

/// Returns what the rail of a watch shows beside the write of `revision`.
pub(crate) fn rail(track: &Track, lane: Option<&Lane>, revision: u64) -> Rail {
    match lane.and_then(|lane| lane.at(revision)).map(|delivered| delivered.sent) {
        Some(Some(event)) => Rail::Sent(event),
        Some(None) => Rail::Filtered,
        None if track.start.is_none_or(|start| revision <= start) => Rail::None,
        None if revision <= track.seen => Rail::Open,
        None if track.open => Rail::Coming,
        None => Rail::None,
    }
}

/// The watches that have a rail: the open ones first, then the newest of the others, but in the order in which they
/// began.
pub(crate) fn railed(tracks: &[Track]) -> Vec<Track> {
    let open = tracks.iter().rev().filter(|track| track.open);
    let closed = tracks.iter().rev().filter(|track| !track.open);
    let chosen: Vec<u64> = open.chain(closed).take(MOST).map(|track| track.watch).collect();
    tracks.iter().filter(|track| chosen.contains(&track.watch)).cloned().collect()
}

/// A mark at a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The newest revision.
    Head,
    /// A watch has seen everything up to here.
    Seen(String),
    /// The last bookmark of a watch.
    Bookmark(String),
    /// So many continue tokens read their pages here.
    Pins(usize),
    /// The watch caches of an API server have come no further: of one resource, or of several.
    Cache {
        /// The number of the API server.
        server: usize,
        /// The resource, if it is one alone.
        resource: Option<String>,
    },
}

/// Everything that stands at a revision.
pub(crate) fn marks(
    head: u64,
    tracks: &[Track],
    pins: &[Snapshot],
    servers: &[ServerInfo],
) -> Vec<(u64, Mark)> {
    let mut marks = vec![(head, Mark::Head)];
    for track in tracks {
        if track.seen > 0 {
            marks.push((track.seen, Mark::Seen(track.letter.clone())));
        }
        if let Some(revision) = track.bookmark {
            marks.push((revision, Mark::Bookmark(track.letter.clone())));
        }
    }
    for pin in pins.iter().filter(|pin| !pin.expired) {
        let same = marks.iter_mut().find_map(|(revision, mark)| match mark {
            Mark::Pins(count) if *revision == pin.revision => Some(count),
            _ => None,
        });
        match same {
            Some(count) => *count += 1,
            None => marks.push((pin.revision, Mark::Pins(1))),
        }
    }
    for server in servers {
        for (at, (resource, revision)) in server.behind.iter().enumerate() {
            let alike = |(_, known): &&(String, u64)| known == revision;
            if server.behind[..at].iter().any(|known| alike(&known)) {
                continue;
            }
            let alone = server.behind.iter().filter(alike).count() == 1;
            let resource = alone.then(|| resource.clone());
            marks.push((*revision, Mark::Cache { server: server.number, resource }));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::{Request, Which};
    use EventType::{Added, Bookmark, Modified};
    use protocol::trace::Delivery;

    fn track(watch: u64, start: u64, seen: u64, open: bool) -> Track {
        let letter = char::from(b'A' + watch as u8).to_string();
        Track { watch, letter, start: Some(start), seen, open, bookmark: None }
    }

    fn lane(deliveries: &[(u64, Option<EventType>)]) -> Lane {
        let mut lane = Lane::new(0);
        deliveries
            .iter()
            .for_each(|(revision, sent)| lane.push(Delivery { revision: *revision, sent: *sent }));
        lane
    }

    #[test]
    fn a_rail_begins_and_ends() {
        let lane = lane(&[(3, Some(Added)), (12, Some(Modified)), (13, None), (14, Some(Bookmark))]);
        let at = |open, revision| rail(&track(0, 10, 15, open), Some(&lane), revision);
        let shown = [2, 3, 10, 11, 12, 13, 14, 15, 16].map(|revision| at(true, revision));
        use Rail::{Coming, Filtered, Open, Sent};
        assert_eq!(
            shown,
            [Rail::None, Sent(Added), Rail::None, Open, Sent(Modified), Filtered, Open, Open, Coming]
        );
        assert_eq!(at(false, 16), Rail::None);
        assert_eq!(rail(&Track { start: None, ..track(0, 0, 9, true) }, None, 5), Rail::None);
    }

    #[test]
    fn reads_where_a_watch_stands() {
        let mut watch =
            Watch::new(1, Which::ThisTab, Request::get("/api/v1/pods?watch=true&resourceVersion=5"));
        let frame = br#"{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"8"}}}"#;
        watch.chunk(frame, 0.0);
        let lane = lane(&[(8, Some(Added)), (9, Some(Bookmark)), (10, Some(Added))]);
        let track = Track::of(&watch, Some(&lane));
        assert_eq!((track.start, track.seen, track.bookmark, track.open), (Some(5), 10, Some(9), true));
        assert_eq!(track.letter, "B");
    }

    #[test]
    fn open_watches_have_their_rails_first() {
        let tracks: Vec<Track> = (0..12).map(|at| track(at, 1, 2, at < 3)).collect();
        let chosen: Vec<u64> = railed(&tracks).iter().map(|track| track.watch).collect();
        assert_eq!(chosen, [0, 1, 2, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn everything_that_stands_somewhere_is_marked() {
        let pin = |revision, expired| Snapshot {
            revision,
            collection: "/registry/pods/".to_owned(),
            start: "x".to_owned(),
            remaining: Some(1),
            at: Duration::ZERO,
            expired,
        };
        let behind = [("pods", 7), ("nodes", 7), ("events", 6)];
        let behind = behind.map(|(resource, revision)| (resource.to_owned(), revision)).to_vec();
        let server = ServerInfo { number: 1, behind, ..ServerInfo::default() };
        let tracks = [Track { bookmark: Some(8), ..track(0, 1, 9, true) }];
        let marks = marks(9, &tracks, &[pin(5, false), pin(5, false), pin(3, true)], &[server]);
        let letter = || "A".to_owned();
        assert_eq!(
            marks,
            [
                (9, Mark::Head),
                (9, Mark::Seen(letter())),
                (8, Mark::Bookmark(letter())),
                (5, Mark::Pins(2)),
                (7, Mark::Cache { server: 1, resource: None }),
                (6, Mark::Cache { server: 1, resource: Some("events".to_owned()) }),
            ]
        );
    }
}
