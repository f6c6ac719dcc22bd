//! Times as text, and as seconds since 1970 with nanoseconds.

use golang::time::calendar;

/// The text of RFC 3339 in UTC, with as many digits after the second as there are; `None` for a year that has not
/// four digits.
pub(crate) fn rfc3339_nano(seconds: i64, nanos: u32) -> Option<String> {
    let mut text = date_time(seconds)?;
    calendar::put_fraction(nanos, &mut text);
    text.push('Z');
    Some(text)
}

/// As [`rfc3339_nano`], with six digits after the second.
pub(crate) fn rfc3339_micro(seconds: i64, nanos: u32) -> Option<String> {
    let mut text = date_time(seconds)?;
    text.push('.');
    calendar::put_digits(u64::from(nanos / 1000), 6, &mut text);
    text.push('Z');
    Some(text)
}

/// Up to the second, without a zone.
fn date_time(seconds: i64) -> Option<String> {
    calendar::FOUR_DIGITS.contains(&seconds).then(|| calendar::date_time(seconds))
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
    let seconds = calendar::days_to(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    Some((seconds - offset, nanos))
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
