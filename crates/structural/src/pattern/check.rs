//! Validation of regular expressions, with the errors of Go's `regexp`.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation>. The
//! syntax is <https://github.com/google/re2/wiki/Syntax>. Nothing is compiled: the reader keeps of each expression only
//! what limits depend on.

use super::unicode;

const LARGEST: u64 = (128 << 20) / 40;
const DEEPEST: u32 = 1000;
const MOST_REPEATS: i64 = 1000;

const BAD_RANGE: &str = "invalid character class range";
const BAD_ESCAPE: &str = "invalid escape sequence";
const BAD_PERL: &str = "invalid or unsupported Perl syntax";
const BAD_NAME: &str = "invalid named capture";
const BAD_COUNT: &str = "invalid repeat count";
const NESTED: &str = "invalid nested repetition operator";
const NOTHING: &str = "missing argument to repetition operator";
const UNOPENED: &str = "unexpected )";
const UNCLOSED: &str = "missing closing )";

/// The error of an expression that Go does not compile.
pub(super) fn check(expression: &str) -> Result<(), String> {
    let mut parser = Parser { whole: expression, frames: vec![Frame::default()] };
    parser.parse().map_err(|(why, part)| format!("error parsing regexp: {why}: `{part}`"))
}

/// The error, and the part of the expression that it is about.
pub(super) type Wrong<'a> = (&'static str, &'a str);

/// An expression, as far as limits go.
#[derive(Clone, Copy)]
struct Size {
    /// Instructions.
    instructions: u64,
    /// How deep it nests.
    height: u32,
    /// How often the innermost may come.
    repeats: i64,
}

const LEAF: Size = Size { instructions: 1, height: 1, repeats: 0 };

impl Size {
    /// One that holds others.
    fn around(all: &[Self], more: u64) -> Self {
        let mut size = Self { instructions: more, height: 0, repeats: 0 };
        for part in all {
            size.instructions = size.instructions.saturating_add(part.instructions);
            size.height = size.height.max(part.height);
            size.repeats = size.repeats.max(part.repeats);
        }
        Self { instructions: size.instructions.max(1), height: size.height + 1, ..size }
    }

    fn repeated(self, min: i64, max: i64) -> Self {
        let one = self.instructions;
        let count = |n: i64| u64::try_from(n).unwrap_or_default();
        let instructions = match (min, max) {
            (0, -1) => one.saturating_add(2),
            (min, -1) => one.saturating_mul(count(min)).saturating_add(1),
            (min, max) => one.saturating_mul(count(max)).saturating_add(count(max - min)),
        };
        let times = if max < 0 { min } else { max };
        let repeats = match (max, times) {
            (0, _) => 0,
            (_, 0) => self.repeats,
            (_, times) => times.max(times.saturating_mul(self.repeats)),
        };
        Self { instructions: instructions.max(1), height: self.height + 1, repeats }
    }
}

/// A group that is not closed yet; the first is the whole.
#[derive(Default)]
struct Frame {
    captures: bool,
    /// The alternatives that are done.
    done: Vec<Size>,
    /// The parts of the current alternative, which follow one another.
    sequence: Vec<Size>,
}

impl Frame {
    fn end_alternative(&mut self) {
        let size = match self.sequence.as_slice() {
            [] => LEAF,
            [one] => *one,
            all => Size::around(all, 0),
        };
        self.sequence.clear();
        self.done.push(size);
    }

    fn close(mut self) -> Size {
        self.end_alternative();
        let size = match self.done.as_slice() {
            [one] => *one,
            all => Size::around(all, all.len() as u64 - 1),
        };
        if self.captures { Size::around(&[size], 2) } else { size }
    }
}

struct Parser<'a> {
    whole: &'a str,
    frames: Vec<Frame>,
}

