//! Which scalars go-yaml takes for points in time.

use golang::time::calendar;

/// Reports whether this is a date, or a date and a time, as Go's `time.Parse` reads them by go-yaml's layouts: months,
/// days and what follows may have one digit, after `T` or `t` there must be a zone, after a space none.
pub(super) fn is_timestamp(text: &str) -> bool {
    date_and_rest(text).is_some_and(|rest| match rest.as_bytes().first() {
        None => true,
        Some(b'T' | b't') => time(&rest[1..]).is_some_and(is_zone),
        Some(b' ') => time(rest.trim_start_matches(' ')).is_some_and(str::is_empty),
        Some(_) => false,
    })
}

fn date_and_rest(text: &str) -> Option<&str> {
    let year: u32 =
        text.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    let (month, rest) = short_number(text[4..].strip_prefix('-')?)?;
    let (day, rest) = short_number(rest.strip_prefix('-')?)?;
    (1..=calendar::days_in(year.into(), month.into())).contains(&day.into()).then_some(rest)
}

/// Reads a time such as `15:4:5.999`, and returns the text after it.
fn time(text: &str) -> Option<&str> {
    let (hour, rest) = short_number(text)?;
    let (minute, rest) = short_number(rest.strip_prefix(':')?)?;
    let (second, rest) = short_number(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    match rest.strip_prefix(['.', ',']) {
        Some(fraction) if fraction.starts_with(|first: char| first.is_ascii_digit()) => {
            Some(fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()))
        }
        _ => Some(rest),
    }
}

/// `Z`, `+02:00` and their like.
fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'Z'] => true,
        [b'+' | b'-', h @ b'0'..=b'9', hh @ b'0'..=b'9', b':', m @ b'0'..=b'9', b'0'..=b'9'] => {
            (h - b'0') * 10 + (hh - b'0') <= 24 && *m <= b'5'
        }
        _ => false,
    }
}

/// A number of one digit or two.
fn short_number(text: &str) -> Option<(u32, &str)> {
    let count = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    Some((text.get(..count)?.parse().ok()?, &text[count..]))
}
