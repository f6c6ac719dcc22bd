//! Regular expressions as Go writes them.
//!
//! See <https://github.com/google/re2/wiki/Syntax>. A pattern is checked with Go's errors and translated into the
//! syntax of `regex-lite`, which is small, and like RE2 linear in time. It knows little of Unicode: of classes such as
//! `\p{Greek}` only the larger ranges match, and `(?i)` folds ASCII.

mod class;

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex_lite::RegexBuilder;

/// Groups may be nested this deep.
const MAX_DEPTH: usize = 200;
/// What a counted repetition may ask for.
const MAX_REPEAT: u32 = 1000;

/// A pattern of a schema, compiled when it is first needed.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    source: String,
    compiled: OnceLock<Compiled>,
}

/// What tells whether it matches, if it is not too large; or what is wrong with it.
type Compiled = Result<Option<Matcher>, String>;

/// Whoever only reads schemas does not need the code of regular expressions: nothing but this leads there.
#[derive(Clone)]
struct Matcher(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Matcher")
    }
}

impl Pattern {
    /// A pattern that may be wrong.
    pub fn new(source: &str) -> Self {
        Self { source: source.to_owned(), compiled: OnceLock::new() }
    }

    /// The pattern as it was written; empty if there is none.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What is wrong with the pattern, in Go's words: ``error parsing regexp: missing closing ]: `[a` ``.
    ///
    /// # Errors
    /// That text.
    pub fn check(&self) -> Result<(), &str> {
        self.compiled().as_ref().map(|_| ()).map_err(String::as_str)
    }

    /// Whether there is a match anywhere in `text`. What is too large to be tried matches.
    ///
    /// # Errors
    /// As [`Pattern::check`].
    pub fn is_match(&self, text: &str) -> Result<bool, &str> {
        match self.compiled() {
            Ok(matcher) => Ok(matcher.as_ref().is_none_or(|Matcher(matches)| matches(text))),
            Err(why) => Err(why),
        }
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let translated = Translator::new(&self.source).run().map_err(|error| error.text())?;
            let regex = RegexBuilder::new(&translated).nest_limit(2 * MAX_DEPTH as u32).build().ok();
            Ok(regex.map(|regex| Matcher(Arc::new(move |text: &str| regex.is_match(text)))))
        })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// What is wrong, and the part of the pattern that it is about.
struct SyntaxError<'a> {
    what: &'static str,
    part: &'a str,
}

impl SyntaxError<'_> {
    fn text(&self) -> String {
        format!("error parsing regexp: {}: `{}`", self.what, self.part)
    }
}

type Parsed<'a, T> = Result<T, SyntaxError<'a>>;

fn wrong<'a, T>(what: &'static str, part: &'a str) -> Parsed<'a, T> {
    Err(SyntaxError { what, part })
}

/// Reads Go's syntax and writes that of `regex-lite`.
struct Translator<'a> {
    pattern: &'a str,
    at: usize,
    out: String,
    /// How many groups are open.
    depth: usize,
    /// Whether there is something that a repetition could repeat.
    operand: bool,
    /// Where the last repetition began, if nothing has come after it.
    repeated: Option<usize>,
}

impl<'a> Translator<'a> {
    fn new(pattern: &'a str) -> Self {
        Self { pattern, at: 0, out: String::new(), depth: 0, operand: false, repeated: None }
    }