impl<'a> Parser<'a> {
    fn parse(&mut self) -> Result<(), Wrong<'a>> {
        let mut rest = self.whole;
        let mut last_repeat = "";
        while let Some(c) = rest.chars().next() {
            let mut repeat = "";
            let after = &rest[c.len_utf8()..];
            rest = match c {
                '(' if after.starts_with('?') => self.group(rest)?,
                '(' => {
                    self.frames.push(Frame { captures: true, ..Frame::default() });
                    after
                }
                '|' => {
                    self.top().end_alternative();
                    after
                }
                ')' => {
                    if self.frames.len() < 2 {
                        return Err((UNOPENED, self.whole));
                    }
                    let size = self.frames.pop().unwrap_or_default().close();
                    self.push(size)?;
                    after
                }
                '[' => {
                    let rest = class(rest)?;
                    self.push(LEAF)?;
                    rest
                }
                '*' | '+' | '?' => {
                    repeat = rest;
                    self.repeat(rest, after, last_repeat, |size| match c {
                        '*' => Size::around(&[size], 2),
                        _ => Size::around(&[size], 1),
                    })?
                }
                '{' => match counts(rest) {
                    None => {
                        self.push(LEAF)?;
                        after
                    }
                    Some((min, max, after)) => {
                        let bad = !(0..=MOST_REPEATS).contains(&min)
                            || max > MOST_REPEATS
                            || (max >= 0 && min > max);
                        if bad {
                            return Err((BAD_COUNT, until(rest, after)));
                        }
                        repeat = rest;
                        let next = self.repeat(rest, after, last_repeat, |size| size.repeated(min, max))?;
                        let size = self.top().sequence.last().copied().unwrap_or(LEAF);
                        if (min >= 2 || max >= 2) && size.repeats > MOST_REPEATS {
                            return Err((BAD_COUNT, until(rest, next)));
                        }
                        next
                    }
                },
                '\\' => self.escaped(rest)?,
                _ => {
                    self.push(LEAF)?;
                    after
                }
            };
            last_repeat = repeat;
        }
        if self.frames.len() > 1 {
            return Err((UNCLOSED, self.whole));
        }
        let size = self.frames.pop().unwrap_or_default().close();
        self.limit(size)
    }

    fn top(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn push(&mut self, size: Size) -> Result<(), Wrong<'a>> {
        self.limit(size)?;
        self.top().sequence.push(size);
        Ok(())
    }

    fn limit(&self, size: Size) -> Result<(), Wrong<'a>> {
        if size.instructions > LARGEST {
            return Err(("expression too large", self.whole));
        }
        if size.height > DEEPEST {
            return Err(("expression nests too deeply", self.whole));
        }
        Ok(())
    }

    /// A repetition, which begins `at` and is followed by `after` if it is greedy.
    fn repeat(
        &mut self,
        at: &'a str,
        after: &'a str,
        last: &'a str,
        repeated: impl Fn(Size) -> Size,
    ) -> Result<&'a str, Wrong<'a>> {
        let after = after.strip_prefix('?').unwrap_or(after);
        if !last.is_empty() {
            return Err((NESTED, until(last, after)));
        }
        let Some(size) = self.top().sequence.pop() else { return Err((NOTHING, until(at, after))) };
        self.push(repeated(size))?;
        Ok(after)
    }

    /// `(?i)`, `(?:`, `(?P<name>` and what else begins with `(?`.
    fn group(&mut self, at: &'a str) -> Result<&'a str, Wrong<'a>> {
        let bytes = at.as_bytes();
        let start = if bytes.len() > 4 && at.starts_with("(?P<") {
            4
        } else if bytes.len() > 3 && at.starts_with("(?<") {
            3
        } else {
            return self.flags(at);
        };
        let Some(end) = at.find('>') else { return Err((BAD_NAME, at)) };
        let name = at.get(start..end).unwrap_or_default();
        if name.is_empty() || !name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
            return Err((BAD_NAME, &at[..=end]));
        }
        self.frames.push(Frame { captures: true, ..Frame::default() });
        Ok(&at[end + 1..])
    }

    fn flags(&mut self, at: &'a str) -> Result<&'a str, Wrong<'a>> {
        let (mut negated, mut saw_flag) = (false, false);
        let mut rest = &at[2..];
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                'i' | 'm' | 's' | 'U' => saw_flag = true,
                '-' if !negated => (negated, saw_flag) = (true, false),
                ':' | ')' if !negated || saw_flag => {
                    if c == ':' {
                        self.frames.push(Frame::default());
                    }
                    return Ok(rest);
                }
                _ => break,
            }
        }
        Err((BAD_PERL, until(at, rest)))
    }

    fn escaped(&mut self, at: &'a str) -> Result<&'a str, Wrong<'a>> {
        let two = |rest: &'a str| rest.chars().next().map_or("", |c| &rest[c.len_utf8()..]);
        match at[1..].chars().next() {
            Some('A' | 'b' | 'B' | 'z') => {
                self.push(LEAF)?;
                Ok(two(&at[1..]))
            }
            Some('C') => Err((BAD_ESCAPE, &at[..2])),
            Some('Q') => {
                let (literal, rest) = at[2..].split_once("\\E").unwrap_or((&at[2..], ""));
                for _ in literal.chars() {
                    self.push(LEAF)?;
                }
                Ok(rest)
            }
            Some('p' | 'P') => {
                let rest = unicode_class(at)?;
                self.push(LEAF)?;
                Ok(rest)
            }
            Some('d' | 'D' | 's' | 'S' | 'w' | 'W') => {
                self.push(LEAF)?;
                Ok(&at[2..])
            }
            _ => {
                let (_, rest) = escape(at)?;
                self.push(LEAF)?;
                Ok(rest)
            }
        }
    }
}

