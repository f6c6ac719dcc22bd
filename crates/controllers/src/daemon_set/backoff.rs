//! Back-off: a node on which pods fail again and again gets a new one less and less often.

use std::time::Duration;

use crate::recent::Recent;

/// The first delay, and the longest one.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// The keys that are remembered at most.
const MOST: usize = 16_384;

/// The delays of keys.
pub(super) struct Backoffs(Recent<Backoff>);

#[derive(Default)]
struct Backoff {
    delay: Duration,
    since: Duration,
}

impl Default for Backoffs {
    fn default() -> Self {
        Self(Recent::new(MOST))
    }
}

impl Backoffs {
    /// Begins the next delay of a key, or returns the one that is not over yet.
    pub(super) fn next(&mut self, key: &str, now: Duration) -> Option<Duration> {
        let own = self.0.of(key);
        let passed = now.saturating_sub(own.since);
        let is_known = !own.delay.is_zero() && passed <= LONGEST * 2;
        if is_known && passed < own.delay {
            return Some(own.delay);
        }
        own.delay = if is_known { (own.delay * 2).min(LONGEST) } else { FIRST };
        own.since = now;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_and_are_forgotten() {
        let mut backoffs = Backoffs::default();
        let mut now = Duration::from_secs(1000);
        for delay in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900].map(Duration::from_secs) {
            assert_eq!(backoffs.next("a", now), None);
            assert_eq!(backoffs.next("a", now + delay - Duration::from_nanos(1)), Some(delay));
            now += delay;
        }
        now += LONGEST * 2;
        assert_eq!((backoffs.next("a", now), backoffs.next("a", now)), (None, Some(FIRST)));
        assert_eq!(backoffs.next("b", now), None);
    }
}
