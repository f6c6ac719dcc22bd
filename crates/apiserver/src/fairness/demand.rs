//! The demand for seats of a priority level, observed over a period.

use std::time::Duration;

/// A number that changes with time, and what has been seen of it since a period began.
#[derive(Debug, Default)]
pub(super) struct Demand {
    value: f64,
    since: Duration,
    begin: Duration,
    integral: f64,
    squares: f64,
    max: f64,
}

/// The figures of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Observed {
    /// True if the period took any time: without that there is no average.
    pub(super) lasted: bool,
    pub(super) average: f64,
    pub(super) deviation: f64,
    pub(super) max: f64,
}

impl Demand {
    /// Notes that the number is `value` from `now` on.
    pub(super) fn set(&mut self, now: Duration, value: f64) {
        self.advance(now);
        self.value = value;
        self.max = self.max.max(value);
    }

    /// Ends the period, and begins the next one with the same value.
    pub(super) fn end(&mut self, now: Duration) -> Observed {
        self.advance(now);
        let lasted = now.saturating_sub(self.begin).as_secs_f64();
        let average = if lasted > 0.0 { self.integral / lasted } else { 0.0 };
        let variance = if lasted > 0.0 { self.squares / lasted - average * average } else { 0.0 };
        let observed =
            Observed { lasted: lasted > 0.0, average, deviation: variance.max(0.0).sqrt(), max: self.max };
        *self = Self { value: self.value, since: now, begin: now, max: self.value, ..Self::default() };
        observed
    }

    fn advance(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.since).as_secs_f64();
        self.integral += self.value * passed;
        self.squares += self.value * self.value * passed;
        self.since = self.since.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_have_their_average_deviation_and_maximum() {
        let seconds = Duration::from_secs;
        let mut demand = Demand::default();
        demand.set(seconds(0), 0.0);
        demand.set(seconds(5), 4.0);
        let expected = Observed { lasted: true, average: 2.0, deviation: 2.0, max: 4.0 };
        assert_eq!(demand.end(seconds(10)), expected);
        // The next one begins with what there is.
        let expected = Observed { lasted: true, average: 4.0, deviation: 0.0, max: 4.0 };
        assert_eq!(demand.end(seconds(20)), expected);
        assert!(!demand.end(seconds(20)).lasted);
    }
}
