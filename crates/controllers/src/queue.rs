//! Work queues: keys of objects that a controller is to look at, each at most once, later ones, and those that failed.
//!
//! The delays are those of client-go: see <https://pkg.go.dev/k8s.io/client-go/util/workqueue>.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use crate::pace::{Bucket, Doubling, Rate, has_come};

/// The delays after failures of an item, unless a controller says otherwise.
pub(crate) const DELAYS: Doubling =
    Doubling { first: Duration::from_millis(5), longest: Duration::from_secs(1000) };

/// The number of items that may be tried again at once, and the time until one more may.
const RETRIES: Rate = Rate { burst: 100, refill: Duration::from_millis(100) };

/// A queue of keys.
pub(crate) struct Queue {
    /// The keys that are due, by their ranks, and within a rank by when they were added.
    ready: BTreeMap<(i64, u64), String>,
    is_ready: HashMap<String, (i64, u64)>,
    /// The ranks of keys that have another than 0.
    ranks: HashMap<String, i64>,
    delayed: BTreeMap<(Duration, u64), String>,
    deadlines: HashMap<String, (Duration, u64)>,
    failures: HashMap<String, u32>,
    /// The keys that wait whoever adds them, and until when.
    held: HashMap<String, Duration>,
    /// The same, by their times.
    held_until: BTreeSet<(Duration, String)>,
    delays: Doubling,
    next: u64,
    retries: Bucket,
    /// The revision of the change that is heard of just now.
    cause: Option<u64>,
    /// The newest revisions that led to keys.
    causes: HashMap<String, u64>,
}

impl Queue {
    /// Makes an empty queue.
    pub(crate) fn new(delays: Doubling) -> Self {
        Self {
            ready: BTreeMap::new(),
            is_ready: HashMap::new(),
            ranks: HashMap::new(),
            delayed: BTreeMap::new(),
            deadlines: HashMap::new(),
            failures: HashMap::new(),
            held: HashMap::new(),
            held_until: BTreeSet::new(),
            delays,
            next: 0,
            retries: Bucket::default(),
            cause: None,
            causes: HashMap::new(),
        }
    }

    /// Sets the revision that leads to the keys that are added from now on; `None` if none does.
    pub(crate) fn set_cause(&mut self, revision: Option<u64>) {
        self.cause = revision;
    }

    /// Takes the newest revision that led to a key, if one did.
    pub(crate) fn take_cause(&mut self, key: &str) -> Option<u64> {
        self.causes.remove(key)
    }

    fn note_cause(&mut self, key: &str) {
        if let Some(cause) = self.cause {
            let known = self.causes.entry(key.to_owned()).or_insert(cause);
            *known = cause.max(*known);
        }
    }

    /// Adds a key, unless it is there already. One that is held comes when it may.
    pub(crate) fn add(&mut self, key: impl Into<String>) {
        let key = key.into();
        self.note_cause(&key);
        if let Some(until) = self.held.get(&key).copied() {
            return self.add_at(key, until);
        }
        self.make_ready(key);
    }

    /// Sets the rank of a key, which counts from when it is next added. Keys of lower ranks come first.
    pub(crate) fn set_rank(&mut self, key: &str, rank: i64) {
        if rank == 0 {
            self.ranks.remove(key);
        } else {
            self.ranks.insert(key.to_owned(), rank);
        }
    }

    /// Adds a key at a time; at the earlier one, if it is to be added already.
    pub(crate) fn add_at(&mut self, key: impl Into<String>, at: Duration) {
        let key = key.into();
        self.note_cause(&key);
        let at = self.held.get(&key).map_or(at, |until| at.max(*until));
        if let Some(known) = self.deadlines.get(&key) {
            if known.0 <= at {
                return;
            }
            self.delayed.remove(known);
        }
        self.next += 1;
        self.deadlines.insert(key.clone(), (at, self.next));
        self.delayed.insert((at, self.next), key);
    }

    /// Removes a key, whenever it is due.
    pub(crate) fn remove(&mut self, key: &str) {
        self.remove_ready(key);
        if let Some(deadline) = self.deadlines.remove(key) {
            self.delayed.remove(&deadline);
        }
    }

