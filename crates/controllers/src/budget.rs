//! Budgets: how much a controller may write for the sake of one object.

use std::time::Duration;

use crate::pace::{Bucket, Doubling, Rate};
use crate::recent::Recent;

/// The number of writes at once, and the time after which there may be one more.
const RATE: Rate = Rate { burst: 1000, refill: Duration::from_millis(100) };

/// The pauses of one who has used up all of it.
const PAUSES: Doubling = Doubling { first: Duration::from_secs(1), longest: Duration::from_secs(1000) };

/// The objects that are remembered at most.
const MOST: usize = 16_384;

/// The budgets of a controller, by the keys of objects. So a loop that never comes to rest slows down.
pub(crate) struct Budget(Recent<Account>);

#[derive(Default)]
struct Account {
    bucket: Bucket,
    overdrafts: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self(Recent::new(MOST))
    }
}

impl Budget {
    /// Notes that so much was written for an object. Returns how long to wait before it is looked at again, if that was too much.
    pub(crate) fn spend(&mut self, key: &str, writes: u32, now: Duration) -> Option<Duration> {
        let account = self.0.of(key);
        if account.bucket.is_full(now) {
            account.overdrafts = 0;
        }
        if account.bucket.take(writes, &RATE, now).is_zero() {
            return None;
        }
        let pause = PAUSES.after(account.overdrafts);
        account.overdrafts = account.overdrafts.saturating_add(1);
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1);

    #[test]
    fn who_never_rests_slows_down() {
        let mut budget = Budget::default();
        assert!((0..RATE.burst).all(|_| budget.spend("a", 1, NOW).is_none()));
        let pauses: Vec<_> =
            (0..12).filter_map(|_| budget.spend("a", 1, NOW)).map(|pause| pause.as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]);
        assert_eq!(budget.spend("b", 1, NOW), None);
        assert_eq!(budget.spend("a", 1, NOW + RATE.refill * (RATE.burst + 20)), None);
    }

    #[test]
    fn each_write_counts() {
        let mut budget = Budget::default();
        let pauses = [500, 500, 1].map(|writes| budget.spend("a", writes, NOW));
        assert_eq!(pauses, [None, None, Some(PAUSES.first)]);
    }
}
