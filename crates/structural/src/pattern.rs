//! Regular expressions as Go writes them.
//!
//! See <https://github.com/google/re2/wiki/Syntax>. A pattern is checked with Go's errors and translated into the
//! syntax of `regex-lite`, which is small, and like RE2 linear in time. It knows little of Unicode: of classes such as
//! `\p{Greek}` only the larger ranges match, with those of rare scripts nothing is tried, and `(?i)` folds ASCII.

mod check;
mod class;
mod unicode;

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex_lite::RegexBuilder;

/// Groups may be nested this deep in what is tried.
const MAX_DEPTH: usize = 200;

/// A pattern of a schema, compiled when it is first needed.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    source: String,
    compiled: OnceLock<Compiled>,
}

/// The matcher of a pattern, `None` if the pattern is too large or not supported here; or the error in the pattern.
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

    /// Validates the pattern. The error is in Go's words: ``error parsing regexp: missing closing ]: `[a` ``.
    ///
    /// # Errors
    /// That text.
    pub fn check(&self) -> Result<(), String> {
        check::check(&self.source)
    }

    /// Reports whether there is a match anywhere in `text`. A pattern that is too large to be tried, or has what is not
    /// known here, matches.
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
            self.check()?;
            let build = |text: String| RegexBuilder::new(&text).nest_limit(2 * MAX_DEPTH as u32).build().ok();
            let regex = Translator::run(&self.source).and_then(build);
            Ok(regex.map(|regex| Matcher(Arc::new(move |text: &str| regex.is_match(text)))))
        })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// Writes what Go reads in the syntax of `regex-lite`.
struct Translator<'a> {
    rest: &'a str,
    out: String,
    /// How many groups are open.
    depth: usize,
}

impl<'a> Translator<'a> {
    /// A sound pattern. `None`, if it has what is not known here.
    fn run(pattern: &'a str) -> Option<String> {
        let mut translator = Self { rest: pattern, out: String::new(), depth: 0 };
        while let Some(c) = translator.rest.chars().next() {
            let after = &translator.rest[c.len_utf8()..];
            match c {
                '(' => translator.open(after)?,
                '[' => {
                    let (class, after) = class::bracketed(translator.rest)?;
                    translator.put(&class, after);
                }
                '\\' => translator.escape(after)?,
                '{' => match check::counts(translator.rest) {
                    Some((.., after)) => translator.take(after),
                    None => translator.literal(c, after),
                },
                ')' => {
                    translator.depth = translator.depth.saturating_sub(1);
                    translator.take(after);
                }
                '|' | '*' | '+' | '?' | '.' | '^' | '$' => translator.take(after),
                _ => translator.literal(c, after),
            }
        }
        Some(translator.out)
    }

    /// Takes over all before `after`.
    fn take(&mut self, after: &'a str) {
        let length = self.rest.len() - after.len();
        self.put(&self.rest[..length], after);
    }

    fn put(&mut self, text: &str, after: &'a str) {
        self.out.push_str(text);
        self.rest = after;
    }

    fn literal(&mut self, c: char, after: &'a str) {
        class::push_char(c, &mut self.out);
        self.rest = after;
    }

    /// A group, or flags.
    fn open(&mut self, after: &'a str) -> Option<()> {
        let Some(inner) = after.strip_prefix('?') else { return self.group(after) };
        if inner.starts_with(['P', '<']) {
            return self.group(inner.split_once('>')?.1);
        }
        let end = inner.find([':', ')'])? + 1;
        let (flags, after) = inner.split_at(end);
        match flags {
            ":" => return self.group(after),
            ")" => self.rest = after,
            _ => self.take(after),
        }
        if flags.ends_with(':') { self.deeper() } else { Some(()) }
    }

    fn group(&mut self, after: &'a str) -> Option<()> {
        self.put("(?:", after);
        self.deeper()
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    fn escape(&mut self, after: &'a str) -> Option<()> {
        if after.starts_with(['A', 'b', 'B', 'z']) {
            self.take(&after[1..]);
        } else if let Some(quoted) = after.strip_prefix('Q') {
            let (text, after) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            text.chars().for_each(|c| self.literal(c, after));
            self.rest = after;
        } else if let Some((class, after)) = class::escaped(self.rest) {
            let class = class?;
            let not = if class.negated { "^" } else { "" };
            self.put(&["[", not, class.text, "]"].concat(), after);
        } else {
            let (c, after) = check::escape(self.rest).ok()?;
            self.literal(c, after);
        }
        Some(())
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

    #[test]
    fn what_is_wrong_or_unknown_is_not_tried() {
        let wrong = Pattern::new("x[");
        assert_eq!(wrong.is_match("x"), Err("error parsing regexp: missing closing ]: `[`"));
        assert!(wrong.check().is_err());
        for pattern in [r"\p{Adlam}", r"[\p{Lm}]", &["(".repeat(300), ")".repeat(300)].concat()] {
            assert_eq!(Pattern::new(pattern).is_match("x"), Ok(true), "{pattern}");
        }
    }
}
