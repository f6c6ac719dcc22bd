//! What each watch was sent, and what it was not, by revision.

use std::collections::VecDeque;

use apiserver::inspect::{Delivery, Served, Verdict};

use crate::timeline::lod::{self, Pyramid};
use crate::watches::model::EventType;

/// How many deliveries of a watch are kept.
const KEPT: usize = 100_000;

/// What became of the event of a revision on its way to a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// The revision.
    pub(crate) revision: u64,
    /// What the watch was sent; `None` if nothing, for its selectors have nothing to do with the object.
    pub(crate) sent: Option<EventType>,
}

/// The lane of a watch.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The number of the watch in this page.
    pub(crate) watch: u64,
    /// What came to it and what did not, in the order of revisions.
    deliveries: VecDeque<Delivered>,
    /// How many events it was sent, bookmarks among them.
    pub(crate) sent: u64,
    /// How many events of its collection it was not sent.
    pub(crate) filtered: u64,
    /// The revision at which it began, as far as is known; what it was sent of older ones are its initial events.
    pub(crate) start: Option<u64>,
    /// Up to which revision it has looked for events.
    pub(crate) looked: u64,
    /// Whether it was told that its revision is no longer there.
    pub(crate) gone: bool,
    /// The server's number of the connection that is open now, or was last.
    pub(crate) number: Option<u64>,
    /// The number of the API server that it goes to, where that is known.
    pub(crate) server: Option<usize>,
    /// How many deliveries of that connection have been taken.
    pub(crate) taken: u64,
    /// Its deliveries at every level of detail.
    pub(crate) line: Pyramid,
}

impl Lane {
    /// The lane of a watch that has just been opened.
    pub(crate) fn new(watch: u64) -> Self {
        Self {
            watch,
            deliveries: VecDeque::new(),
            sent: 0,
            filtered: 0,
            start: None,
            looked: 0,
            gone: false,
            number: None,
            server: None,
            taken: 0,
            line: Pyramid::default(),
        }
    }

    /// Takes note of the connection that is open from now on, which begins after the revision `from`.
    pub(crate) fn opened(&mut self, served: Option<&Served>, from: Option<u64>) {
        self.number = served.and_then(|served| served.watch);
        self.server = served.map(|served| served.server);
        self.taken = 0;
        self.gone = false;
        self.start = self.start.or(from);
        self.looked = self.looked.max(from.unwrap_or_default());
    }

    /// Takes what the server says that it has sent and has not, up to `all` of them.
    pub(crate) fn take(&mut self, all: u64, deliveries: Vec<Delivery>) {
        self.taken = all;
        for Delivery { revision, verdict } in deliveries {
            let sent = match verdict {
                Verdict::Added => Some(EventType::Added),
                Verdict::Modified => Some(EventType::Modified),
                Verdict::Deleted => Some(EventType::Deleted),
                Verdict::Bookmark => Some(EventType::Bookmark),
                Verdict::Error => {
                    self.gone = true;
                    continue;
                }
                Verdict::Filtered => None,
            };
            self.push(Delivered { revision, sent });
        }
    }

    /// What came to it and what did not, in the order of revisions.
    pub(crate) fn deliveries(&self) -> &VecDeque<Delivered> {
        &self.deliveries
    }

    /// Takes note of what became of the event of a revision. What is known already changes nothing; initial events,
    /// whose objects are older than what came before them, find their place.
    pub(crate) fn push(&mut self, delivered: Delivered) {
        let Delivered { revision, sent } = delivered;
        let mut at = self.deliveries.partition_point(|known| known.revision < revision);
        while let Some(known) = self.deliveries.get(at).filter(|known| known.revision == revision) {
            if known.sent == sent {
                return;
            }
            at += 1;
        }
        self.filtered += u64::from(sent.is_none());
        self.sent += u64::from(sent.is_some());
        self.looked = self.looked.max(revision);
        self.line.add(revision, lod::kind(sent));
        self.deliveries.insert(at, delivered);
        if self.deliveries.len() > KEPT {
            self.deliveries.pop_front();
            self.line.forget_oldest();
        }
    }

    /// What became of the event of a revision; a bookmark that stands at the same revision is not it.
    pub(crate) fn at(&self, revision: u64) -> Option<Delivered> {
        let at = self.deliveries.partition_point(|known| known.revision < revision);
        let mut here = self.deliveries.range(at..).take_while(|known| known.revision == revision);
        here.find(|known| known.sent != Some(EventType::Bookmark)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EventType::{Added, Bookmark, Modified};

    fn lane(deliveries: &[(u64, Option<EventType>)]) -> Lane {
        let mut lane = Lane::new(0);
        for (revision, sent) in deliveries {
            lane.push(Delivered { revision: *revision, sent: *sent });
        }
        lane
    }

    #[test]
    fn stands_in_the_order_of_revisions() {
        let lane =
            lane(&[(9, Some(Added)), (5, Some(Added)), (9, Some(Added)), (9, Some(Bookmark)), (7, None)]);
        let revisions: Vec<u64> = lane.deliveries().iter().map(|delivered| delivered.revision).collect();
        assert_eq!((revisions.as_slice(), lane.filtered), ([5, 7, 9, 9].as_slice(), 1));
    }

    #[test]
    fn takes_what_the_server_says_and_counts_it() {
        let mut lane = lane(&[]);
        lane.opened(None, Some(4));
        let deliveries =
            [(5, Verdict::Added), (6, Verdict::Filtered), (7, Verdict::Bookmark), (0, Verdict::Error)];
        lane.take(4, deliveries.map(|(revision, verdict)| Delivery { revision, verdict }).to_vec());
        assert_eq!((lane.start, lane.sent, lane.filtered, lane.looked), (Some(4), 2, 1, 7));
        assert!(lane.gone && lane.taken == 4);
        lane.opened(None, Some(7));
        assert_eq!((lane.start, lane.gone, lane.taken, lane.line.len()), (Some(4), false, 0, 3));
    }

    #[test]
    fn tells_what_became_of_an_event() {
        let lane = lane(&[(5, Some(Bookmark)), (5, Some(Modified)), (7, None), (8, Some(Bookmark))]);
        let at = |revision| lane.at(revision).map(|delivered| delivered.sent);
        assert_eq!([5, 6, 7, 8].map(at), [Some(Some(Modified)), None, Some(None), None]);
    }
}
