//! How long a client is willing to wait for an answer: the parameter `timeout` of requests that are not watches.
//!
//! Clients send it when they are told to give up after a while (`kubectl --request-timeout`). Who waits is told when that
//! time is over; who computes looks at the [`Deadline`] between two parts of its work.

use std::time::Duration;

use crate::clock::Clock;
use crate::status::Status;
use apimachinery::query::Query;
use field::quote;

/// What kube-apiserver lets a request take at most.
const MAXIMUM: Duration = Duration::from_secs(60);

/// Units of time as Go spells them, in nanoseconds.
const UNITS: &[(&str, f64)] = &[
    ("ns", 1.0),
    ("us", 1e3),
    ("\u{b5}s", 1e3),
    ("\u{3bc}s", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

/// When a request that is no watch has to be answered, on the stopwatch of its server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Duration);

impl Deadline {
    /// The end of so much time, or of what any request gets, from now.
    pub(crate) fn after(asked: Option<Duration>, clock: &dyn Clock) -> Self {
        Self(clock.stopwatch().saturating_add(asked.unwrap_or(MAXIMUM)))
    }

    /// Checks that there is time left.
    ///
    /// # Errors
    /// The 504 that says that there is none.
    pub(crate) fn check(self, clock: &dyn Clock) -> Result<(), Box<Status>> {
        if clock.stopwatch() < self.0 { Ok(()) } else { Err(Status::timeout()) }
    }
}

/// How long a request may take, if it asks for less than the minute that it gets anyway, in which every answer comes.
///
/// # Errors
/// The 400 for a `timeout` that is no duration.
pub(crate) fn of(query: &Query) -> Result<Option<Duration>, Box<Status>> {
    let text = query.text("timeout");
    if text.is_empty() {
        return Ok(None);
    }
    let nanoseconds = duration(text).map_err(|why| {
        Status::bad_request(format!("invalid timeout specified in the request URL - time: {why}"))
    })?;
    let asked = Duration::try_from_secs_f64(nanoseconds / 1e9).ok();
    Ok(asked.filter(|asked| !asked.is_zero() && *asked < MAXIMUM))
}

/// Reads a duration as Go's `time.ParseDuration` does, in nanoseconds; the error is Go's text.
fn duration(text: &str) -> Result<f64, String> {
    let invalid = || format!("invalid duration {}", quote(text));
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0.0);
    }
    let mut total = 0.0;
    if rest.is_empty() {
        return Err(invalid());
    }
    while !rest.is_empty() {
        let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let (whole, behind) = split(rest, |letter| !letter.is_ascii_digit());
        let (fraction, behind) = match behind.strip_prefix('.') {
            Some(behind) => split(behind, |letter| !letter.is_ascii_digit()),
            None => ("", behind),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let (unit, behind) = split(behind, is_number);
        if unit.is_empty() {
            return Err(format!("missing unit in duration {}", quote(text)));
        }
        let Some((_, nanoseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("unknown unit {} in duration {}", quote(unit), quote(text)));
        };
        let number = |digits: &str| digits.bytes().fold(0.0, |n, digit| n * 10.0 + f64::from(digit - b'0'));
        let scale = fraction.bytes().fold(1.0, |scale: f64, _| scale * 10.0);
        total += (number(whole) + number(fraction) / scale) * nanoseconds;
        rest = behind;
    }
    // Go counts nanoseconds in 63 bits.
    if total < 9_223_372_036_854_775_808.0 { Ok(sign * total) } else { Err(invalid()) }
}

/// Splits in front of the first letter that `ends` says so of.
fn split(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(timeout: &str, expected: Result<Option<f64>, &str>) {
        let found = of(&Query::parse(&format!("timeout={timeout}")));
        let expected =
            expected.map_err(|why| format!("invalid timeout specified in the request URL - time: {why}"));
        assert_eq!(
            found.map(|time| time.map(|time| time.as_secs_f64())).map_err(|status| status.message),
            expected
        );
    }

    #[test]
    fn timeouts() {
        check("", Ok(None));
        check("2s", Ok(Some(2.0)));
        check("1.5s500ms", Ok(Some(2.0)));
        check(".5m", Ok(Some(30.0)));
        check("0", Ok(None));
        check("-5s", Ok(None));
        check("100h", Ok(None));
        check("abc", Err("invalid duration \"abc\""));
        check("5", Err("missing unit in duration \"5\""));
        check("5x", Err("unknown unit \"x\" in duration \"5x\""));
        check("-", Err("invalid duration \"-\""));
        check(".s", Err("invalid duration \".s\""));
        check("9999999h", Err("invalid duration \"9999999h\""));
        check(&format!("{}1s", "0.".repeat(2)), Err("missing unit in duration \"0.0.1s\""));
    }
}
