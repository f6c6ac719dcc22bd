//! Durations.

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
        nanos += golang::strconv::parse_float(number).unwrap_or(f64::INFINITY) * scale;
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
        let word = word[..word.len() - after.len()].to_ascii_lowercase();
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