    /// Has a key wait until a time: if it is there now, and if it is added before.
    pub(crate) fn hold(&mut self, key: &str, until: Duration) {
        let mut held = self.remove_ready(key);
        if let Some(deadline) = self.deadlines.remove(key) {
            self.delayed.remove(&deadline);
            held = true;
        }
        if let Some(before) = self.held.insert(key.to_owned(), until) {
            self.held_until.remove(&(before, key.to_owned()));
        }
        self.held_until.insert((until, key.to_owned()));
        if held {
            self.add_at(key, until);
        }
    }

    /// Adds a key that has failed, after a delay that grows with each failure, and returns when that is.
    pub(crate) fn add_rate_limited(&mut self, key: &str, now: Duration) -> Duration {
        let failures = self.failures.entry(key.to_owned()).or_default();
        let delay = self.delays.after(*failures);
        *failures = failures.saturating_add(1);
        let at = now.saturating_add(delay.max(self.retries.take(1, &RETRIES, now)));
        self.add_at(key, at);
        at
    }

    /// Forgets that a key has failed.
    pub(crate) fn forget(&mut self, key: &str) {
        self.failures.remove(key);
    }

    /// Returns how often a key has failed.
    pub(crate) fn failures(&self, key: &str) -> u32 {
        self.failures.get(key).copied().unwrap_or_default()
    }

    /// Takes the next key that is due.
    pub(crate) fn pop(&mut self, now: Duration) -> Option<String> {
        self.advance(now);
        let (_, key) = self.ready.pop_first()?;
        self.is_ready.remove(&key);
        Some(key)
    }

    /// Takes a key, if it is due.
    pub(crate) fn take(&mut self, key: &str, now: Duration) -> Option<String> {
        self.advance(now);
        self.remove_ready(key).then(|| key.to_owned())
    }

    fn make_ready(&mut self, key: String) {
        if !self.is_ready.contains_key(&key) {
            self.next += 1;
            let place = (self.ranks.get(&key).copied().unwrap_or_default(), self.next);
            self.is_ready.insert(key.clone(), place);
            self.ready.insert(place, key);
        }
    }

    /// Removes a key from those that are due, and reports whether it was one.
    fn remove_ready(&mut self, key: &str) -> bool {
        let place = self.is_ready.remove(key);
        place.is_some_and(|place| self.ready.remove(&place).is_some())
    }

    /// Reports whether a key is due.
    pub(crate) fn has_due(&mut self, now: Duration) -> bool {
        self.advance(now);
        !self.ready.is_empty()
    }

    /// Returns the number of all keys.
    pub(crate) fn len(&self) -> usize {
        self.ready.len() + self.delayed.keys().filter(|(at, _)| *at < Duration::MAX).count()
    }

