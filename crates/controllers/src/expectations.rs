//! Expectations: the pods that a controller has made and deleted, and has not heard of yet. Before it has, its copy of the pods is too
//! old to decide by.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// The time after which nothing is expected any more: something must have got lost.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The expected changes, by the keys of objects that keep pods.
#[derive(Default)]
pub(crate) struct Expectations(HashMap<String, Expected>);

struct Expected {
    creations: usize,
    /// The keys of the pods.
    deletions: BTreeSet<String>,
    since: Duration,
}

impl Expectations {
    /// Expects so many pods to appear.
    pub(crate) fn expect_creations(&mut self, key: &str, creations: usize, now: Duration) {
        self.expect(key, creations, BTreeSet::new(), now);
    }

    /// Expects so many pods to appear, and these to go.
    pub(crate) fn expect(&mut self, key: &str, creations: usize, deletions: BTreeSet<String>, now: Duration) {
        self.0.insert(key.to_owned(), Expected { creations, deletions, since: now });
    }

    /// Expects these pods to go.
    pub(crate) fn expect_deletions(&mut self, key: &str, deletions: BTreeSet<String>, now: Duration) {
        self.expect(key, 0, deletions, now);
    }

    /// Notes that a pod has appeared, or never will.
    pub(crate) fn creation_observed(&mut self, key: &str) {
        if let Some(expected) = self.0.get_mut(key) {
            expected.creations = expected.creations.saturating_sub(1);
        }
    }

    /// Notes that a pod has gone, or never will.
    pub(crate) fn deletion_observed(&mut self, key: &str, pod: &str) {
        if let Some(expected) = self.0.get_mut(key) {
            expected.deletions.remove(pod);
        }
    }

    /// Reports whether there is nothing to wait for.
    pub(crate) fn are_met(&self, key: &str, now: Duration) -> bool {
        self.0.get(key).is_none_or(|expected| {
            let all = expected.creations == 0 && expected.deletions.is_empty();
            all || now.saturating_sub(expected.since) > TIMEOUT
        })
    }

    /// Forgets an object.
    pub(crate) fn forget(&mut self, key: &str) {
        self.0.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_not_waited_for_forever() {
        let mut expectations = Expectations::default();
        let now = Duration::from_secs(10);
        expectations.expect_creations("a", 2, now);
        expectations.creation_observed("a");
        assert!(!expectations.are_met("a", now + TIMEOUT));
        assert!(expectations.are_met("a", now + TIMEOUT + Duration::from_nanos(1)));
        expectations.expect_deletions("a", BTreeSet::from(["p".to_owned()]), now);
        expectations.deletion_observed("a", "other");
        assert!(!expectations.are_met("a", now));
        expectations.deletion_observed("a", "p");
        assert!(expectations.are_met("a", now));
    }
}
