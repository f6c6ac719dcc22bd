//! Times as text, and as seconds since 1970 with nanoseconds.

/// The text of RFC 3339 in UTC, with as many digits after the second as there are; `None` for a year that has not
/// four digits.
pub(crate) fn rfc3339_nano(seconds: i64, nanos: u32) -> Option<String> {
    let mut text = rfc3339(seconds)?;
    if nanos != 0 {
        let fraction = format!("{nanos:09}");
        text.push('.');
        text.push_str(fraction.trim_end_matches('0'));
    }
    text.push('Z');
    Some(text)
}

/// As [`rfc3339_nano`], with six digits after the second.
pub(crate) fn rfc3339_micro(seconds: i64, nanos: u32) -> Option<String> {
    let text = rfc3339(seconds)?;
    Some(format!("{text}.{:06}Z", nanos / 1000))
}

/// Up to the second, without a zone.
fn rfc3339(seconds: i64) -> Option<String> {
    let day = seconds.div_euclid(86400);
    let second = seconds.rem_euclid(86400);
    let (year, month, day) = civil_from_days(day)?;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

/// Reads a time of RFC 3339: its seconds since 1970 and its nanoseconds.
pub(crate) fn parse(text: &str) -> Option<(i64, u32)> {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        digits
            .iter()
            .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
    };
    let literal = |at: usize, byte: u8| (bytes.get(at) == Some(&byte)).then_some(());
    let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    for (at, byte) in [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')] {
        literal(at, byte)?;
    }
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut at = 19;
    let mut nanos = 0;
    if literal(at, b'.').is_some() {
        let start = at + 1;
        at = start + bytes.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if at == start {
            return None;
        }
        let fraction = format!("{:0<9}", text.get(start..at.min(start + 9))?);
        nanos = fraction.parse().ok()?;
    }
    let offset = match bytes.get(at)? {
        b'Z' if bytes.len() == at + 1 => 0,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 => {
            literal(at + 3, b':')?;
            let minutes = digits(at + 1, at + 3)? * 60 + digits(at + 4, at + 6)?;
            if *sign == b'-' { -minutes * 60 } else { minutes * 60 }
        }
        _ => return None,
    };
    let seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    Some((seconds - offset, nanos))
}

/// The days from 1970-01-01 to a date, which need not be one of its month.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March end with the day that is not always there.
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - DAYS_TO_1970
}

/// From March 1st of the year 0.
const DAYS_TO_1970: i64 = 719_468;

/// The date that is so many days after 1970-01-01.
fn civil_from_days(days: i64) -> Option<(i64, i64, i64)> {
    let days = days.checked_add(DAYS_TO_1970)?;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    (0..=9999).contains(&year).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, seconds: i64, nanos: u32) {
        assert_eq!(parse(text), Some((seconds, nanos)));
        assert_eq!(rfc3339_nano(seconds, nanos).as_deref(), Some(text));
    }

    #[test]
    fn reads_what_it_writes() {
        check("1970-01-01T00:00:00Z", 0, 0);
        check("2026-01-01T00:00:00.123456Z", 1_767_225_600, 123_456_000);
        check("2000-02-29T23:59:59.5Z", 951_868_799, 500_000_000);
        check("1969-12-31T23:59:59.999999999Z", -1, 999_999_999);
        check("0001-01-01T00:00:00Z", -62_135_596_800, 0);
        check("9999-12-31T23:59:59Z", 253_402_300_799, 0);
        assert_eq!(rfc3339_nano(253_402_300_800, 0), None);
        assert_eq!(rfc3339_nano(i64::MAX, 0), None);
        assert_eq!(rfc3339_micro(0, 1_999).as_deref(), Some("1970-01-01T00:00:00.000001Z"));
    }

    #[test]
    fn reads_zones() {
        assert_eq!(parse("1970-01-01T01:00:00+01:00"), Some((0, 0)));
        assert_eq!(parse("1970-01-01T00:00:00.25-00:30"), Some((1800, 250_000_000)));
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "",
            "1970",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:00.Z",
            "1970-13-01T00:00:00Z",
            "1970-01-01T00:00:00Zé",
            "1970-01-01T00:00:00+1:00",
            "197é-01-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
