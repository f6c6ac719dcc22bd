//! The deliveries to each watch, and the events that it was not sent, by revision.

use std::collections::VecDeque;

use protocol::trace::{Delivery, EventType};

use crate::lod::{self, Pyramid};

/// The most deliveries of a watch that are kept.
const KEPT: usize = 100_000;

/// The lane of a watch.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The number of the watch in this page.
    pub watch: u64,
    /// The deliveries, in the order of revisions: events that were sent, and events that were not.
    deliveries: VecDeque<Delivery>,
    /// The number of events that were sent, bookmarks among them.
    pub sent: u64,
    /// The number of events of the collection that were not sent.
    pub filtered: u64,
    /// The revision at which it began, as far as is known; what it was sent of older ones are its initial events.
    pub start: Option<u64>,
    /// Up to which revision it has looked for events.
    pub looked: u64,
    /// `true` once the watch was told 410 Gone.
    pub gone: bool,
    /// The server's number of the connection that is open now, or was last.
    pub number: Option<u64>,
    /// The number of the API server that it goes to, where that is known.
    pub server: Option<usize>,
    /// The deliveries at every level of detail.
    pub line: Pyramid,
}

impl Lane {
    /// The lane of a watch that has just been opened.
    pub fn new(watch: u64) -> Self {
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
            line: Pyramid::default(),
        }
    }

    /// Takes note of the connection that is open from now on, which begins after the revision `from`.
    pub fn opened(&mut self, number: Option<u64>, server: Option<usize>, from: Option<u64>) {
        self.number = number;
        self.server = server;
        self.gone = false;
        self.start = self.start.or(from);
        self.looked = self.looked.max(from.unwrap_or_default());
    }

    /// Takes what the watch was sent and was not, in the order in which it was. An ERROR is no delivery of a revision: it
    /// says that the revision is no longer there.
    pub fn take(&mut self, deliveries: impl IntoIterator<Item = Delivery>) {
        for delivery in deliveries {
            if delivery.sent == Some(EventType::Error) {
                self.gone = true;
            } else {
                self.push(delivery);
            }
        }
    }

    /// The deliveries, in the order of revisions: events that were sent, and events that were not.
    pub fn deliveries(&self) -> &VecDeque<Delivery> {
        &self.deliveries
    }

    /// Takes note of what became of the event of a revision. What is known already changes nothing; initial events,
    /// whose objects are older than what came before them, find their place.
    pub fn push(&mut self, delivery: Delivery) {
        let Delivery { revision, sent } = delivery;
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
        self.deliveries.insert(at, delivery);
        if self.deliveries.len() > KEPT {
            self.deliveries.pop_front();
            self.line.forget_oldest();
        }
    }

    /// Returns the delivery of the event of a revision; a bookmark that stands at the same revision is not it.
    pub fn at(&self, revision: u64) -> Option<Delivery> {
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
            lane.push(Delivery { revision: *revision, sent: *sent });
        }
        lane
    }

    #[test]
    fn stands_in_the_order_of_revisions() {
        let lane =
            lane(&[(9, Some(Added)), (5, Some(Added)), (9, Some(Added)), (9, Some(Bookmark)), (7, None)]);
        let revisions: Vec<u64> = lane.deliveries().iter().map(|delivery| delivery.revision).collect();
        assert_eq!((revisions.as_slice(), lane.filtered), ([5, 7, 9, 9].as_slice(), 1));
    }

    #[test]
    fn takes_what_the_server_says_and_counts_it() {
        let mut lane = lane(&[]);
        lane.opened(None, None, Some(4));
        let deliveries = [(5, Some(Added)), (6, None), (7, Some(Bookmark)), (0, Some(EventType::Error))];
        lane.take(deliveries.map(|(revision, sent)| Delivery { revision, sent }));
        assert_eq!((lane.start, lane.sent, lane.filtered, lane.looked), (Some(4), 2, 1, 7));
        assert!(lane.gone);
        lane.opened(None, None, Some(7));
        assert_eq!((lane.start, lane.gone, lane.line.len()), (Some(4), false, 3));
    }

    #[test]
    fn tells_what_became_of_an_event() {
        let lane = lane(&[(5, Some(Bookmark)), (5, Some(Modified)), (7, None), (8, Some(Bookmark))]);
        let at = |revision| lane.at(revision).map(|delivery| delivery.sent);
        assert_eq!([5, 6, 7, 8].map(at), [Some(Some(Modified)), None, Some(None), None]);
    }
}
