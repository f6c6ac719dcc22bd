//! Days of the Gregorian calendar, which goes back to before there was one, and times in UTC as text.
//!
//! Years are reckoned from March inside, so that the day that comes and goes is a year's last.

/// The first second of the year 0, and the last one of 9999: between them, a year has four digits.
pub const FOUR_DIGITS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

/// From March 1st of the year 0 to 1970.
const DAYS_TO_1970: i64 = 719_468;
const DAYS_OF_ERA: i64 = 146_097;

/// Returns how many days a month has, as Go's `time.daysIn`; one that there is not has none.
///
/// ```
/// use golang::time::calendar::days_in;
///
/// assert_eq!([days_in(2024, 2), days_in(1900, 2), days_in(2000, 2), days_in(2026, 13)], [29, 28, 29, 0]);
/// ```
pub fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Returns the days from 1970-01-01 to a date, which need not be one of its month.
pub fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - DAYS_TO_1970
}

/// Returns the year, month and day that are so many days after 1970-01-01, up to as many as there are in all seconds of an `i64`.
pub fn date(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (era, day) = (days.div_euclid(DAYS_OF_ERA), days.rem_euclid(DAYS_OF_ERA));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + next, month, day)
}

/// Returns the text of a time that is so many seconds after 1970 in UTC, as RFC 3339 has it, without a fraction and a zone.
///
/// ```
/// use golang::time::calendar::date_time;
///
/// assert_eq!(date_time(1_795_180_920), "2026-11-20T13:22:00");
/// ```
pub fn date_time(seconds: i64) -> String {
    let (year, month, day) = date(seconds.div_euclid(86_400));
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
pub fn put_digits(number: u64, width: u32, text: &mut String) {
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

    #[track_caller]
    fn check(seconds: i64, expected: &str) {
        assert_eq!(date_time(seconds), expected);
        let (year, month, day) = date(seconds.div_euclid(86_400));
        assert_eq!(days_to(year, month, day), seconds.div_euclid(86_400));
    }

    #[test]
    fn times() {
        check(0, "1970-01-01T00:00:00");
        check(-1, "1969-12-31T23:59:59");
        check(951_782_461, "2000-02-29T00:01:01");
        check(1_709_251_199, "2024-02-29T23:59:59");
        check(4_107_542_400, "2100-03-01T00:00:00");
        check(*FOUR_DIGITS.start(), "0000-01-01T00:00:00");
        check(FOUR_DIGITS.start() - 1, "-0001-12-31T23:59:59");
        check(*FOUR_DIGITS.end(), "9999-12-31T23:59:59");
        check(FOUR_DIGITS.end() + 1, "10000-01-01T00:00:00");
    }

    #[test]
    fn any_number_of_seconds_is_a_time() {
        for seconds in [i64::MIN, i64::MAX] {
            assert!(date_time(seconds).contains('T'));
        }
    }

    #[test]
    fn each_day_follows_the_one_before() {
        let mut before = date(-800_000);
        for days in -799_999..800_000 {
            let (year, month, day) = date(days);
            let (last_year, last_month, last_day) = before;
            let expected = match (last_day < days_in(last_year, last_month), last_month < 12) {
                (true, _) => (last_year, last_month, last_day + 1),
                (false, true) => (last_year, last_month + 1, 1),
                (false, false) => (last_year + 1, 1, 1),
            };
            assert_eq!((year, month, day), expected);
            before = expected;
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
