//! Times as text.

use super::{Time, calendar};

impl Time {
    /// Returns the text of RFC 3339 in UTC with whole seconds, as `Time.UTC().Format(time.RFC3339)`:
    /// `2026-11-20T13:22:00Z`.
    ///
    /// ```
    /// use golang::time::Time;
    ///
    /// assert_eq!(Time::unix(1_795_180_920).rfc3339(), "2026-11-20T13:22:00Z");
    /// ```
    pub fn rfc3339(self) -> String {
        let mut text = calendar::date_time(self.seconds);
        text.push('Z');
        text
    }

    /// Returns the text of RFC 3339 in UTC with as many digits after the second as there are, as
    /// `Time.UTC().Format(time.RFC3339Nano)`.
    pub fn rfc3339_nano(self) -> String {
        let mut text = calendar::date_time(self.seconds);
        calendar::put_fraction(self.nanos, &mut text);
        text.push('Z');
        text
    }

    /// Returns the text of RFC 3339 in UTC with six digits after the second, as Kubernetes' `MicroTime` has it.
    pub fn rfc3339_micro(self) -> String {
        let mut text = calendar::date_time(self.seconds);
        text.push('.');
        calendar::put_digits(u64::from(self.nanos / 1000), 6, &mut text);
        text.push('Z');
        text
    }

    /// Returns the text that headers of HTTP have, as `Time.UTC().Format(time.RFC1123)`: `Fri, 20 Nov 2026 13:22:00 UTC`.
    pub fn rfc1123(self) -> String {
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let days = self.seconds.div_euclid(86_400);
        let (_, month, _) = calendar::date(days);
        let text = calendar::date_time(self.seconds);
        let (date, clock) = text.trim_end_matches('Z').split_once('T').unwrap_or_default();
        let mut parts = date.rsplitn(3, '-');
        let (day, year) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
        let (weekday, month) = (DAYS[days.rem_euclid(7) as usize], MONTHS[(month + 11) as usize % 12]);
        [weekday, ", ", day, " ", month, " ", year, " ", clock, " UTC"].concat()
    }

    /// Tells if the year has four digits, without which Go's `Time.MarshalJSON` writes no text.
    pub fn has_four_digits(self) -> bool {
        calendar::FOUR_DIGITS.contains(&self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{Layout, parse};

    #[track_caller]
    fn check(text: &str, seconds: i64, nanos: u32) {
        let time = Time { seconds, nanos };
        assert_eq!(parse(Layout::Rfc3339, text), Ok(time));
        assert_eq!(time.rfc3339_nano(), text);
    }

    #[test]
    fn reads_what_it_writes() {
        check("1970-01-01T00:00:00Z", 0, 0);
        check("2026-01-01T00:00:00.123456Z", 1_767_225_600, 123_456_000);
        check("2000-02-29T23:59:59.5Z", 951_868_799, 500_000_000);
        check("1969-12-31T23:59:59.999999999Z", -1, 999_999_999);
        check("0001-01-01T00:00:00Z", Time::ZERO.seconds, 0);
        check("9999-12-31T23:59:59Z", 253_402_300_799, 0);
        assert!(!Time::unix(253_402_300_800).has_four_digits());
        assert!(!Time::unix(i64::MAX).has_four_digits());
        assert_eq!(Time { seconds: 0, nanos: 1_999 }.rfc3339_micro(), "1970-01-01T00:00:00.000001Z");
    }

    #[test]
    fn headers_have_dates_of_their_own() {
        assert_eq!(Time::unix(0).rfc1123(), "Thu, 01 Jan 1970 00:00:00 UTC");
        assert_eq!(Time::unix(951_782_461).rfc1123(), "Tue, 29 Feb 2000 00:01:01 UTC");
    }
}
