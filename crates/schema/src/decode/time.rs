//! RFC 3339 times as Go's `time.Parse` reads them and Kubernetes writes them.

use std::fmt::Write as _;

use crate::calendar;

/// Which of its two times Kubernetes has in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// `metav1.Time`: whole seconds are kept, a fraction may be given.
    Seconds,
    /// `metav1.MicroTime`: six digits of a second, no more and no less.
    Micros,
}

/// Reads a time and writes it in UTC. The first moment of the year 1 is Go's zero time: `None`.
///
/// # Errors
/// The text of Go's `time.ParseError`.
pub(super) fn canonical(text: &str, precision: Precision) -> Result<Option<String>, String> {
    let parser = Parser { text: text.as_bytes(), rest: text.as_bytes(), precision };
    let time = parser.parse()?;
    if time.seconds == calendar::days_to(1, 1, 1) * 86400 && time.nanos == 0 {
        return Ok(None);
    }
    let mut out = calendar::date_time(time.seconds);
    if precision == Precision::Micros {
        out.push('.');
        calendar::put_digits(u64::from(time.nanos / 1000), 6, &mut out);
    }
    out.push('Z');
    Ok(Some(out))
}

struct Time {
    /// Since 1970, in UTC.
    seconds: i64,
    nanos: u32,
}

struct Parser<'a> {
    text: &'a [u8],
    rest: &'a [u8],
    precision: Precision,
}

/// Why an element of the layout does not match.
enum Mismatch {
    /// It is not there.
    Bad,
    /// Its number is out of range: this is its name.
    Range(&'static str),
}

impl Parser<'_> {
    fn parse(mut self) -> Result<Time, String> {
        let year = self.element("2006", Self::year)?;
        self.literal("-")?;
        let month = self.element("01", |it| in_range(it.two_digits()?, 1..=12, "month"))?;
        self.literal("-")?;
        let day = self.element("02", Self::two_digits)?;
        self.literal("T")?;
        let hour = self.element("15", |it| in_range(it.one_or_two_digits()?, 0..=23, "hour"))?;
        self.literal(":")?;
        let minute = self.element("04", |it| in_range(it.two_digits()?, 0..=59, "minute"))?;
        self.literal(":")?;
        let second = self.element("05", |it| in_range(it.two_digits()?, 0..=59, "second"))?;
        let nanos = match self.precision {
            Precision::Seconds => self.optional_fraction(),
            Precision::Micros => self.element(".000000", Self::micros)?,
        };
        let offset = self.element("Z07:00", Self::zone)?;
        if !self.rest.is_empty() {
            return Err(self.error_about(&format!(": extra text: {}", quote(self.rest))));
        }
        if !(1..=calendar::days_in(year, month)).contains(&day) {
            return Err(self.error_about(": day out of range"));
        }
        let seconds =
            calendar::days_to(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
        Ok(Time { seconds, nanos })
    }

    fn layout(&self) -> &'static str {
        match self.precision {
            Precision::Seconds => "2006-01-02T15:04:05Z07:00",
            Precision::Micros => "2006-01-02T15:04:05.000000Z07:00",
        }
    }

    fn error_about(&self, message: &str) -> String {
        format!("parsing time {}{message}", quote(self.text))
    }

    fn error_at(&self, rest: &[u8], element: &str) -> String {
        let (text, rest) = (quote(self.text), quote(rest));
        format!("parsing time {text} as \"{}\": cannot parse {rest} as \"{element}\"", self.layout())
    }

    fn literal(&mut self, literal: &str) -> Result<(), String> {
        match self.rest.strip_prefix(literal.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.error_at(self.rest, literal)),
        }
    }

    fn element<T>(
        &mut self,
        element: &str,
        read: impl FnOnce(&mut Self) -> Result<T, Mismatch>,
    ) -> Result<T, String> {
        let before = self.rest;
        read(self).map_err(|mismatch| match mismatch {
            Mismatch::Bad => self.error_at(before, element),
            Mismatch::Range(name) => self.error_about(&format!(": {name} out of range")),
        })
    }

    fn take(&mut self, count: usize) -> Result<&[u8], Mismatch> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Mismatch::Bad)?;
        self.rest = rest;
        Ok(taken)
    }

    fn year(&mut self) -> Result<i64, Mismatch> {
        digits(self.take(4)?)
    }

    fn two_digits(&mut self) -> Result<i64, Mismatch> {
        digits(self.take(2)?)
    }

    fn one_or_two_digits(&mut self) -> Result<i64, Mismatch> {
        let count = if self.rest.get(1).is_some_and(u8::is_ascii_digit) { 2 } else { 1 };
        digits(self.take(count)?)
    }

    /// A fraction after the seconds, which a layout without one admits too.
    fn optional_fraction(&mut self) -> u32 {
        let (Some(b'.' | b','), Some(b'0'..=b'9')) = (self.rest.first(), self.rest.get(1)) else { return 0 };
        let count = self.rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let fraction = &self.rest[1..1 + count];
        self.rest = &self.rest[1 + count..];
        let digit = |index: usize| fraction.get(index).map_or(0, |byte| u32::from(byte - b'0'));
        (0..9).fold(0, |nanos, index| nanos * 10 + digit(index))
    }

    fn micros(&mut self) -> Result<u32, Mismatch> {
        let [b'.' | b',', fraction @ ..] = self.take(7)? else { return Err(Mismatch::Bad) };
        // Go reads the six characters as a number, which may have a sign.
        let micros = match fraction {
            [b'+', number @ ..] => digits(number)?,
            [b'-', number @ ..] => -digits(number)?,
            number => digits(number)?,
        };
        Ok(in_range(micros, 0..=999_999, "fractional second")? as u32 * 1000)
    }

    /// Seconds east of UTC.
    fn zone(&mut self) -> Result<i64, Mismatch> {
        if let Some(rest) = self.rest.strip_prefix(b"Z") {
            self.rest = rest;
            return Ok(0);
        }
        let &[sign, h1, h2, b':', m1, m2] = self.take(6)? else { return Err(Mismatch::Bad) };
        let hours = in_range(digits(&[h1, h2])?, 0..=24, "time zone offset hour")?;
        let minutes = in_range(digits(&[m1, m2])?, 0..=60, "time zone offset minute")?;
        let sign = match sign {
            b'+' => 1,
            b'-' => -1,
            _ => return Err(Mismatch::Bad),
        };
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}

fn in_range(number: i64, range: std::ops::RangeInclusive<i64>, name: &'static str) -> Result<i64, Mismatch> {
    if range.contains(&number) { Ok(number) } else { Err(Mismatch::Range(name)) }
}

fn digits(bytes: &[u8]) -> Result<i64, Mismatch> {
    bytes.iter().try_fold(0, |number, byte| match byte {
        b'0'..=b'9' => Ok(number * 10 + i64::from(byte - b'0')),
        _ => Err(Mismatch::Bad),
    })
}

/// Text as `time` quotes it in errors: what is not printable ASCII by its bytes.
pub(super) fn quote(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=0x7f => out.push(char::from(byte)),
            // Writing to a String does not fail.
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}
