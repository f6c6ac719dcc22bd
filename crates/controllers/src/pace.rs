//! Pace: delays that double, and tokens that come back with time.

use std::time::Duration;

/// Reports whether a time has come. The end of all time, at which everything is that would be later, never does.
pub(crate) fn has_come(at: Duration, now: Duration) -> bool {
    at <= now && at < Duration::MAX
}

/// Delays of which each is twice as long as the one before, up to a longest one.
pub(crate) struct Doubling {
    pub(crate) first: Duration,
    pub(crate) longest: Duration,
}

impl Doubling {
    /// Returns the delay after so many others.
    pub(crate) fn after(&self, count: u32) -> Duration {
        self.first.saturating_mul(1_u32.checked_shl(count).unwrap_or(u32::MAX)).min(self.longest)
    }
}

/// The number of tokens that may be taken at once, and the time after which there is one more.
pub(crate) struct Rate {
    pub(crate) burst: u32,
    pub(crate) refill: Duration,
}

/// A bucket of tokens, as the time at which it is full again: what is taken moves it on.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bucket(Duration);

impl Bucket {
    /// Reports whether no token is missing.
    pub(crate) fn is_full(self, now: Duration) -> bool {
        self.0 <= now
    }

    /// Takes tokens, even those that are not there yet. Returns the time until all of them are.
    pub(crate) fn take(&mut self, count: u32, rate: &Rate, now: Duration) -> Duration {
        self.0 = self.0.max(now).saturating_add(rate.refill.saturating_mul(count));
        (self.0 - now).saturating_sub(rate.refill.saturating_mul(rate.burst))
    }

    /// Takes a token if there is one, and reports whether there was.
    pub(crate) fn try_take(&mut self, rate: &Rate, now: Duration) -> bool {
        let mut next = *self;
        let is_there = next.take(1, rate, now).is_zero();
        if is_there {
            *self = next;
        }
        is_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn delays_double_up_to_a_limit() {
        let doubling = Doubling { first: SECOND, longest: SECOND * 100 };
        let delays = [0, 1, 2, 6, 7, 31, 32, u32::MAX].map(|count| doubling.after(count).as_secs());
        assert_eq!(delays, [1, 2, 4, 64, 100, 100, 100, 100]);
    }

    #[test]
    fn tokens_come_back_with_time() {
        let rate = Rate { burst: 2, refill: SECOND };
        let mut bucket = Bucket::default();
        let now = SECOND * 10;
        assert_eq!(
            [1, 1, 3].map(|count| bucket.take(count, &rate, now)),
            [Duration::ZERO, Duration::ZERO, SECOND * 3]
        );
        assert!(!bucket.try_take(&rate, now + SECOND * 3));
        assert!(bucket.try_take(&rate, now + SECOND * 4));
        assert!(!bucket.is_full(now + SECOND * 5) && bucket.is_full(now + SECOND * 6));
    }

    #[test]
    fn time_may_come_to_its_end() {
        let rate = Rate { burst: 1, refill: SECOND };
        let mut bucket = Bucket::default();
        assert_eq!(bucket.take(u32::MAX, &rate, Duration::MAX), Duration::ZERO);
        assert!(bucket.try_take(&rate, Duration::MAX));
        assert!(has_come(SECOND, Duration::MAX) && !has_come(Duration::MAX, Duration::MAX));
    }
}
