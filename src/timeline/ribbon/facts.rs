//! The visible facts of a cluster besides its writes: watches, API servers, pins.

use std::rc::Rc;

use glass::{Glass, Lane};
use protocol::trace::{ServerInfo, Snapshot};

use crate::cluster::Which;
use crate::model::watch::{Connection, Watch, short};
use crate::state::Model;
use crate::state::feeding::News;
use crate::timeline::ribbon::scale::Bounds;
use crate::ui::messages::ribbon as words;

/// The most lanes of pins.
const PINS: usize = 6;

/// The visible facts of a cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The oldest and the newest revision.
    pub(crate) bounds: Bounds,
    /// The floor: revisions older than this have been compacted.
    pub(crate) floor: u64,
    /// The API servers.
    pub(crate) servers: Vec<Server>,
    /// The watches, oldest first.
    pub(crate) watches: Vec<WatchLine>,
    /// The revisions that continue tokens have pinned, oldest first.
    pub(crate) pins: Vec<Pin>,
}

/// An API server's caches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Server {
    /// The API server's number.
    pub(crate) number: usize,
    /// The lowest revision that one of them has.
    pub(crate) revision: u64,
    /// How far that is behind the store.
    pub(crate) behind: u64,
    /// Which revisions the last reads saw, oldest first.
    pub(crate) reads: Vec<u64>,
    /// The newest revision that a read had seen before the last one, if that saw an older one.
    pub(crate) back: Option<u64>,
}

/// A watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WatchLine {
    /// The watch's number in this page.
    pub(crate) id: u64,
    /// The watch's letter.
    pub(crate) letter: Rc<str>,
    /// The collection or objects that it watches.
    pub(crate) about: Rc<str>,
    /// The revision at which it began.
    pub(crate) start: u64,
    /// How far it has looked.
    pub(crate) looked: u64,
    /// From where it would go on: its last event or bookmark.
    pub(crate) resume: u64,
    /// How many events it was sent, and how many not.
    pub(crate) sent: u64,
    pub(crate) filtered: u64,
    /// How many writes it has still to look at; `None` where nobody knows. What is written to other collections is none of them.
    pub(crate) lag: Option<u64>,
    /// The revision up to which these were counted.
    pub(crate) counted: u64,
    /// True if it is open.
    pub(crate) open: bool,
    /// True if it was told 410 Gone.
    pub(crate) gone: bool,
}

/// A revision that continue tokens of a list have pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    /// The revision.
    pub(crate) revision: u64,
    /// The collection that is listed.
    pub(crate) collection: Rc<str>,
    /// How many objects the newest of the tokens still leads to, if that is known.
    pub(crate) remaining: Option<u64>,
    /// True if the revision has been compacted.
    pub(crate) expired: bool,
}

impl Facts {
    /// Looks at a cluster whose newest revision and floor are these. Words are kept from the last time.
    pub(crate) fn gather(&mut self, model: &Model, which: Which, (head, floor): (u64, u64)) {
        let history = model.history(which);
        let oldest = history.writes().front().map_or(head, |write| write.revision);
        self.bounds = Bounds { oldest: oldest.max(1), head };
        self.floor = floor;
        let known = std::mem::take(&mut self.watches);
        let watches = model.watches.iter().filter(|watch| watch.cluster == which);
        let lanes = |watch: &Watch| model.lane(watch.id);
        let glass = model.glass(which);
        let lines = watches.filter_map(|watch| Some(line(watch, lanes(watch)?, glass, &known)));
        self.watches = lines.collect();
        self.servers.clear();
        self.pins.clear();
        if which == Which::ThisTab {
            let glass = model.glass(which);
            self.servers.extend(servers(glass.servers(), &model.news, head));
            pins(glass.snapshots(), &mut self.pins);
        }
    }
}

