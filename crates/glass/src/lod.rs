//! The marks of a lane at every level of detail. A level has a bucket for each 4, 16, 64, ... revisions, which counts what
//! is in them, so that no lane needs more than a cell for a few pixels, however many revisions it shows.

use std::collections::VecDeque;

use protocol::trace::EventType;

/// The number of kinds of marks: those of [`EventType`], and what a watch was not sent.
pub const KINDS: usize = 6;
/// The kind of what a watch was not sent.
pub const FILTERED: usize = 5;
/// The number of levels above the marks themselves. A bucket of the last one has 1,048,576 revisions.
const LEVELS: usize = 10;

/// The number of marks of each kind.
pub type Counts = [u32; KINDS];

/// The number of a kind; `None` is what a watch was not sent.
pub fn kind(sent: Option<EventType>) -> u8 {
    match sent {
        Some(EventType::Added) => 0,
        Some(EventType::Modified) => 1,
        Some(EventType::Deleted) => 2,
        Some(EventType::Bookmark) => 3,
        Some(EventType::Error) => 4,
        None => FILTERED as u8,
    }
}

/// The marks in a stretch of revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The first revision of the stretch, divided by its length.
    place: u64,
    /// The number of all marks.
    pub counts: Counts,
}

/// The marks of a lane.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    marks: VecDeque<(u64, u8)>,
    levels: [VecDeque<Bucket>; LEVELS],
}

/// The level whose buckets are at least `least` pixels wide where a revision has `step`.
pub fn level(step: f64, least: f64) -> usize {
    let (mut level, mut width) = (0, step);
    while width < least && level < LEVELS {
        width *= 4.0;
        level += 1;
    }
    level
}

/// Returns the number of revisions of a bucket of a level.
pub fn span(level: usize) -> u64 {
    1 << (2 * level)
}

impl Pyramid {
    /// Takes a mark. Nearly all come in the order of revisions; one that does not finds its place.
    pub fn add(&mut self, revision: u64, kind: u8) {
        let mark = (revision, kind);
        let at = match self.marks.back() {
            Some(last) if *last > mark => self.marks.partition_point(|known| *known <= mark),
            _ => self.marks.len(),
        };
        self.marks.insert(at, mark);
        for (buckets, level) in self.levels.iter_mut().zip(1..) {
            let place = revision / span(level);
            let at = match buckets.back() {
                Some(last) if last.place == place => buckets.len() - 1,
                Some(last) if last.place > place => buckets.partition_point(|bucket| bucket.place < place),
                _ => buckets.len(),
            };
            if buckets.get(at).is_none_or(|bucket| bucket.place != place) {
                buckets.insert(at, Bucket { place, counts: Counts::default() });
            }
            if let Some(count) =
                buckets.get_mut(at).and_then(|bucket| bucket.counts.get_mut(usize::from(kind)))
            {
                *count += 1;
            }
        }
    }

    /// Forgets the oldest mark.
    pub fn forget_oldest(&mut self) {
        let Some((_, kind)) = self.marks.pop_front() else { return };
        for buckets in &mut self.levels {
            let Some(oldest) = buckets.front_mut() else { continue };
            if let Some(count) = oldest.counts.get_mut(usize::from(kind)) {
                *count = count.saturating_sub(1);
            }
            if oldest.counts == Counts::default() {
                buckets.pop_front();
            }
        }
    }

