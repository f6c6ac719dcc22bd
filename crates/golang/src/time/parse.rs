//! Times out of text.

use super::{Time, calendar, quote::quote};

/// A layout of Go's `time.Parse`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `time.RFC3339`. A fraction of the second may be given, though the layout has none.
    Rfc3339,
    /// `metav1.RFC3339Micro`: six digits after the second, no more and no less.
    Rfc3339Micro,
    /// `2006-01-02T15:04:05`, in UTC. A fraction of the second may be given.
    DateTime,
    /// `time.DateOnly`.
    DateOnly,
}

impl Layout {
    fn text(self) -> &'static str {
        match self {
            Self::Rfc3339 => "2006-01-02T15:04:05Z07:00",
            Self::Rfc3339Micro => "2006-01-02T15:04:05.000000Z07:00",
            Self::DateTime => "2006-01-02T15:04:05",
            Self::DateOnly => "2006-01-02",
        }
    }
}

/// Reads a time, as Go's `time.Parse` does.
///
/// # Errors
/// The text of Go's `time.ParseError`.
pub fn parse(layout: Layout, text: &str) -> Result<Time, String> {
    Parser { text: text.as_bytes(), rest: text.as_bytes(), layout }.parse()
}

struct Parser<'a> {
    text: &'a [u8],
    rest: &'a [u8],
    layout: Layout,
}

/// A reason why an element of the layout does not match.
enum Mismatch {
    /// It is not there.
    Bad,
    /// A number is out of range: this is the name of the element.
    Range(&'static str),
}

impl Parser<'_> {
    fn parse(mut self) -> Result<Time, String> {
        let year = self.element("2006", Self::year)?;
        self.literal("-")?;
        let month = self.element("01", |it| in_range(it.two_digits()?, 1..=12, "month"))?;
        self.literal("-")?;
        let day = self.element("02", Self::two_digits)?;
        if self.layout == Layout::DateOnly {
            return self.end(year, month, day, 0, 0);
        }
        self.literal("T")?;
        let hour = self.element("15", |it| in_range(it.one_or_two_digits()?, 0..=23, "hour"))?;
        self.literal(":")?;
        let minute = self.element("04", |it| in_range(it.two_digits()?, 0..=59, "minute"))?;
        self.literal(":")?;
        let second = self.element("05", |it| in_range(it.two_digits()?, 0..=59, "second"))?;
        let nanos = match self.layout {
            Layout::Rfc3339Micro => self.element(".000000", Self::micros)?,
            _ => self.optional_fraction(),
        };
        let offset = match self.layout {
            Layout::DateTime => 0,
            _ => self.element("Z07:00", Self::zone)?,
        };
        self.end(year, month, day, hour * 3600 + minute * 60 + second - offset, nanos)
    }

    fn end(self, year: i64, month: i64, day: i64, second: i64, nanos: u32) -> Result<Time, String> {
        if !self.rest.is_empty() {
            return Err(self.error_about(&format!(": extra text: {}", quote(self.rest))));
        }
        if !(1..=calendar::days_in(year, month)).contains(&day) {
            return Err(self.error_about(": day out of range"));
        }
        Ok(Time { seconds: calendar::days_to(year, month, day) * 86400 + second, nanos })
    }

    fn error_about(&self, message: &str) -> String {
        format!("parsing time {}{message}", quote(self.text))
    }

    fn error_at(&self, rest: &[u8], element: &str) -> String {
        let (text, rest) = (quote(self.text), quote(rest));
        format!("parsing time {text} as \"{}\": cannot parse {rest} as \"{element}\"", self.layout.text())
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

    /// Reads a fraction after the seconds, which a layout without one admits too.
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

    /// Reads a zone as seconds east of UTC.
    fn zone(&mut self) -> Result<i64, Mismatch> {
        if let Some(rest) = self.rest.strip_prefix(b"Z") {
            self.rest = rest;
            return Ok(0);
        }
        let &[sign, h1, h2, b':', m1, m2] = self.take(6)? else { return Err(Mismatch::Bad) };
        // As in Go, minutes out of range come first, then hours out of range, then minutes that are no number.
        let (hours, minutes) = (digits(&[h1, h2])?, digits(&[m1, m2]));
        if minutes.as_ref().is_ok_and(|minutes| *minutes > 60) {
            return Err(Mismatch::Range("time zone offset minute"));
        }
        let hours = in_range(hours, 0..=24, "time zone offset hour")?;
        let minutes = minutes?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(layout: Layout, text: &str, expected: Result<(i64, u32), &str>) {
        let expected = expected.map(|(seconds, nanos)| Time { seconds, nanos });
        assert_eq!(parse(layout, text), expected.map_err(|why| format!("parsing time {why}")));
    }

    #[test]
    fn zones_and_fractions() {
        check(Layout::Rfc3339, "1970-01-01T01:00:00+01:00", Ok((0, 0)));
        check(Layout::Rfc3339, "1970-01-01T00:00:00.25-00:30", Ok((1800, 250_000_000)));
        check(Layout::DateTime, "1970-01-01T00:00:00,5", Ok((0, 500_000_000)));
        check(Layout::DateOnly, "1970-01-02", Ok((86_400, 0)));
    }

    #[test]
    fn other_texts_are_no_times() {
        check(
            Layout::Rfc3339,
            "1970-01-01",
            Err(r#""1970-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T""#),
        );
        check(Layout::Rfc3339, "1970-13-01T00:00:00Z", Err(r#""1970-13-01T00:00:00Z": month out of range"#));
        check(Layout::DateOnly, "1970-02-30", Err(r#""1970-02-30": day out of range"#));
        check(Layout::DateOnly, "1970-02-03é", Err(r#""1970-02-03\xc3\xa9": extra text: "\xc3\xa9""#));
        check(Layout::DateTime, "1970-01-01T00:00:00Z", Err(r#""1970-01-01T00:00:00Z": extra text: "Z""#));
        check(
            Layout::Rfc3339Micro,
            "1970-01-01T00:00:00Z",
            Err(
                r#""1970-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#,
            ),
        );
    }
}
