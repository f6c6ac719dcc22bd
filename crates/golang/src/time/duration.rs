//! Durations such as `5m0s`.

use super::quote::quote;

const SECOND: u64 = 1_000_000_000;
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1000),
    ("µs", 1000),
    ("μs", 1000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];
/// The longest duration below zero, in nanoseconds; above zero it is one less.
const LIMIT: u64 = 1 << 63;

/// Reads a duration, as Go's `time.ParseDuration` does: `1h30m`, `-1.5s`, `0`. Returns its nanoseconds.
///
/// # Errors
/// The text of Go's error.
///
/// ```
/// use golang::time::parse_duration;
///
/// assert_eq!(parse_duration("1.5s500ms"), Ok(2_000_000_000));
/// assert_eq!(parse_duration("5"), Err("time: missing unit in duration \"5\"".to_owned()));
/// ```
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text.as_bytes()));
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (whole, after) = split(rest, |byte| byte.is_ascii_digit());
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => split(after, |byte| byte.is_ascii_digit()),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let whole = if whole.is_empty() { Some(0) } else { whole.parse().ok().filter(|it| *it <= LIMIT) };
        let whole: u64 = whole.ok_or_else(invalid)?;
        let (unit, after) = split(after, |byte| byte != b'.' && !byte.is_ascii_digit());
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", quote(text.as_bytes())));
        }
        let Some((_, nanos)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let (unit, text) = (quote(unit.as_bytes()), quote(text.as_bytes()));
            return Err(format!("time: unknown unit {unit} in duration {text}"));
        };
        sum = whole
            .checked_mul(*nanos)
            .and_then(|whole| whole.checked_add(part(fraction, *nanos)))
            .and_then(|part| sum.checked_add(part))
            .filter(|sum| *sum <= LIMIT)
            .ok_or_else(invalid)?;
        rest = after;
    }
    match i64::try_from(sum) {
        Ok(sum) => Ok(if negative { -sum } else { sum }),
        Err(_) if negative => Ok(i64::MIN),
        Err(_) => Err(invalid()),
    }
}

/// Returns so many nanoseconds as the decimal fraction is of a unit, with the float arithmetic of Go's
/// `leadingFraction`. Digits that do not fit into 63 bits do not count.
fn part(fraction: &str, unit: u64) -> u64 {
    let (mut number, mut scale) = (0_u64, 1.0);
    for digit in fraction.bytes() {
        if number > (LIMIT - 1) / 10 {
            break;
        }
        let next = number * 10 + u64::from(digit - b'0');
        if next > LIMIT {
            break;
        }
        number = next;
        scale *= 10.0;
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

fn split(text: &str, mut of: impl FnMut(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().take_while(|byte| of(*byte)).count())
}

/// Returns a number of nanoseconds as text, as Go's `Duration.String` does.
pub fn format_duration(nanos: i64) -> String {
    let (negative, nanos) = (nanos < 0, nanos.unsigned_abs());
    let sign = if negative { "-" } else { "" };
    match nanos {
        0 => "0s".to_owned(),
        1..1000 => format!("{sign}{nanos}ns"),
        1000..1_000_000 => format!("{sign}{}µs", decimal(nanos, 1000)),
        1_000_000..SECOND => format!("{sign}{}ms", decimal(nanos, 1_000_000)),
        _ => {
            let (minutes, rest) = (nanos / SECOND / 60, nanos % (60 * SECOND));
            let seconds = decimal(rest, SECOND);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// Returns `nanos` in multiples of `unit`, without zeros at the end.
fn decimal(nanos: u64, unit: u64) -> String {
    let (whole, fraction) = (nanos / unit, nanos % unit);
    if fraction == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    format!("{whole}.{}", format!("{fraction:0width$}").trim_end_matches('0'))
}
