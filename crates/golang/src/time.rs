//! Times and durations, as Go's package `time` reads and writes them.
//!
//! See <https://pkg.go.dev/time>.

pub mod calendar;
mod duration;
mod format;
mod parse;
mod quote;
mod zone;

use std::time::Duration;

pub use duration::{format_duration, parse_duration};
pub use format::{date_time, put_fraction};
pub use parse::{Layout, parse};
pub use zone::Zone;

/// One second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds since 1970 in UTC.
    pub seconds: i64,
    /// Nanoseconds after that second.
    pub nanos: u32,
}

impl Time {
    /// Go's zero time, the first moment of the year 1: `Time.IsZero` is true of it.
    pub const ZERO: Self = Self { seconds: -62_135_596_800, nanos: 0 };

    /// Returns the time that is so many seconds after 1970.
    pub const fn unix(seconds: i64) -> Self {
        Self { seconds, nanos: 0 }
    }

    /// Returns the time since 1970; `None` for one before that.
    pub fn since_epoch(self) -> Option<Duration> {
        Some(Duration::new(u64::try_from(self.seconds).ok()?, self.nanos))
    }

    /// Returns the time that is so many nanoseconds later, as `Time.Add`.
    pub fn plus(self, nanos: i64) -> Self {
        let sum = i64::from(self.nanos) + nanos % SECOND;
        let seconds = self.seconds.saturating_add(nanos / SECOND).saturating_add(sum.div_euclid(SECOND));
        Self { seconds, nanos: sum.rem_euclid(SECOND) as u32 }
    }

    /// Returns the nanoseconds from another time to this one, as `Time.Sub`: as many as there can be, if there are more.
    pub fn since(self, other: Self) -> i64 {
        let nanos = |time: Self| i128::from(time.seconds) * i128::from(SECOND) + i128::from(time.nanos);
        let difference = nanos(self) - nanos(other);
        i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_added_and_subtracted() {
        let time = Time { seconds: 10, nanos: 500_000_000 };
        assert_eq!(time.plus(-600_000_000), Time { seconds: 9, nanos: 900_000_000 });
        assert_eq!(time.plus(600_000_000).since(time), 600_000_000);
        assert_eq!(time.plus(i64::MIN).since(time), i64::MIN);
        assert_eq!(Time::ZERO.since(Time::unix(i64::MAX)), i64::MIN);
        assert_eq!(Time::unix(i64::MAX).plus(i64::MAX).seconds, i64::MAX);
    }
}
