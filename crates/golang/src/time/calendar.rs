//! Days of the Gregorian calendar, which is applied to all years, before its introduction too.
//!
//! Years are reckoned from March inside, so that the day that comes and goes is a year's last.

/// From March 1st of the year 0 to 1970.
const DAYS_TO_1970: i64 = 719_468;
const DAYS_OF_ERA: i64 = 146_097;

/// Returns the number of days of a month, as Go's `time.daysIn` does; 0 for a month that is not 1 to 12.
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

/// Returns the year, month and day that are so many days after 1970-01-01, which may be as many as the seconds of an `i64`
/// reach.
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(days_to(year, month, day), days);
            before = expected;
        }
    }
}
