//! What each watch was sent, and what it was not, by revision.

use std::collections::VecDeque;

use crate::cluster::Which;
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
    /// Where it goes.
    pub(crate) cluster: Which,
    /// What came to it and what did not, in the order of revisions.
    deliveries: VecDeque<Delivered>,
    /// How many events of its collection it was not sent.
    pub(crate) filtered: u64,
}

impl Lane {
    /// The lane of a watch that has just been opened.
    pub(crate) fn new(watch: u64, cluster: Which) -> Self {
        Self { watch, cluster, deliveries: VecDeque::new(), filtered: 0 }
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
        self.deliveries.insert(at, delivered);
        if self.deliveries.len() > KEPT {
            self.deliveries.pop_front();
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
        let mut lane = Lane::new(0, Which::ThisTab);
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
    fn tells_what_became_of_an_event() {
        let lane = lane(&[(5, Some(Bookmark)), (5, Some(Modified)), (7, None), (8, Some(Bookmark))]);
        let at = |revision| lane.at(revision).map(|delivered| delivered.sent);
        assert_eq!([5, 6, 7, 8].map(at), [Some(Some(Modified)), None, Some(None), None]);
    }
}
