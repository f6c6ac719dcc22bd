//! Dates, times and durations, as the formats `date`, `date-time` and `duration` of OpenAPI take them.
//!
//! See <https://pkg.go.dev/github.com/go-openapi/strfmt>.

use golang::time::{self, Layout};

/// Reports whether the text is a date that exists in the calendar: `2006-01-02`.
pub fn is_date(text: &str) -> bool {
    time::parse(Layout::DateOnly, text).is_ok()
}

/// Reports whether the text is a date, a `T`, and `15:04:05` with or without a fraction, in a zone.
pub fn is_date_time(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut halves = text.split('t');
    let (Some(date), Some(time)) = (halves.next(), halves.next()) else { return false };
    let Some((clock, rest)) = time.split_at_checked(8) else { return false };
    is_date(date) && is_clock(clock) && (is_zone(rest) || is_zone(without_fraction(rest)))
}

fn is_clock(text: &str) -> bool {
    let mut parts = text.split(':');
    let mut next = |most| parts.next().and_then(|part| number(part, 2)).is_some_and(|number| number <= most);
    next(23) && next(59) && next(59)
}

/// Any character stands for the point, as long as digits come after it.
fn without_fraction(text: &str) -> &str {
    let mut rest = text.chars();
    rest.next();
    let zone = rest.as_str().trim_start_matches(|c: char| c.is_ascii_digit());
    if zone.len() < rest.as_str().len() { zone } else { text }
}

/// `z`, or an offset that is not looked at closely.
fn is_zone(text: &str) -> bool {
    let offset = text.strip_prefix(['+', '-']).and_then(|zone| zone.split_once(':'));
    let two = |text| number(text, 2).is_some();
    text == "z" || offset.is_some_and(|(hours, minutes)| two(hours) && two(minutes))
}

/// Reads a duration in nanoseconds, as Go's `strfmt.ParseDuration` does: one of Go's `time` (`1h30m`), or any text with
/// numbers and words of which one is a unit (`2 days`).
pub fn parse_duration(text: &str) -> Option<i64> {
    if let Ok(nanos) = time::parse_duration(text) {
        return Some(nanos);
    }
    const SECOND: i64 = 1_000_000_000;
    // The last name of a unit may go on.
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "µs", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], SECOND),
        (&["m", "min"], 60 * SECOND),
        (&["h", "hr", "hour"], 3_600 * SECOND),
        (&["d", "day"], 86_400 * SECOND),
        (&["w", "wk", "week"], 604_800 * SECOND),
    ];
    let mut total = None;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (number, after) = split(&rest[at..], |c| c.is_ascii_digit());
        let (_, after) = split(after, |c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}'));
        let (unit, after) = split(after, |c| c.is_ascii_alphabetic() || c == 'µ');
        rest = after;
        if unit.is_empty() {
            continue;
        }
        let (number, unit): (i64, _) = (number.parse().ok()?, unit.to_ascii_lowercase());
        let is_named = |names: &[&str]| {
            names.contains(&unit.as_str()) || names.last().is_some_and(|long| unit.starts_with(long))
        };
        if let Some((_, nanos)) = UNITS.iter().find(|(names, _)| is_named(names)) {
            total = Some(number.wrapping_mul(*nanos).wrapping_add(total.unwrap_or(0)));
        }
    }
    total
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

/// So many digits.
fn number(text: &str, length: usize) -> Option<u32> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (text, expected) in [
            ("2021-01-01", true),
            ("2024-02-29", true),
            ("2021-02-29", false),
            ("1900-02-29", false),
            ("2021-1-1", false),
            ("2021-01-01-", false),
            ("2021-13-01", false),
            ("+021-01-01", false),
            ("", false),
        ] {
            assert_eq!(is_date(text), expected, "{text}");
        }
    }

    #[test]
    fn dates_with_times() {
        for (text, expected) in [
            ("2021-01-01T00:00:00Z", true),
            ("2021-01-01t23:59:59.5+01:00", true),
            ("2021-01-01T00:00:00x1z", true),
            ("2021-01-01T00:00:00.Z", false),
            ("2021-01-01T24:00:00Z", false),
            ("2021-01-01T00:00:00", false),
            ("2021-01-01T\u{e9}0:00:00Z", false),
            ("2021-01-01", false),
        ] {
            assert_eq!(is_date_time(text), expected, "{text}");
        }
    }

    #[test]
    fn durations() {
        const SECOND: i64 = 1_000_000_000;
        for (text, expected) in [
            ("0", Some(0)),
            ("1h30m", Some(5_400 * SECOND)),
            ("-1.5s", Some(-1_500_000_000)),
            ("22 ns", Some(22)),
            ("3 days", Some(259_200 * SECOND)),
            ("1 week 2 hours", Some(612_000 * SECOND)),
            ("5µs", Some(5_000)),
            ("1HOUR", Some(3_600 * SECOND)),
            ("12 sec", Some(12 * SECOND)),
            // What stands around numbers and units is passed over.
            ("in 2 days", Some(172_800 * SECOND)),
            ("1.5 days", Some(432_000 * SECOND)),
            // Go's sum wraps.
            ("10000000000h", Some(10_000_000_000_i64.wrapping_mul(3_600 * SECOND))),
            ("99999999999999999999 days", None),
            ("", None),
            ("1", None),
            ("h", None),
            ("1x", None),
            ("5 fortnights ago", None),
            ("-", None),
        ] {
            assert_eq!(parse_duration(text), expected, "{text}");
        }
    }
}
