//! When revisions were made: what a cache that lags may know of.

use std::collections::VecDeque;
use std::time::Duration;

use store::Revision;

/// The times of the newest revisions, as far back as the cache that lags most has to look.
#[derive(Debug, Default)]
pub(crate) struct Commits(VecDeque<(Duration, Revision)>);

impl Commits {
    /// Notes that `revision` was there at `now`, and forgets what is older than `longest`, the longest lag.
    /// Nothing is kept while nobody lags.
    pub(crate) fn note(&mut self, now: Duration, revision: Revision, longest: Duration) {
        if longest.is_zero() {
            self.0.clear();
            return;
        }
        if self.0.back().is_none_or(|(_, newest)| *newest < revision) {
            self.0.push_back((now, revision));
        }
        let horizon = now.saturating_sub(longest);
        while self.0.get(1).is_some_and(|(at, _)| *at <= horizon) {
            self.0.pop_front();
        }
    }

    /// The newest revision that was there at `at`; `None` if that is not known.
    pub(crate) fn at(&self, at: Duration) -> Option<Revision> {
        let count = self.0.partition_point(|(time, _)| *time <= at);
        count.checked_sub(1).and_then(|last| self.0.get(last)).map(|(_, revision)| *revision)
    }

    /// When the first revision above `revision` was made.
    pub(crate) fn first_above(&self, revision: Revision) -> Option<Duration> {
        self.0.get(self.0.partition_point(|(_, known)| *known <= revision)).map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn revisions_are_known_by_their_times() {
        let mut commits = Commits::default();
        for (second, revision) in [(0, 5), (1, 6), (3, 8), (3, 8)] {
            commits.note(second * SECOND, revision, 10 * SECOND);
        }
        let at = |second| commits.at(second * SECOND);
        assert_eq!([at(0), at(1), at(2), at(3), at(9)], [5, 6, 6, 8, 8].map(Some));
        assert_eq!(commits.first_above(6), Some(3 * SECOND));
        assert_eq!(commits.first_above(8), None);
    }

    #[test]
    fn only_what_a_lag_needs_is_kept() {
        let mut commits = Commits::default();
        for (second, revision) in (0..100).zip(1..) {
            commits.note(second * SECOND, revision, 5 * SECOND);
        }
        assert_eq!(commits.0.len(), 6);
        assert_eq!((commits.at(94 * SECOND), commits.at(93 * SECOND)), (Some(95), None));
        commits.note(100 * SECOND, 101, Duration::ZERO);
        assert_eq!(commits.0.len(), 0);
    }
}
