//! Points in time and spans of time, as Go's `time` reads, writes and reckons with them.

use golang::time::{self, Layout, Time, calendar};

/// The first and the last second that a timestamp may have: the years 1 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Whole seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds after that second.
    pub nanos: u32,
}

/// A span of time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

/// A date and a time of day in some zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// From 1 on.
    pub(crate) month: i64,
    /// Of the month, from 1 on.
    pub(crate) day: i64,
    /// Of the year, from 0 on.
    pub(crate) day_of_year: i64,
    /// From Sunday, 0, on.
    pub(crate) weekday: i64,
    pub(crate) second_of_day: i64,
}

impl Timestamp {
    /// Returns the time that is so many seconds and nanoseconds after 1970; `None` outside of the years 1 to 9999.
    pub fn new(seconds: i64, nanos: u32) -> Option<Self> {
        SECONDS.contains(&seconds).then_some(Self { seconds, nanos })
    }

    /// Reads a time of RFC 3339.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(Layout::Rfc3339, text)
    }

    /// Reads a time in the format `date-time`, as Go's `strfmt.ParseDateTime` does. The zone may be missing, and empty text
    /// is the start of 1970.
    pub(crate) fn parse_lenient(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Self::new(0, 0);
        }
        Self::parse(text).or_else(|| Self::read(Layout::DateTime, text))
    }

    /// Reads a date.
    pub(crate) fn parse_date(text: &str) -> Option<Self> {
        Self::read(Layout::DateOnly, text)
    }

    fn read(layout: Layout, text: &str) -> Option<Self> {
        let time = time::parse(layout, text).ok()?;
        Self::new(time.seconds, time.nanos)
    }

    /// The text of RFC 3339, in UTC.
    pub fn to_text(self) -> String {
        Time { seconds: self.seconds, nanos: self.nanos }.rfc3339_nano()
    }

    /// The date and the time of day where it is `offset` seconds later than in UTC.
    pub(crate) fn civil(self, offset: i64) -> Civil {
        let seconds = self.seconds + offset;
        let days = seconds.div_euclid(86_400);
        let (year, month, day) = calendar::date(days);
        Civil {
            year,
            month,
            day,
            day_of_year: days - calendar::days_to(year, 1, 1),
            weekday: (days + 4).rem_euclid(7),
            second_of_day: seconds.rem_euclid(86_400),
        }
    }

    /// This much later; none if that is no timestamp.
    pub(crate) fn after(self, duration: Duration) -> Option<Self> {
        let nanos = i64::from(self.nanos) + duration.0.rem_euclid(1_000_000_000);
        let seconds = self.seconds.checked_add(duration.0.div_euclid(1_000_000_000))? + nanos / 1_000_000_000;
        Self::new(seconds, (nanos % 1_000_000_000) as u32)
    }

    /// How long after `other` this is; none if that is no duration.
    pub(crate) fn since(self, other: Self) -> Option<Duration> {
        let seconds = self.seconds.checked_sub(other.seconds)?;
        let nanos = i64::from(self.nanos) - i64::from(other.nanos);
        seconds.checked_mul(1_000_000_000)?.checked_add(nanos).map(Duration)
    }
}

impl Duration {
    /// Reads a duration as Go's `time.ParseDuration` does: `1h30m`, `-1.5s`, `0`.
    pub fn parse(text: &str) -> Option<Self> {
        time::parse_duration(text).ok().map(Self)
    }

    /// The text of a duration in expressions: its seconds, `90s`, `1.5s`.
    pub fn to_text(self) -> String {
        let nanos = self.0.unsigned_abs();
        let mut text = String::new();
        if self.0 < 0 {
            text.push('-');
        }
        text.push_str(&(nanos / 1_000_000_000).to_string());
        if !nanos.is_multiple_of(1_000_000_000) {
            time::put_fraction((nanos % 1_000_000_000) as u32, &mut text);
        }
        text.push('s');
        text
    }

    /// Reads what the format `duration` allows: Go's durations, and numbers with words like `3 days`.
    pub(crate) fn parse_format(text: &str) -> Option<Self> {
        field::time::parse_duration(text).map(Self)
    }
}
