//! Times as text.

use super::{Time, calendar};

/// The first second of the year 0, and the last one of 9999: between them, a year has four digits.
const FOUR_DIGITS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

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
        let mut text = date_time(self.seconds);
        text.push('Z');
        text
    }

    /// Returns the text of RFC 3339 in UTC with as many digits after the second as there are, as
    /// `Time.UTC().Format(time.RFC3339Nano)`.
    pub fn rfc3339_nano(self) -> String {
        let mut text = date_time(self.seconds);
        put_fraction(self.nanos, &mut text);
        text.push('Z');
        text
    }

    /// Returns the text of RFC 3339 in UTC with six digits after the second, as Kubernetes' `MicroTime` has it.
    pub fn rfc3339_micro(self) -> String {
        let mut text = date_time(self.seconds);
        text.push('.');
        put_digits(u64::from(self.nanos / 1000), 6, &mut text);
        text.push('Z');
        text
    }

    /// Returns the text that headers of HTTP have, as `Time.UTC().Format(time.RFC1123)`: `Fri, 20 Nov 2026 13:22:00 UTC`.
    pub fn rfc1123(self) -> String {
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (days, second) = (self.seconds.div_euclid(86_400), self.seconds.rem_euclid(86_400));
        let (year, month, day) = calendar::date(days);
        let mut text = String::with_capacity(29);
        text.extend([DAYS[days.rem_euclid(7) as usize], ", "]);
        put_digits(day.unsigned_abs(), 2, &mut text);
        text.extend([" ", MONTHS[(month + 11) as usize % 12], if year < 0 { " -" } else { " " }]);
        put_digits(year.unsigned_abs(), 4, &mut text);
        for (before, part) in [(' ', second / 3600), (':', second / 60 % 60), (':', second % 60)] {
            text.push(before);
            put_digits(part.unsigned_abs(), 2, &mut text);
        }
        text.push_str(" UTC");
        text
    }

    /// Reports whether the year has four digits, without which Go's `Time.MarshalJSON` writes no text.
    pub fn has_four_digits(self) -> bool {
        FOUR_DIGITS.contains(&self.seconds)
    }
}

/// Returns the text of a time that is so many seconds after 1970 in UTC, as RFC 3339 has it, without a fraction and a zone.
///
/// ```
/// use golang::time::date_time;
///
/// assert_eq!(date_time(1_795_180_920), "2026-11-20T13:22:00");
/// ```
pub fn date_time(seconds: i64) -> String {
    let (year, month, day) = calendar::date(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    // There is room for nanoseconds and `Z`.
    let mut text = String::with_capacity(30);
    if year < 0 {
        text.push('-');
    }
    put_digits(year.unsigned_abs(), 4, &mut text);
    let parts = [('-', month), ('-', day), ('T', second / 3600), (':', second / 60 % 60), (':', second % 60)];
    for (before, part) in parts {
        text.push(before);
        put_digits(part.unsigned_abs(), 2, &mut text);
    }
    text
}

/// Appends a number with so many digits, or more if it has more.
fn put_digits(number: u64, width: u32, text: &mut String) {
    if width > 1 || number > 9 {
        put_digits(number / 10, width.saturating_sub(1), text);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// Appends a point and nine digits of nanoseconds without the zeros at their end; nothing if there are only zeros.
pub fn put_fraction(nanos: u32, text: &mut String) {
    if nanos != 0 {
        text.push('.');
        put_digits(u64::from(nanos), 9, text);
        text.truncate(text.trim_end_matches('0').len());
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

    #[test]
    fn years_of_any_length() {
        for (seconds, expected) in [
            (4_107_542_400, "2100-03-01T00:00:00"),
            (*FOUR_DIGITS.start(), "0000-01-01T00:00:00"),
            (FOUR_DIGITS.start() - 1, "-0001-12-31T23:59:59"),
            (*FOUR_DIGITS.end(), "9999-12-31T23:59:59"),
            (FOUR_DIGITS.end() + 1, "10000-01-01T00:00:00"),
        ] {
            assert_eq!(date_time(seconds), expected);
        }
        for seconds in [i64::MIN, i64::MAX] {
            assert!(date_time(seconds).contains('T'));
            assert!(Time::unix(seconds).rfc1123().ends_with(" UTC"));
        }
    }

    #[test]
    fn fractions() {
        for (nanos, expected) in
            [(0, ""), (1, ".000000001"), (120_000_000, ".12"), (999_999_999, ".999999999")]
        {
            let mut text = String::new();
            put_fraction(nanos, &mut text);
            assert_eq!(text, expected);
        }
    }
}
