//! Budgets: how often a controller may write for the sake of one object.

use std::collections::HashMap;
use std::time::Duration;

/// The number of times at once, and the time after which it may once more.
const BURST: u32 = 1000;
const REFILL: Duration = Duration::from_millis(100);

/// The pauses of one who has used up all of it: from the first to the longest, each twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(1000);

/// The objects that are remembered at most.
const MOST: usize = 16_384;

/// The budgets of a controller, by the keys of objects. So a loop that never comes to rest slows down.
#[derive(Default)]
pub(crate) struct Budget(HashMap<String, Account>);

#[derive(Clone, Copy, Default)]
struct Account {
    /// The time at which all may be spent again.
    full_at: Duration,
    overdrafts: u32,
}

impl Budget {
    /// Notes that something was written for an object. Returns how long to wait before it is looked at again, if that was too often.
    pub(crate) fn spend(&mut self, key: &str, now: Duration) -> Option<Duration> {
        if self.0.len() >= MOST {
            self.0.retain(|_, account| account.full_at > now);
        }
        let account = self.0.entry(key.to_owned()).or_default();
        if account.full_at <= now {
            *account = Account { full_at: now, overdrafts: 0 };
        }
        account.full_at += REFILL;
        if account.full_at - now <= REFILL * BURST {
            return None;
        }
        let pause = FIRST_PAUSE.saturating_mul(1_u32.checked_shl(account.overdrafts).unwrap_or(u32::MAX));
        account.overdrafts += 1;
        Some(pause.min(LONGEST_PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_never_rests_slows_down() {
        let mut budget = Budget::default();
        let now = Duration::from_secs(1);
        assert!((0..BURST).all(|_| budget.spend("a", now).is_none()));
        let pauses: Vec<_> =
            (0..12).filter_map(|_| budget.spend("a", now)).map(|pause| pause.as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]);
        assert_eq!(budget.spend("b", now), None);
        assert_eq!(budget.spend("a", now + REFILL * (BURST + 20)), None);
    }
}
