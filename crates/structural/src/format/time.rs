//! Dates, times and durations.

/// `2006-01-02`.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<u32> {
        let part = text.get(from..to)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// A date, a `T`, and `15:04:05` with or without a fraction, in a zone.
pub(super) fn is_date_time(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let two = |text: &str, most: u32| {
        text.len() == 2
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse::<u32>().is_ok_and(|number| number <= most)
    };
    let clock = time.get(..8).is_some_and(|clock| {
        let parts: Vec<&str> = clock.split(':').collect();
        matches!(parts.as_slice(), [hour, minute, second] if two(hour, 23) && two(minute, 59) && two(second, 59))
    });
    if !is_date(date) || !clock {
        return false;
    }
    let Some(rest) = time.get(8..) else { return false };
    is_zone(rest) || {
        // Any character stands for the point, as long as digits come after it.
        let mut rest = rest.chars();
        rest.next();
        let zone = rest.as_str().trim_start_matches(|c: char| c.is_ascii_digit());
        zone.len() < rest.as_str().len() && is_zone(zone)
    }
}

fn is_zone(text: &str) -> bool {
    let number = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text == "z"
        || text
            .strip_prefix(['+', '-'])
            .and_then(|zone| zone.split_once(':'))
            .is_some_and(|(hours, minutes)| number(hours) && number(minutes))
}

/// As Go writes durations (`1h30m`), or words after numbers (`2 days`).
pub(super) fn is_duration(text: &str) -> bool {
    is_go_duration(text) || is_spoken_duration(text)
}

const GO_UNITS: [(&str, f64); 8] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 6e10), ("h", 3.6e12)];

fn is_go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut nanos = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        if number.matches('.').count() > 1 || !number.bytes().any(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let Some((_, scale)) = GO_UNITS.iter().find(|(name, _)| *name == unit) else { return false };
        nanos += schema::parse_float(number).unwrap_or(f64::INFINITY) * scale;
        rest = after;
    }
    !text.is_empty() && !text.ends_with(['+', '-']) && nanos <= i64::MAX as f64
}

const SPOKEN_UNITS: [&[&str]; 8] = [
    &["ns", "nano"],
    &["us", "µs", "micro"],
    &["ms", "milli"],
    &["s", "sec"],
    &["m", "min"],
    &["h", "hr", "hour"],
    &["d", "day"],
    &["w", "wk", "week"],
];

/// Numbers and words in turn, of which one word is a unit.
fn is_spoken_duration(text: &str) -> bool {
    let space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
    let mut rest = text.trim_start_matches(space);
    let mut known = false;
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &rest[..rest.len() - after.len()];
        let word = after.trim_start_matches(space);
        let after = word.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == 'µ');
        let word = word[..word.len() - after.len()].to_lowercase();
        if number.parse::<i64>().is_err() || word.is_empty() {
            return false;
        }
        known |= SPOKEN_UNITS.iter().any(|names| {
            names.contains(&word.as_str()) || names.last().is_some_and(|long| word.starts_with(long))
        });
        rest = after.trim_start_matches(space);
    }
    known
}
