//! When old revisions are forgotten.

use std::time::Duration;

use store::Revision;

/// How long a cluster keeps its history, and how much of it.
///
/// <https://etcd.io/docs/v3.6/op-guide/maintenance/#history-compaction-v3-api-key-value-database>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// By age: so often the store is compacted to the revision that was the newest one the time before, but not the first
    /// time. So what is kept is between once and twice as old. `None`: nothing is too old.
    pub every: Option<Duration>,
    /// By count: so many revisions are kept. `None`: all of them.
    pub keep: Option<u64>,
}

impl Default for Compaction {
    /// Every five minutes, as kube-apiserver has its etcd compacted.
    fn default() -> Self {
        Self { every: Some(Duration::from_secs(300)), keep: None }
    }
}

/// Keeps the time of compactions.
#[derive(Debug)]
pub(crate) struct Compactor {
    settings: Compaction,
    /// When it next compacts by age, since the Unix epoch.
    next: Duration,
    /// The newest revision after the last round; `None` before the first one, which compacts nothing.
    noted: Option<Revision>,
}

/// A round of compaction by age: kube-apiserver first writes to a key of its own, `compact_rev_key`, which makes a revision
/// without an object, so that revisions of a cluster where nothing happens become old, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    /// The newest revision after that write.
    pub revision: Revision,
    /// The revision to compact to.
    pub compact: Option<Revision>,
}

impl Compactor {
    pub(crate) fn new(settings: Compaction, now: Duration) -> Self {
        let next = settings.every.map_or(Duration::MAX, |every| now.saturating_add(every));
        Self { settings, next, noted: None }
    }

    /// Returns the round that is due at `now`, if the newest revision has been `revision` since this was asked last. Of several
    /// rounds that are due, it is the last two.
    pub(crate) fn by_age(&mut self, now: Duration, revision: Revision) -> Option<Round> {
        let every = self.settings.every.filter(|every| !every.is_zero())?;
        // A clock that was set back does not put it off.
        self.next = self.next.min(now.saturating_add(every));
        if now < self.next {
            return None;
        }
        let missed = (now - self.next).as_nanos() / every.as_nanos();
        let newest = revision + if missed == 0 { 1 } else { 2 };
        let compact = if missed == 0 { self.noted } else { Some(newest - 1) };
        let passed =
            u32::try_from(missed).map(|missed| self.next.saturating_add(every.saturating_mul(missed)));
        self.next = passed.unwrap_or(now).saturating_add(every);
        self.noted = Some(newest);
        Some(Round { revision: newest, compact })
    }

    /// To which revision the number of revisions has the store compacted, whose newest one is `revision`.
    pub(crate) fn by_count(&self, revision: Revision) -> Option<Revision> {
        revision.checked_sub(self.settings.keep?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(revision: Revision, compact: Option<Revision>) -> Option<Round> {
        Some(Round { revision, compact })
    }

    /// Asks at each (second, revision), and expects the round.
    #[track_caller]
    fn check(asked: &[(u64, Revision, Option<Round>)]) {
        let settings = Compaction { every: Some(Duration::from_secs(300)), keep: None };
        let mut compactor = Compactor::new(settings, Duration::ZERO);
        for &(second, revision, expected) in asked {
            assert_eq!(compactor.by_age(Duration::from_secs(second), revision), expected, "at {second} s");
        }
    }

    #[test]
    fn what_was_new_at_the_last_round_is_the_oldest_that_is_kept() {
        check(&[
            (299, 20, None),
            (300, 20, round(21, None)),
            (301, 30, None),
            (599, 30, None),
            (600, 30, round(31, Some(21))),
        ]);
    }

    #[test]
    fn where_nothing_happens_revisions_become_old() {
        check(&[(300, 20, round(21, None)), (600, 21, round(22, Some(21))), (900, 22, round(23, Some(22)))]);
    }

    #[test]
    fn rounds_that_nobody_saw_are_made_up_for() {
        check(&[
            (899, 20, round(22, Some(21))),
            (900, 25, round(26, Some(22))),
            (1199, 30, None),
            (1200, 30, round(31, Some(26))),
            (9000, 31, round(33, Some(32))),
            (9299, 33, None),
        ]);
    }

    #[test]
    fn a_clock_that_is_set_back_puts_nothing_off() {
        check(&[
            (9000, 20, round(22, Some(21))),
            (10, 22, None),
            (309, 22, None),
            (310, 22, round(23, Some(22))),
        ]);
    }

    #[test]
    fn no_time_is_too_long() {
        let every = Duration::from_nanos(1);
        let mut compactor = Compactor::new(Compaction { every: Some(every), keep: None }, Duration::ZERO);
        assert_eq!(compactor.by_age(Duration::MAX, 20), round(22, Some(21)));
    }

    #[test]
    fn by_count() {
        let compactor = |keep| Compactor::new(Compaction { every: None, keep }, Duration::ZERO);
        assert_eq!(compactor(Some(100)).by_count(1_000), Some(900));
        assert_eq!(compactor(Some(100)).by_count(50), None);
        assert_eq!(compactor(None).by_count(1_000), None);
        assert_eq!(compactor(None).by_age(Duration::MAX, 1_000), None);
    }
}
