//! Dates and times, as the formats `date` and `date-time` of OpenAPI take them.
//!
//! See <https://pkg.go.dev/github.com/go-openapi/strfmt>.

use golang::time::calendar;

/// Whether it is a day that there was or will be: `2006-01-02`.
pub fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |length| number(parts.next()?, length);
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let days = calendar::days_in(year.into(), month.into());
    parts.next().is_none() && (1..=days).contains(&day.into())
}

/// Whether it is a date, a `T`, and `15:04:05` with or without a fraction, in a zone.
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
}