fn line(watch: &Watch, lane: &Lane, glass: &Glass, known: &[WatchLine]) -> WatchLine {
    let known = known.iter().find(|line| line.id == watch.id);
    let (letter, about) = known.map_or_else(
        || (watch.letter().into(), short(&watch.request.target).into()),
        |line| (line.letter.clone(), line.about.clone()),
    );
    let last = watch.last.as_ref().and_then(|last| last.parse().ok());
    let looked = lane.looked.max(last.unwrap_or_default());
    let start = lane.start.unwrap_or(looked);
    let open = watch.connection == Connection::Open;
    // Until it looks again, only what was written since the last count has to be counted.
    let head = glass.revision();
    let before = known.filter(|line| line.looked == looked && line.counted <= head);
    let before = before.and_then(|line| Some((line.counted, line.lag?)));
    let (from, before) = before.unwrap_or((looked, 0));
    // An event may come before the trace tells of its write.
    let from = from.max(looked);
    let number = lane.number.filter(|_| open && watch.cluster == Which::ThisTab);
    let lag = number.and_then(|number| Some(before + glass.concerning(number, from)?));
    let (sent, filtered, gone) = (lane.sent, lane.filtered, lane.gone);
    WatchLine {
        id: watch.id,
        letter,
        about,
        start,
        looked,
        resume: last.unwrap_or(start),
        sent,
        filtered,
        lag,
        counted: head,
        open,
        gone,
    }
}

fn servers<'a>(infos: &'a [ServerInfo], news: &'a News, head: u64) -> impl Iterator<Item = Server> + 'a {
    let newest = news.reads.back().copied();
    let before = news.reads.iter().rev().skip(1).map(|(_, revision)| *revision).max().unwrap_or_default();
    infos.iter().map(move |info: &ServerInfo| {
        let revision = info.behind.iter().map(|(_, revision)| *revision).min().unwrap_or(head);
        let reads = news.reads.iter().filter(|(server, _)| *server == info.number);
        let mine = newest.filter(|(server, revision)| *server == info.number && *revision < before);
        Server {
            number: info.number,
            revision,
            behind: head.saturating_sub(revision),
            reads: reads.map(|(_, revision)| *revision).collect(),
            back: mine.map(|_| before),
        }
    })
}

/// A line for each list that is being read in pages.
fn pins(snapshots: &[Snapshot], pins: &mut Vec<Pin>) {
    for snapshot in snapshots {
        let collection = snapshot.collection.trim_start_matches("/registry/").trim_end_matches('/');
        let known =
            pins.iter().position(|pin| pin.revision == snapshot.revision && *pin.collection == *collection);
        known.map(|at| pins.remove(at));
        pins.push(Pin {
            revision: snapshot.revision,
            collection: collection.into(),
            remaining: snapshot.remaining.and_then(|remaining| u64::try_from(remaining).ok()),
            expired: snapshot.expired,
        });
    }
    pins.drain(..pins.len().saturating_sub(PINS));
}

impl Server {
    /// Returns the API server's label.
    pub(crate) fn label(&self) -> String {
        words::server(self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn snapshot(revision: u64, remaining: usize) -> Snapshot {
        Snapshot {
            revision,
            collection: "/registry/pods/default/".to_owned(),
            start: String::new(),
            remaining: Some(remaining),
            at: Duration::ZERO,
            expired: false,
        }
    }

    #[test]
    fn a_list_in_pages_has_one_line_and_its_newest_token_counts() {
        let mut lines = Vec::new();
        pins(&[snapshot(5, 3), snapshot(9, 4), snapshot(5, 2)], &mut lines);
        let got: Vec<_> = lines.iter().map(|pin| (pin.revision, pin.remaining)).collect();
        assert_eq!(got, [(9, Some(4)), (5, Some(2))]);
        lines.clear();
        pins(&(1..20).map(|revision| snapshot(revision, 1)).collect::<Vec<_>>(), &mut lines);
        assert_eq!((lines.len(), lines[0].revision), (PINS, 14));
    }

    #[test]
    fn a_server_that_is_behind_may_read_back_in_time() {
        let info = |number, behind: &[u64]| ServerInfo {
            number,
            behind: behind.iter().map(|revision| ("pods".to_owned(), *revision)).collect(),
            ..ServerInfo::default()
        };
        let infos = [info(0, &[]), info(1, &[7, 5])];
        let mut news = News::default();
        news.reads.extend([(0, 9), (1, 5)]);
        let lines: Vec<Server> = servers(&infos, &news, 9).collect();
        assert_eq!((lines[0].revision, lines[0].behind, lines[0].back), (9, 0, None));
        assert_eq!((lines[1].revision, lines[1].behind, lines[1].back), (5, 4, Some(9)));
        assert_eq!((&lines[0].reads[..], &lines[1].reads[..]), (&[9][..], &[5][..]));
    }
}