/// The part of `all` before `rest`, with which it ends.
fn until<'a>(all: &'a str, rest: &str) -> &'a str {
    all.get(..all.len().saturating_sub(rest.len())).unwrap_or(all)
}

/// `{n}`, `{n,}` or `{n,m}`: the smallest and the largest count, and what follows. -1 is no limit; as the smallest, too big.
pub(super) fn counts(at: &str) -> Option<(i64, i64, &str)> {
    let (mut min, rest) = number(at.strip_prefix('{')?)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (min, rest),
        Some(rest) if rest.starts_with('}') => (-1, rest),
        Some(rest) => {
            let (max, rest) = number(rest)?;
            if max < 0 {
                min = -1;
            }
            (max, rest)
        }
    };
    Some((min, max, rest.strip_prefix('}')?))
}

/// A number without leading zeros, -1 if it is too big.
fn number(at: &str) -> Option<(i64, &str)> {
    let end = at.find(|c: char| !c.is_ascii_digit()).unwrap_or(at.len());
    let (digits, rest) = at.split_at(end);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    let number = if digits.len() > 9 { -1 } else { digits.parse().unwrap_or(-1) };
    Some((number, rest))
}

/// `\p{Greek}`, `\pL`, `\P{^Greek}`.
fn unicode_class(at: &str) -> Result<&str, Wrong<'_>> {
    let Some(first) = at.get(2..).and_then(|rest| rest.chars().next()) else {
        // Nothing follows: an ordinary escape, which there is none of.
        return Err((BAD_RANGE, at));
    };
    let (sequence, name) = if first == '{' {
        let Some(end) = at.find('}') else { return Err((BAD_RANGE, at)) };
        (&at[..=end], &at[3..end])
    } else {
        let end = 2 + first.len_utf8();
        (&at[..end], &at[2..end])
    };
    let name = name.strip_prefix('^').unwrap_or(name);
    if unicode::is_class(name) { Ok(&at[sequence.len()..]) } else { Err((BAD_RANGE, sequence)) }
}