    /// Returns the number of marks.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.marks.len()
    }

    /// The marks from one revision to another, with the numbers of their kinds.
    pub fn marks(&self, from: u64, to: u64) -> impl DoubleEndedIterator<Item = (u64, u8)> {
        let first = self.marks.partition_point(|(revision, _)| *revision < from);
        let end = self.marks.partition_point(|(revision, _)| *revision <= to);
        self.marks.range(first..end.max(first)).copied()
    }

    /// The buckets of a level that have something from one revision to another: the first revision of each, and how
    /// many marks there are. On level 0 each revision that has marks is a bucket.
    pub fn buckets(&self, level: usize, from: u64, to: u64, mut each: impl FnMut(u64, &Counts)) {
        let Some(buckets) = level.checked_sub(1).and_then(|level| self.levels.get(level)) else {
            let mut counts = Counts::default();
            let mut marks = self.marks(from, to).peekable();
            while let Some((revision, kind)) = marks.next() {
                if let Some(count) = counts.get_mut(usize::from(kind)) {
                    *count += 1;
                }
                if marks.peek().is_none_or(|(next, _)| *next != revision) {
                    each(revision, &counts);
                    counts = Counts::default();
                }
            }
            return;
        };
        let span = span(level);
        let first = buckets.partition_point(|bucket| bucket.place < from / span);
        for bucket in buckets.range(first..).take_while(|bucket| bucket.place <= to / span) {
            each(bucket.place * span, &bucket.counts);
        }
    }

    /// The mark that stands nearest before `revision`, or after it.
    pub fn beside(&self, revision: u64, later: bool, is: impl Fn(u8) -> bool) -> Option<u64> {
        let found = if later {
            self.marks(revision.saturating_add(1), u64::MAX).find(|(_, kind)| is(*kind))
        } else {
            self.marks(0, revision.checked_sub(1)?).rfind(|(_, kind)| is(*kind))
        };
        found.map(|(revision, _)| revision)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sums(pyramid: &Pyramid, level: usize, from: u64, to: u64) -> Counts {
        let mut sums = Counts::default();
        pyramid.buckets(level, from, to, |_, counts| {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        });
        sums
    }

    proptest! {
        #[test]
        fn every_level_has_every_mark(
            mut marks in proptest::collection::vec((0_u64..3000, 0_u8..KINDS as u8), 0..300),
            sorted: bool,
            forget in 0_usize..80,
        ) {
            if sorted {
                marks.sort_unstable();
            }
            let mut pyramid = Pyramid::default();
            marks.iter().for_each(|(revision, kind)| pyramid.add(*revision, *kind));
            (0..forget).for_each(|_| pyramid.forget_oldest());
            marks.sort_unstable();
            marks.drain(..forget.min(marks.len()));
            let mut raw = Counts::default();
            marks.iter().for_each(|(_, kind)| raw[usize::from(*kind)] += 1);
            for level in 0..=LEVELS {
                prop_assert_eq!(sums(&pyramid, level, 0, u64::MAX), raw, "level {}", level);
            }
            let kept: Vec<_> = pyramid.marks(0, u64::MAX).collect();
            prop_assert_eq!(kept, marks);
        }

        #[test]
        fn a_view_never_has_more_cells_than_it_has_room_for(
            revisions in proptest::collection::vec(0_u64..100_000, 0..2000),
            first in 0_u64..100_000,
            length in 1_u64..100_000,
        ) {
            let mut pyramid = Pyramid::default();
            revisions.iter().for_each(|revision| pyramid.add(*revision, 1));
            let step = 900.0 / length as f64;
            let mut cells = 0;
            pyramid.buckets(level(step, 3.0), first, first + length - 1, |_, _| cells += 1);
            prop_assert!(cells <= 300 + 2, "{}", cells);
        }
    }

    #[test]
    fn a_level_is_as_fine_as_can_be_seen() {
        let levels = [26.0, 3.0, 2.9, 0.75, 0.7, 0.01].map(|step| level(step, 3.0));
        assert_eq!(levels, [0, 0, 1, 1, 2, 5]);
        assert_eq!(level(0.0, 3.0), LEVELS);
    }

    #[test]
    fn finds_what_stands_beside() {
        let mut pyramid = Pyramid::default();
        [(5, 1), (7, 3), (9, 1)].into_iter().for_each(|(revision, kind)| pyramid.add(revision, kind));
        let any = |revision, later| pyramid.beside(revision, later, |_| true);
        assert_eq!(
            [any(7, true), any(7, false), any(5, false), any(9, true)],
            [Some(9), Some(5), None, None]
        );
        assert_eq!(pyramid.beside(100, false, |kind| kind == 3), Some(7));
        assert_eq!(pyramid.beside(0, false, |_| true), None);
    }
}