    fn rest(&self) -> &'a str {
        &self.pattern[self.at..]
    }

    fn run(mut self) -> Parsed<'a, String> {
        while let Some(c) = self.rest().chars().next() {
            let begin = self.at;
            match c {
                '(' => self.open()?,
                ')' => {
                    if self.depth == 0 {
                        return wrong("unexpected )", self.pattern);
                    }
                    self.depth -= 1;
                    self.take(c);
                    self.operand = true;
                }
                '|' => {
                    self.take(c);
                    self.operand = false;
                }
                '*' | '+' | '?' => {
                    self.at += 1;
                    self.repeat(begin, &c.to_string())?;
                    continue;
                }
                '{' => {
                    if let Some((min, max)) = self.counts() {
                        let valid = min <= MAX_REPEAT
                            && max.is_none_or(|max| max.is_none_or(|max| min <= max && max <= MAX_REPEAT));
                        if !valid {
                            return wrong("invalid repeat count", &self.pattern[begin..self.at]);
                        }
                        let text = self.pattern[begin..self.at].to_owned();
                        self.repeat(begin, &text)?;
                        continue;
                    }
                    self.at += 1;
                    self.literal(c);
                }
                '[' => {
                    let class = class::bracketed(self.rest())?;
                    self.at += class.length;
                    self.put(&class.text);
                }
                '\\' => self.escape()?,
                '.' | '^' | '$' => {
                    self.take(c);
                    self.operand = true;
                }
                _ => {
                    self.at += c.len_utf8();
                    self.literal(c);
                }
            }
            self.repeated = None;
        }
        if self.depth > 0 {
            return wrong("missing closing )", self.pattern);
        }
        Ok(self.out)
    }

    /// Takes an ASCII character over as it is.
    fn take(&mut self, c: char) {
        self.at += 1;
        self.out.push(c);
    }

    fn literal(&mut self, c: char) {
        class::push_char(c, &mut self.out);
        self.operand = true;
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.operand = true;
    }

    /// A group, or flags.
    fn open(&mut self) -> Parsed<'a, ()> {
        let rest = self.rest();
        let Some(inner) = rest.strip_prefix("(?") else {
            self.at += 1;
            return self.group("(?:");
        };
        if let Some(name) = inner.strip_prefix("P<").or_else(|| inner.strip_prefix('<')) {
            let Some(end) = name.find('>') else { return wrong("invalid named capture", rest) };
            let length = rest.len() - name.len() + end + 1;
            let named = &name[..end];
            if named.is_empty() || !named.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
                return wrong("invalid named capture", &rest[..length]);
            }
            self.at += length;
            return self.group("(?:");
        }
        let mut negative = false;
        let mut flags = 0;
        for (index, c) in inner.char_indices() {
            match c {
                'i' | 'm' | 's' | 'U' => flags += 1,
                '-' if !negative => {
                    negative = true;
                    flags = 0;
                }
                ':' | ')' if !negative || flags > 0 => {
                    let text = &rest[..2 + index + 1];
                    self.at += text.len();
                    if c == ':' {
                        return self.group(text);
                    }
                    if text != "(?)" {
                        self.out.push_str(text);
                    }
                    return Ok(());
                }
                _ => return wrong("invalid or unsupported Perl syntax", &rest[..2 + index + c.len_utf8()]),
            }
        }
        wrong("missing argument to repetition operator", "?")
    }

    fn group(&mut self, text: &str) -> Parsed<'a, ()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return wrong("expression nests too deeply", self.pattern);
        }
        self.out.push_str(text);
        self.operand = false;
        Ok(())
    }

    /// Writes a repetition that begins at `begin`; it may be lazy.
    fn repeat(&mut self, begin: usize, text: &str) -> Parsed<'a, ()> {
        if self.rest().starts_with('?') {
            self.at += 1;
        }
        let part = &self.pattern[begin..self.at];
        if !self.operand {
            return wrong("missing argument to repetition operator", part);
        }
        if let Some(first) = self.repeated {
            return wrong("invalid nested repetition operator", &self.pattern[first..self.at]);
        }
        self.out.push_str(text);
        self.out.push_str(&part[text.len()..]);
        self.repeated = Some(begin);
        Ok(())
    }

    /// `{2}`, `{2,}` or `{2,3}`, which is stepped over; anything else is no repetition.
    fn counts(&mut self) -> Option<(u32, Option<Option<u32>>)> {
        let inner = self.rest().strip_prefix('{')?;
        let end = inner.find('}')?;
        let number = |digits: &str| -> Option<u32> {
            let plain = !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'));
            plain.then(|| digits.parse().unwrap_or(u32::MAX))
        };
        let counts = match inner[..end].split_once(',') {
            None => (number(&inner[..end])?, None),
            Some((min, "")) => (number(min)?, Some(None)),
            Some((min, max)) => (number(min)?, Some(Some(number(max)?))),
        };
        self.at += end + 2;
        Some(counts)
    }

    fn escape(&mut self) -> Parsed<'a, ()> {
        let rest = self.rest();
        match rest.as_bytes().get(1) {
            Some(c @ (b'A' | b'b' | b'B' | b'z')) => {
                self.at += 2;
                self.out.push('\\');
                self.put(&char::from(*c).to_string());
            }
            Some(b'C') => {
                self.at += 2;
                self.put("(?s:.)");
            }
            Some(b'Q') => {
                let quoted = &rest[2..];
                let (text, length) = match quoted.split_once("\\E") {
                    Some((text, _)) => (text, text.len() + 4),
                    None => (quoted, quoted.len() + 2),
                };
                self.at += length;
                text.chars().for_each(|c| self.literal(c));
            }
            _ => {
                if let Some(class) = class::escaped(rest)? {
                    self.at += class.length;
                    self.out.push('[');
                    self.out.push_str(if class.negated { "^" } else { "" });
                    self.put(&class.text);
                    self.out.push(']');
                } else {
                    let (c, length) = class::escaped_char(rest)?;
                    self.at += length;
                    self.literal(c);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: bool) {
        let pattern = Pattern::new(pattern);
        assert_eq!(pattern.is_match(text), Ok(expected), "{pattern:?}");
        assert!(matches!(pattern.compiled(), Ok(Some(_))), "{pattern:?}");
    }

    #[test]
    fn patterns_match_as_in_go() {
        check("^a$", "a", true);
        check("^a$", "a\n", false);
        check("a", "bab", true);
        check("^[0-9]+%$", "50%", true);
        check(r"^\d{1,3}(\.\d+)?$", "12.5", true);
        check(r"^\w+$", "ä", false);
        check("^[[]$", "[", true);
        check("^[]a]+$", "a]", true);
        check("^[^]a]$", "]", false);
        check("^[a&&b]+$", "a&b", true);
        check("^[a-]+$", "a-", true);
        check("^[--/]+$", "-./", true);
        check("^a{$", "a{", true);
        check("^a{,2}$", "a{,2}", true);
        check("^{}$", "{}", true);
        check(r"^\Qa.b\E+$", "a.bb", true);
        check("(?i)^ABC$", "abc", true);
        check("(?P<x>a)(?<y>b)", "ab", true);
        check("(?)a", "a", true);
        check("^(?:a|b)*?$", "abab", true);
        check(r"^[[:alpha:]]+$", "abC", true);
        check(r"^[[:^alpha:]]+$", "12", true);
        check(r"^[\w.\-]+$", "a-b.c", true);
        check(r"^[\D]+$", "ab", true);
        check(r"^[^\s]+$", "a b", false);
        check(r"^\p{L}+$", "aäЖ中", true);
        check(r"^\pN$", "5", true);
        check(r"^\P{L}$", "5", true);
        check(r"^\x41\x{1F642}\101$", "A🙂A", true);
        check(r"^\-\/\:$", "-/:", true);
        check("^.$", "\n", false);
        check("^(?s).$", "\n", true);
        check("", "x", true);
        check("a|", "x", true);
    }

    #[track_caller]
    fn check_wrong(pattern: &str, expected: &str) {
        let pattern = Pattern::new(pattern);
        assert_eq!(pattern.check(), Err(format!("error parsing regexp: {expected}").as_str()));
    }

    #[test]
    fn wrong_patterns_are_told_in_the_words_of_go() {
        check_wrong("[a", "missing closing ]: `[a`");
        check_wrong("x[", "missing closing ]: `[`");
        check_wrong("[z-a]", "invalid character class range: `z-a`");
        check_wrong("(a", "missing closing ): `(a`");
        check_wrong("a)", "unexpected ): `a)`");
        check_wrong("*", "missing argument to repetition operator: `*`");
        check_wrong("a|+", "missing argument to repetition operator: `+`");
        check_wrong("a**", "invalid nested repetition operator: `**`");
        check_wrong("a{2}{3}", "invalid nested repetition operator: `{2}{3}`");
        check_wrong("a{1001}", "invalid repeat count: `{1001}`");
        check_wrong("a{3,2}", "invalid repeat count: `{3,2}`");
        check_wrong(r"\y", r"invalid escape sequence: `\y`");
        check_wrong(r"\8", r"invalid escape sequence: `\8`");
        check_wrong(r"\", "trailing backslash at end of expression: ``");
        check_wrong("(?=a)", "invalid or unsupported Perl syntax: `(?=`");
        check_wrong("(?!a)", "invalid or unsupported Perl syntax: `(?!`");
        check_wrong("(?<=a)", "invalid named capture: `(?<=a)`");
        check_wrong("(?P<1-a>a)", "invalid named capture: `(?P<1-a>`");
        check_wrong("[[:foo:]]", "invalid character class range: `[:foo:]`");
        check_wrong(r"\p{Foo}", r"invalid character class range: `\p{Foo}`");
    }
}
