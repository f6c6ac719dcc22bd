//! Times as Kubernetes writes them.

use std::time::Duration;

/// A time since the Unix epoch as RFC 3339 with whole seconds, in UTC: `2026-11-20T13:22:00Z`.
pub(crate) fn rfc3339(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The same as headers of HTTP have it: `Fri, 20 Nov 2026 13:22:00 UTC`.
pub(crate) fn rfc1123(since_epoch: Duration) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = since_epoch.as_secs() / 86_400;
    let (_, month, _) = civil(days);
    let text = rfc3339(since_epoch);
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let (year, day, clock) = (part(0, 4), part(8, 10), part(11, 19));
    let (weekday, month) = (DAYS[days as usize % 7], MONTHS[(month as usize + 11) % 12]);
    [weekday, ", ", day, " ", month, " ", year, " ", clock, " UTC"].concat()
}

/// The time that a text of RFC 3339 stands for, since the Unix epoch. `None` for any other text, and for earlier times.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // Years are reckoned from March here too.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + (153 * month + 2) / 5 + day;
    let days = (era * 146_097 + day_of_era).checked_sub(719_469)?;
    let time = Duration::from_secs(((days * 24 + hour) * 60 + minute) * 60 + second);
    (rfc3339(time) == text).then_some(time)
}

/// The date of a day counted from 1970-01-01, in the Gregorian calendar. Years are reckoned from March, so that
/// the day that comes and goes is a year's last.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_PER_ERA: u64 = 146_097;
    let days = days + 719_468;
    let (era, day_of_era) = (days / DAYS_PER_ERA, days % DAYS_PER_ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
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
