//! How long to wait before trying again.

use std::time::Duration;

/// The first pause.
const FIRST: Duration = Duration::from_millis(800);
/// No pause is longer than this, but for the random part.
const LONGEST: Duration = Duration::from_secs(30);
/// How often the pauses begin anew.
const RESET: Duration = Duration::from_secs(120);

/// Pauses that double from 0.8 s up to 30 s, each with up to as much again added at random. They begin anew with the
/// first pause that is asked for more than two minutes after they last did, as client-go's do.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    begun: Duration,
}

impl Backoff {
    /// Pauses that begin at `now`.
    pub(crate) fn new(now: Duration) -> Self {
        Self { next: FIRST, begun: now }
    }

    /// The pause to make now. `fraction`, from 0 up to but not including 1, is the random part.
    pub(crate) fn step(&mut self, now: Duration, fraction: f64) -> Duration {
        if now.saturating_sub(self.begun) > RESET {
            *self = Self::new(now);
        }
        let base = self.next;
        self.next = (base * 2).min(LONGEST);
        base + base.mul_f64(fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pauses that are asked for at these times (seconds), in milliseconds.
    #[track_caller]
    fn check(fraction: f64, times: &[u64], expected: &[u128]) {
        let mut backoff = Backoff::new(Duration::ZERO);
        let pauses: Vec<u128> =
            times.iter().map(|at| backoff.step(Duration::from_secs(*at), fraction).as_millis()).collect();
        assert_eq!(pauses, expected);
    }

    #[test]
    fn doubles_up_to_half_a_minute() {
        check(0.0, &[1; 8], &[800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    }

    #[test]
    fn adds_a_random_part() {
        check(0.5, &[1; 3], &[1200, 2400, 4800]);
        check(1.0, &[1; 7], &[1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000]);
    }

    #[test]
    fn begins_anew_after_two_minutes() {
        check(0.0, &[0, 60, 120, 121, 122, 242], &[800, 1600, 3200, 800, 1600, 800]);
    }
}
