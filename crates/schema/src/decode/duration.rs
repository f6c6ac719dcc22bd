//! Durations such as `5m0s`, as Go's `time` reads and writes them.

use super::time::quote;

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

/// The duration as Go writes it.
///
/// # Errors
/// The text of Go's error.
pub(super) fn canonical(text: &str) -> Result<String, String> {
    let (negative, nanos) = parse(text)?;
    Ok(format(negative, nanos))
}

fn parse(text: &str) -> Result<(bool, u64), String> {
    let invalid = || format!("time: invalid duration {}", quote(text.as_bytes()));
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok((false, 0));
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
        let whole = whole.ok_or_else(invalid)?;
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
    if !negative && sum == LIMIT { Err(invalid()) } else { Ok((negative && sum > 0, sum)) }
}

/// So many nanoseconds as the decimal fraction is of `unit`.
fn part(fraction: &str, unit: u64) -> u64 {
    let digits = fraction.bytes().take(18).map(|byte| u128::from(byte - b'0'));
    let (number, scale) = digits.fold((0, 1), |(number, scale), digit| (number * 10 + digit, scale * 10));
    u64::try_from(number * u128::from(unit) / scale).unwrap_or(0)
}

fn split(text: &str, mut of: impl FnMut(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().take_while(|byte| of(*byte)).count())
}

fn format(negative: bool, nanos: u64) -> String {
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

/// `nanos` in multiples of `unit`, without zeros at the end.
fn decimal(nanos: u64, unit: u64) -> String {
    let (whole, fraction) = (nanos / unit, nanos % unit);
    if fraction == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    format!("{whole}.{}", format!("{fraction:0width$}").trim_end_matches('0'))
}
