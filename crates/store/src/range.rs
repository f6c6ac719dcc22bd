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

    /// Whether `key` is in the range.
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

    /// The bounds, or `None` when no key can lie between them.
    pub(crate) fn bounds(&self) -> Option<(Bound<&str>, Bound<&str>)> {
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
