//! The decisions of a reflector, to be read by people.

use std::collections::VecDeque;
use std::time::Duration;

use super::why::Why;

/// How many decisions are kept.
pub(crate) const KEPT: usize = 200;

/// A decision of a reflector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Ask for a list.
    List {
        /// The version asked for: `0` is any, an empty one the newest.
        version: String,
        /// The most objects in one page; 0 is all of them.
        limit: u32,
        /// The reason that made it necessary; nothing, the first time.
        why: Option<Why>,
    },
    /// Ask for a list as a stream.
    StreamList {
        /// The version that must have been reached; an empty one is the newest.
        version: String,
        /// The reason that made it necessary; nothing, the first time.
        why: Option<Why>,
    },
    /// Ask for a list after all, not for a stream.
    FallBack(Why),
    /// Ask for the next page, after so many objects.
    NextPage(usize),
    /// Ask for the whole list, for the version of its pages has expired.
    WholeList,
    /// Take what came as the new copy.
    Synced {
        /// The version of the whole.
        version: String,
        /// How many objects it has.
        objects: usize,
    },
    /// Watch.
    Watch {
        /// The version after which the events begin.
        version: String,
        /// The reason why the watch before ended; nothing, after a list.
        why: Option<Why>,
    },
    /// Wait before the next request.
    Wait {
        /// For how long.
        pause: Duration,
        /// The failure.
        why: Why,
    },
}

/// The newest decisions, at most [`KEPT`], each with the time when it was made.
#[derive(Debug, Default)]
pub(crate) struct Log {
    kept: VecDeque<(Duration, Decision)>,
    /// How many older ones are no longer kept.
    dropped: u64,
}

impl Log {
    /// Adds a decision.
    pub(super) fn push(&mut self, now: Duration, decision: Decision) {
        self.kept.push_back((now, decision));
        if self.kept.len() > KEPT {
            self.kept.pop_front();
            self.dropped += 1;
        }
    }

    /// The decisions, oldest first, each with its number: 0 is the first that was ever made.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &Duration, &Decision)> {
        let kept = self.kept.iter().enumerate();
        kept.map(|(place, (at, decision))| (self.dropped + place as u64, at, decision))
    }

    /// The decision of this number, if it is kept, and the time when it was made.
    pub(crate) fn get(&self, number: u64) -> Option<&(Duration, Decision)> {
        self.kept.get(usize::try_from(number.checked_sub(self.dropped)?).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_newest() {
        let mut log = Log::default();
        for objects in 0..KEPT + 3 {
            log.push(Duration::ZERO, Decision::NextPage(objects));
        }
        assert_eq!(log.iter().count(), KEPT);
        let oldest = (3, &Duration::ZERO, &Decision::NextPage(3));
        assert_eq!(log.iter().next(), Some(oldest));
        assert_eq!((log.get(2), log.get(3)), (None, Some(&(Duration::ZERO, Decision::NextPage(3)))));
    }
}