/// A character after a backslash, and what follows.
pub(super) fn escape(at: &str) -> Result<(char, &str), Wrong<'_>> {
    let mut chars = at[1..].chars();
    let Some(c) = chars.next() else { return Err(("trailing backslash at end of expression", "")) };
    let rest = chars.as_str();
    let octal = |c: char| c.is_digit(8);
    let code = |code: u32| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    match c {
        '0'..='7' if c == '0' || rest.starts_with(octal) => {
            let end = rest.chars().take(2).take_while(|c| octal(*c)).count();
            let value = u32::from_str_radix(&at[1..2 + end], 8).unwrap_or_default();
            Ok((code(value), &rest[end..]))
        }
        'x' => hexadecimal(at, rest).map(|(value, rest)| (code(value), rest)),
        'a' => Ok(('\x07', rest)),
        'f' => Ok(('\x0c', rest)),
        'n' => Ok(('\n', rest)),
        'r' => Ok(('\r', rest)),
        't' => Ok(('\t', rest)),
        'v' => Ok(('\x0b', rest)),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok((c, rest)),
        _ => Err((BAD_ESCAPE, until(at, rest))),
    }
}

/// `41` or `{1F600}`, after `\x`.
fn hexadecimal<'a>(at: &'a str, digits: &'a str) -> Result<(u32, &'a str), Wrong<'a>> {
    let mut chars = digits.chars();
    let mut value = 0_u32;
    let braces = digits.starts_with('{');
    if braces {
        chars.next();
    }
    let mut count = 0;
    loop {
        if !braces && count == 2 {
            return Ok((value, chars.as_str()));
        }
        let next = chars.next();
        match next {
            Some('}') if braces && count > 0 => return Ok((value, chars.as_str())),
            Some(c) => match c.to_digit(16) {
                Some(digit) if value * 16 + digit <= 0x10_ffff => value = value * 16 + digit,
                _ => {
                    // Go reads both digits before it looks at them.
                    if !braces && count == 0 {
                        chars.next();
                    }
                    return Err((BAD_ESCAPE, until(at, chars.as_str())));
                }
            },
            None => return Err((BAD_ESCAPE, at)),
        }
        count += 1;
    }
}

const POSIX: &str = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit";

/// A character class in brackets; gives what follows.
fn class(at: &str) -> Result<&str, Wrong<'_>> {
    let mut rest = at[1..].strip_prefix('^').unwrap_or(&at[1..]);
    let mut first = true;
    while first || !rest.starts_with(']') {
        first = false;
        if let Some(end) = rest.strip_prefix("[:").and_then(|inner| inner.find(":]")) {
            let (name, whole) = (&rest[2..2 + end], &rest[..end + 4]);
            let name = name.strip_prefix('^').unwrap_or(name);
            if !POSIX.split(' ').any(|known| known == name) {
                return Err((BAD_RANGE, whole));
            }
            rest = &rest[whole.len()..];
            continue;
        }
        if rest.starts_with("\\p") || rest.starts_with("\\P") {
            rest = unicode_class(rest)?;
            continue;
        }
        if rest.strip_prefix('\\').is_some_and(|rest| rest.starts_with(['d', 'D', 's', 'S', 'w', 'W'])) {
            rest = &rest[2..];
            continue;
        }
        let range = rest;
        let (low, after) = class_character(rest, at)?;
        rest = after;
        if rest.len() >= 2 && rest.starts_with('-') && !rest.starts_with("-]") {
            let (high, after) = class_character(&rest[1..], at)?;
            if high < low {
                return Err((BAD_RANGE, until(range, after)));
            }
            rest = after;
        }
    }
    Ok(&rest[1..])
}

pub(super) fn class_character<'a>(at: &'a str, class: &'a str) -> Result<(char, &'a str), Wrong<'a>> {
    let mut chars = at.chars();
    match chars.next() {
        None => Err(("missing closing ]", class)),
        Some('\\') => escape(at),
        Some(c) => Ok((c, chars.as_str())),
    }
}

#[cfg(test)]
mod tests;
