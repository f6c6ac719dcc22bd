//! Which keys a read or a watch is about.

use std::ops::Bound;

/// An interval of keys in byte order.
///
/// ```
/// use store::KeyRange;
///
/// let page = KeyRange::prefix("/pods/default/").after("/pods/default/b");
/// assert!(page.contains("/pods/default/c"));
/// assert!(!page.contains("/pods/default/b"));
/// assert!(!page.contains("/pods/kube-system/c"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyRange {
    start: Bound<Box<str>>,
    end: Bound<Box<str>>,
}

impl KeyRange {
    /// Every key.
    pub const fn all() -> Self {
        Self { start: Bound::Unbounded, end: Bound::Unbounded }
    }

    /// One key.
    pub fn key(key: &str) -> Self {
        Self { start: Bound::Included(key.into()), end: Bound::Included(key.into()) }
    }

    /// The keys that begin with `prefix`.
    pub fn prefix(prefix: &str) -> Self {
        let end = successor(prefix).map_or(Bound::Unbounded, |end| Bound::Excluded(end.into()));
        Self { start: Bound::Included(prefix.into()), end }
    }

    /// Of these keys, `key` and those behind it.
    #[must_use]
    pub fn at_or_after(self, key: &str) -> Self {
        self.starting(Bound::Included(key.into()))
    }

    /// Of these keys, those behind `key`.
    #[must_use]
    pub fn after(self, key: &str) -> Self {
        self.starting(Bound::Excluded(key.into()))
    }

    /// Reports whether `key` is in the range.
    pub fn contains(&self, key: &str) -> bool {
        let started = match &self.start {
            Bound::Included(start) => **start <= *key,
            Bound::Excluded(start) => **start < *key,
            Bound::Unbounded => true,
        };
        started
            && match &self.end {
                Bound::Included(end) => *key <= **end,
                Bound::Excluded(end) => *key < **end,
                Bound::Unbounded => true,
            }
    }

    /// The bounds, for the range of an ordered map, or `None` when no key can lie between them.
    pub fn bounds(&self) -> Option<(Bound<&str>, Bound<&str>)> {
        let (start, end) = (as_str(&self.start), as_str(&self.end));
        let possible = match (start, end) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => true,
            (Bound::Included(start), Bound::Included(end)) => start <= end,
            (
                Bound::Included(start) | Bound::Excluded(start),
                Bound::Included(end) | Bound::Excluded(end),
            ) => start < end,
        };
        possible.then_some((start, end))
    }

    fn starting(self, start: Bound<Box<str>>) -> Self {
        let later = match (&self.start, &start) {
            (_, Bound::Unbounded) => false,
            (Bound::Unbounded, _) => true,
            (Bound::Excluded(old), Bound::Included(new)) => new > old,
            (Bound::Included(old), Bound::Excluded(new)) => new >= old,
            (Bound::Included(old), Bound::Included(new)) | (Bound::Excluded(old), Bound::Excluded(new)) => {
                new > old
            }
        };
        if later { Self { start, ..self } } else { self }
    }
}

fn as_str(bound: &Bound<Box<str>>) -> Bound<&str> {
    bound.as_ref().map(AsRef::as_ref)
}

/// The first string behind all those that begin with `prefix`; `None` when nothing is behind them.
///
/// UTF-8 orders by code point, so it is `prefix` with its last character that has a next one stepped to it.
fn successor(prefix: &str) -> Option<String> {
    let mut end = prefix.to_owned();
    while let Some(last) = end.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of some keys, the neighbours of those in the cases among them, are in the range.
    #[track_caller]
    fn check(range: &KeyRange, expected: &[&str]) {
        const KEYS: [&str; 12] = [
            "",
            "a",
            "a\0",
            "a/",
            "a/b",
            "a/c",
            "a0",
            "b",
            "\u{d7ff}z",
            "\u{e000}",
            "\u{10ffff}",
            "\u{10ffff}z",
        ];
        let contained: Vec<_> = KEYS.into_iter().filter(|key| range.contains(key)).collect();
        assert_eq!(contained, expected, "{range:?}");
        assert!(range.bounds().is_some() || expected.is_empty(), "{range:?}");
    }

    #[test]
    fn one_key() {
        check(&KeyRange::key("a"), &["a"]);
        check(&KeyRange::key(""), &[""]);
        check(&KeyRange::key("c"), &[]);
        check(&KeyRange::key("a").at_or_after("a"), &["a"]);
        check(&KeyRange::key("a").after("a"), &[]);
        check(&KeyRange::key("a").after("b"), &[]);
        check(&KeyRange::key("b").after("a"), &["b"]);
    }

    #[test]
    fn prefixes() {
        check(&KeyRange::prefix("a"), &["a", "a\0", "a/", "a/b", "a/c", "a0"]);
        check(&KeyRange::prefix("a/"), &["a/", "a/b", "a/c"]);
        check(&KeyRange::prefix("a/").after("a/b"), &["a/c"]);
        check(&KeyRange::prefix("a/").at_or_after("a/b"), &["a/b", "a/c"]);
        check(&KeyRange::prefix("a/").after("a"), &["a/", "a/b", "a/c"]);
        check(&KeyRange::prefix("a/").after("a0"), &[]);
        check(&KeyRange::prefix("a/").at_or_after("b"), &[]);
    }

    #[test]
    fn prefixes_whose_last_character_has_no_plain_next_one() {
        check(&KeyRange::prefix("\u{d7ff}"), &["\u{d7ff}z"]);
        check(&KeyRange::prefix("\u{10ffff}"), &["\u{10ffff}", "\u{10ffff}z"]);
        check(&KeyRange::prefix("a\u{10ffff}"), &[]);
        check(&KeyRange::prefix("\u{10ffff}").after("\u{10ffff}"), &["\u{10ffff}z"]);
        assert_eq!(successor("a\u{10ffff}\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(successor("\u{7f}").as_deref(), Some("\u{80}"));
        assert_eq!(successor(""), None);
    }

    #[test]
    fn the_later_start_counts() {
        let last = ["b", "\u{d7ff}z", "\u{e000}", "\u{10ffff}", "\u{10ffff}z"];
        check(&KeyRange::all().at_or_after("b"), &last);
        check(&KeyRange::all().after("b"), &last[1..]);
        check(&KeyRange::all().after("b").at_or_after("b"), &last[1..]);
        check(&KeyRange::all().at_or_after("b").after("b"), &last[1..]);
        check(&KeyRange::all().after("b").after("a"), &last[1..]);
        check(&KeyRange::all().after("a").at_or_after("b"), &last);
    }
}
