//! Points in time and spans of time, as Go's `time` reads, writes and reckons with them.

use golang::time::calendar;

/// The first and the last second that a timestamp may have: the years 1 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// The units of a duration and their nanoseconds.
const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Whole seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds since then.
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
    /// The time that is so many seconds and nanoseconds after 1970; none if its year has not four digits.
    pub fn new(seconds: i64, nanos: u32) -> Option<Self> {
        SECONDS.contains(&seconds).then_some(Self { seconds, nanos })
    }

    /// Reads a time of RFC 3339.
    pub fn parse(text: &str) -> Option<Self> {
        let (seconds, nanos, zone) = read_local(text)?;
        Self::new(seconds - zone_of(zone)?, nanos)
    }

    /// Reads what the format `date-time` allows: the zone and the seconds may be missing.
    pub(crate) fn parse_lenient(text: &str) -> Option<Self> {
        let (seconds, nanos, zone) = read_local(text)?;
        Self::new(seconds - if zone.is_empty() { 0 } else { zone_of(zone)? }, nanos)
    }

    /// Reads a date.
    pub(crate) fn parse_date(text: &str) -> Option<Self> {
        if text.len() != 10 {
            return None;
        }
        Self::new(read_date(text)? * 86_400, 0)
    }

    /// The text of RFC 3339, in UTC.
    pub fn to_text(self) -> String {
        let mut text = calendar::date_time(self.seconds);
        calendar::put_fraction(self.nanos, &mut text);
        text.push('Z');
        text
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
        let (negative, mut rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        if rest == "0" {
            return Some(Self(0));
        }
        if rest.is_empty() {
            return None;
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let whole = digits(rest);
            rest = &rest[whole.len()..];
            let fraction = rest.strip_prefix('.').map(digits);
            if let Some(fraction) = fraction {
                rest = &rest[1 + fraction.len()..];
            }
            if whole.is_empty() && fraction.is_none_or(str::is_empty) {
                return None;
            }
            let unit_end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
            let (_, unit) = *UNITS.iter().find(|(name, _)| *name == &rest[..unit_end])?;
            rest = &rest[unit_end..];
            let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
            let mut part = whole.checked_mul(unit as u64).filter(|part| *part <= 1 << 63)?;
            if let Some(fraction) = fraction.filter(|fraction| !fraction.is_empty()) {
                let fraction = fraction.get(..18).unwrap_or(fraction);
                let scale = 10f64.powi(fraction.len() as i32);
                let value: u64 = fraction.parse().ok()?;
                part += (value as f64 * (unit as f64 / scale)) as u64;
            }
            total = total.checked_add(part).filter(|total| *total <= 1 << 63)?;
        }
        let total = i128::from(total) * if negative { -1 } else { 1 };
        i64::try_from(total).ok().map(Self)
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
            calendar::put_fraction((nanos % 1_000_000_000) as u32, &mut text);
        }
        text.push('s');
        text
    }

    /// Reads what the format `duration` allows: Go's durations, and numbers with words like `3 days`.
    pub(crate) fn parse_format(text: &str) -> Option<Self> {
        const WORDS: [(&str, i64); 16] = [
            ("ns", 1),
            ("nano", 1),
            ("us", 1_000),
            ("µs", 1_000),
            ("micro", 1_000),
            ("ms", 1_000_000),
            ("milli", 1_000_000),
            ("s", 1_000_000_000),
            ("sec", 1_000_000_000),
            ("m", 60_000_000_000),
            ("min", 60_000_000_000),
            ("h", 3_600_000_000_000),
            ("hr", 3_600_000_000_000),
            ("hour", 3_600_000_000_000),
            ("d", 86_400_000_000_000),
            ("w", 604_800_000_000_000),
        ];
        const LONG: [(&str, i64); 6] = [
            ("second", 1_000_000_000),
            ("minute", 60_000_000_000),
            ("day", 86_400_000_000_000),
            ("week", 604_800_000_000_000),
            ("wk", 604_800_000_000_000),
            ("nanosecond", 1),
        ];
        if let Some(duration) = Self::parse(text) {
            return Some(duration);
        }
        let mut total: i64 = 0;
        let mut rest = text.trim();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let number = digits(rest);
            let value: i64 = number.parse().ok()?;
            rest = rest[number.len()..].trim_start();
            let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            let word = &rest[..end];
            let singular = word.strip_suffix('s').filter(|word| word.len() > 1);
            let named =
                |word: &str| WORDS.iter().chain(&LONG).find(|(name, _)| *name == word).map(|(_, unit)| *unit);
            let unit = named(word).or_else(|| singular.and_then(named))?;
            total = total.checked_add(value.checked_mul(unit)?)?;
            rest = rest[end..].trim_start();
        }
        Some(Self(total))
    }
}

/// The digits that `text` begins with.
fn digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

/// The number that `text` is, if it has exactly `width` digits.
fn number(text: Option<&str>, width: usize) -> Option<i64> {
    let text = text?;
    if text.len() != width || digits(text).len() != width {
        return None;
    }
    text.parse().ok()
}

/// The days since 1970 of the date that `text` begins with.
fn read_date(text: &str) -> Option<i64> {
    let (year, month, day) =
        (number(text.get(..4), 4)?, number(text.get(5..7), 2)?, number(text.get(8..10), 2)?);
    let dashes = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let is_date = dashes && (1..=calendar::days_in(year, month)).contains(&day);
    is_date.then(|| calendar::days_to(year, month, day))
}

/// The seconds and nanoseconds of a date and a time of day, and what comes after it: the zone.
fn read_local(text: &str) -> Option<(i64, u32, &str)> {
    let days = read_date(text)?;
    let rest = text.get(10..)?.strip_prefix(['T', 't'])?;
    let (hour, minute) = (number(rest.get(..2), 2)?, number(rest.get(3..5), 2)?);
    if rest.get(2..3) != Some(":") || hour > 23 || minute > 59 {
        return None;
    }
    let mut rest = rest.get(5..)?;
    let (mut second, mut nanos) = (0, 0);
    if let Some(after) = rest.strip_prefix(':') {
        second = number(after.get(..2), 2)?;
        rest = after.get(2..)?;
        if let Some(after) = rest.strip_prefix('.') {
            let fraction = digits(after);
            if fraction.is_empty() {
                return None;
            }
            rest = &after[fraction.len()..];
            let mut scale = 100_000_000;
            for digit in fraction.bytes().take(9) {
                nanos += u32::from(digit - b'0') * scale;
                scale /= 10;
            }
        }
    }
    (second <= 59).then_some((days * 86_400 + hour * 3600 + minute * 60 + second, nanos, rest))
}

/// The seconds by which a zone is later than UTC: `Z`, `+01:00`.
fn zone_of(text: &str) -> Option<i64> {
    if text == "Z" || text == "z" {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = (number(text.get(1..3), 2)?, number(text.get(4..6), 2)?);
    (text.len() == 6 && text.get(3..4) == Some(":") && hours <= 24 && minutes < 60)
        .then_some(sign * (hours * 3600 + minutes * 60))
}
