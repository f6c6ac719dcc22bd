//! When old revisions are forgotten.

use std::time::Duration;

use store::Revision;

/// How long a cluster keeps its history, and how much of it.
///
/// <https://etcd.io/docs/v3.6/op-guide/maintenance/#history-compaction-v3-api-key-value-database>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// By age: so often the store is compacted to the revision that was the newest one the time before. So what
    /// is kept is between once and twice as old. `None`: nothing is too old.
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
    /// The newest revision when it last did.
    noted: Revision,
}

impl Compactor {
    pub(crate) fn new(settings: Compaction, now: Duration, revision: Revision) -> Self {
        let next = settings.every.map_or(Duration::MAX, |every| now.saturating_add(every));
        Self { settings, next, noted: revision }
    }

    /// To which revision the age of things at `now` has the store compacted, if its newest revision has been
    /// `revision` since this was asked last.
    pub(crate) fn by_age(&mut self, now: Duration, revision: Revision) -> Option<Revision> {
        let every = self.settings.every.filter(|every| !every.is_zero())?;
        if now < self.next {
            return None;
        }
        let rounds = (now - self.next).as_nanos() / every.as_nanos();
        // Whatever was the newest revision at the first of several rounds was so at the others, too.
        let to = if rounds == 0 { self.noted } else { revision };
        let passed = u32::try_from(rounds + 1).map_or(Duration::MAX, |rounds| every.saturating_mul(rounds));
        self.next = self.next.saturating_add(passed);
        self.noted = revision;
        Some(to)
    }

    /// To which revision the number of revisions has the store compacted, whose newest one is `revision`.
    pub(crate) fn by_count(&self, revision: Revision) -> Option<Revision> {
        revision.checked_sub(self.settings.keep?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks at each (second, revision) and expects what it says.
    #[track_caller]
    fn check(asked: &[(u64, Revision, Option<Revision>)]) {
        let settings = Compaction { every: Some(Duration::from_secs(300)), keep: None };
        let mut compactor = Compactor::new(settings, Duration::ZERO, 10);
        for &(second, revision, expected) in asked {
            assert_eq!(compactor.by_age(Duration::from_secs(second), revision), expected, "at {second} s");
        }
    }

    #[test]
    fn what_was_new_at_the_last_round_is_the_oldest_that_is_kept() {
        check(&[(299, 20, None), (300, 20, Some(10)), (301, 30, None), (599, 30, None), (600, 30, Some(20))]);
    }

    #[test]
    fn rounds_that_nobody_saw_are_made_up_for() {
        check(&[(899, 20, Some(20)), (900, 25, Some(20)), (1199, 30, None), (1200, 30, Some(25))]);
    }

    #[test]
    fn by_count() {
        let compactor = |keep| Compactor::new(Compaction { every: None, keep }, Duration::ZERO, 10);
        assert_eq!(compactor(Some(100)).by_count(1_000), Some(900));
        assert_eq!(compactor(Some(100)).by_count(50), None);
        assert_eq!(compactor(None).by_count(1_000), None);
        assert_eq!(compactor(None).by_age(Duration::MAX, 1_000), None);
    }
}
