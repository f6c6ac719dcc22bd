//! Times and durations, as Go's package `time` reads and writes them.
//!
//! See <https://pkg.go.dev/time>.

pub mod calendar;
mod duration;
mod format;
mod parse;
mod quote;

pub use duration::{format_duration, parse_duration};
pub use format::{date_time, put_fraction};
pub use parse::{Layout, parse};

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
}