    /// Returns the keys in the order of their times, those that are due with none.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&str, Option<Duration>)> {
        let delayed = self.delayed.iter().filter(|((at, _), _)| *at < Duration::MAX);
        let delayed = delayed.map(|((at, _), key)| (key.as_str(), Some(*at)));
        self.ready.values().map(|key| (key.as_str(), None)).chain(delayed)
    }

    /// Makes all keys ready whose time has come.
    fn advance(&mut self, now: Duration) {
        while let Some((_, key)) = self.held_until.first().filter(|(until, _)| has_come(*until, now)).cloned()
        {
            self.held_until.pop_first();
            self.held.remove(&key);
        }
        while let Some(entry) = self.delayed.first_entry().filter(|entry| has_come(entry.key().0, now)) {
            let key = entry.remove();
            self.deadlines.remove(&key);
            // Its time has come; no change has led to that.
            let cause = self.cause.take();
            self.add(key);
            self.cause = cause;
        }
    }

    /// Returns the time at which the next key is due; `None` if none is delayed.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.delayed.keys().next().map(|(at, _)| *at).filter(|at| *at < Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1000);

    #[test]
    fn a_key_is_there_once() {
        let mut queue = Queue::new(DELAYS);
        for key in ["a", "b", "a"] {
            queue.add(key);
        }
        queue.add_at("c", NOW + Duration::from_secs(2));
        queue.add_at("c", NOW + Duration::from_secs(1));
        queue.add_at("c", NOW + Duration::from_secs(3));
        assert_eq!((queue.pop(NOW).as_deref(), queue.pop(NOW).as_deref()), (Some("a"), Some("b")));
        assert_eq!((queue.pop(NOW), queue.next_due()), (None, Some(NOW + Duration::from_secs(1))));
        assert_eq!(queue.pop(NOW + Duration::from_secs(1)).as_deref(), Some("c"));
        assert_eq!((queue.pop(NOW * 2), queue.next_due()), (None, None));
    }

    #[test]
    fn keys_of_lower_ranks_come_first() {
        let mut queue = Queue::new(DELAYS);
        queue.set_rank("b", -1);
        queue.set_rank("d", -1);
        for key in ["a", "b", "c"] {
            queue.add(key);
        }
        queue.add_at("d", NOW);
        queue.set_rank("b", 0);
        let popped: Vec<_> = std::iter::from_fn(|| queue.pop(NOW)).collect();
        assert_eq!(popped, ["b", "d", "a", "c"]);
    }

    #[test]
    fn delays_double_up_to_a_limit() {
        let mut queue = Queue::new(DELAYS);
        let mut now = NOW;
        let mut delays = Vec::new();
        for _ in 0..20 {
            let at = queue.add_rate_limited("a", now);
            delays.push((at - now).as_millis());
            now = at;
            assert_eq!(queue.pop(now).as_deref(), Some("a"));
        }
        assert_eq!(delays[..4], [5, 10, 20, 40]);
        assert_eq!(delays[17..], [655_360, 1_000_000, 1_000_000]);
        assert_eq!(queue.failures("a"), 20);
        queue.forget("a");
        assert_eq!(queue.add_rate_limited("a", now) - now, DELAYS.first);
    }

    #[test]
    fn many_retries_wait_for_each_other() {
        let mut queue = Queue::new(DELAYS);
        let delays: Vec<_> = (0..103).map(|n| queue.add_rate_limited(&format!("{n}"), NOW) - NOW).collect();
        assert_eq!(delays[..100], [DELAYS.first; 100]);
        assert_eq!(delays[100..], [1, 2, 3].map(|count| RETRIES.refill * count));
    }

    #[test]
    fn who_is_held_waits_and_is_forgotten() {
        let mut queue = Queue::new(DELAYS);
        let second = Duration::from_secs(1);
        queue.add("a");
        queue.hold("a", NOW + second);
        queue.hold("b", NOW + second);
        queue.hold("b", NOW + second * 2);
        queue.add("a");
        assert_eq!((queue.pop(NOW), queue.next_due()), (None, Some(NOW + second)));
        assert_eq!(queue.pop(NOW + second).as_deref(), Some("a"));
        queue.add("b");
        assert_eq!(queue.pop(NOW + second), None);
        assert_eq!(queue.pop(NOW + second * 2).as_deref(), Some("b"));
        assert!(queue.held.is_empty() && queue.held_until.is_empty());
    }

    #[test]
    fn a_key_has_the_newest_revision_that_led_to_it() {
        let mut queue = Queue::new(DELAYS);
        for (cause, key) in [(Some(7), "a"), (Some(9), "a"), (Some(8), "b"), (None, "b"), (None, "c")] {
            queue.set_cause(cause);
            queue.add(key);
        }
        assert_eq!(["a", "b", "c", "a"].map(|key| queue.take_cause(key)), [Some(9), Some(8), None, None]);
        queue.set_cause(Some(11));
        queue.add_at("d", NOW);
        queue.set_cause(None);
        assert_eq!((queue.len(), queue.keys().last()), (4, Some(("d", Some(NOW)))));
        assert!(queue.has_due(NOW));
        assert_eq!((queue.take_cause("d"), queue.keys().last()), (Some(11), Some(("d", None))));
    }

    #[test]
    fn a_key_is_taken_before_others() {
        let mut queue = Queue::new(DELAYS);
        queue.add("a");
        queue.add_at("b", NOW);
        assert_eq!(queue.take("b", Duration::ZERO), None);
        assert_eq!(queue.take("b", NOW).as_deref(), Some("b"));
        assert_eq!((queue.pop(NOW).as_deref(), queue.pop(NOW)), (Some("a"), None));
    }
}
