//! Times as Kubernetes writes them.

use std::time::Duration;

use golang::time::calendar;

/// A time since the Unix epoch as RFC 3339 with whole seconds, in UTC: `2026-11-20T13:22:00Z`.
pub(crate) fn rfc3339(since_epoch: Duration) -> String {
    let seconds = i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX);
    let mut text = calendar::date_time(seconds);
    text.push('Z');
    text
}

/// The same as headers of HTTP have it: `Fri, 20 Nov 2026 13:22:00 UTC`.
pub(crate) fn rfc1123(since_epoch: Duration) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = since_epoch.as_secs() / 86_400;
    let text = rfc3339(since_epoch);
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let (year, day, clock) = (part(0, 4), part(8, 10), part(11, 19));
    let month = part(5, 7).parse::<usize>().unwrap_or(1);
    let (weekday, month) = (DAYS[days as usize % 7], MONTHS[(month + 11) % 12]);
    [weekday, ", ", day, " ", month, " ", year, " ", clock, " UTC"].concat()
}

/// The time that a text of RFC 3339 stands for, since the Unix epoch. `None` for any other text, and for earlier times.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let hours = calendar::days_to(year, month, day) * 24 + hour;
    let time = Duration::from_secs(u64::try_from((hours * 60 + minute) * 60 + second).ok()?);
    (rfc3339(time) == text).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seconds: u64, expected: &str) {
        assert_eq!(rfc3339(Duration::from_secs(seconds)), expected);
        assert_eq!(parse(expected), Some(Duration::from_secs(seconds)));
    }

    #[test]
    fn headers_have_dates_of_their_own() {
        assert_eq!(rfc1123(Duration::from_secs(0)), "Thu, 01 Jan 1970 00:00:00 UTC");
        assert_eq!(rfc1123(Duration::from_secs(951_782_461)), "Tue, 29 Feb 2000 00:01:01 UTC");
    }

    #[test]
    fn dates() {
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_709_251_199, "2024-02-29T23:59:59Z");
        check(4_102_444_800, "2100-01-01T00:00:00Z");
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in
            ["", "1970-01-01", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00+01:00", "1969-12-31T23:59:59Z"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
