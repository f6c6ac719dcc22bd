//! The entries of a map that is taken apart.

use std::borrow::Cow;
use std::cmp::Ordering;

use json_tree::sort_by;

use super::Tree;

/// The entries of a map in the order of their keys, each once.
///
/// A `BTreeMap` does the same in several times the code. What is put in or taken out one by one moves what comes after
/// it, as in a list; many at once are [merged](Self::merge).
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries<'a>(Vec<(Cow<'a, str>, Tree<'a>)>);

impl<'a> Entries<'a> {
    /// Of those with the same key the last.
    pub(crate) fn new(mut entries: Vec<(Cow<'a, str>, Tree<'a>)>) -> Self {
        sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        Self(entries)
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(own, _)| own.as_ref().cmp(key))
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Tree<'a>> {
        self.find(key).ok().map(|place| &mut self.0[place].1)
    }

    /// Puts a value in the place of the one that the key has, if any.
    pub(crate) fn insert(&mut self, key: Cow<'a, str>, value: Tree<'a>) {
        match self.find(&key) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (key, value)),
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Tree<'a>> {
        self.find(key).ok().map(|place| self.0.remove(place).1)
    }

    /// Makes of each change, and of the value that its key has, the new value; `None` is that there is none.
    pub(crate) fn merge(
        &mut self,
        changes: Self,
        change: impl Fn(Option<Tree<'a>>, Tree<'a>) -> Option<Tree<'a>>,
    ) {
        let mut own = std::mem::take(&mut self.0).into_iter().peekable();
        self.0.reserve(own.len());
        for (key, value) in changes.0 {
            let mut previous = None;
            while let Some((own_key, _)) = own.peek() {
                let order = own_key.cmp(&key);
                if order == Ordering::Greater {
                    break;
                }
                let Some(entry) = own.next() else { break };
                if order == Ordering::Less {
                    self.0.push(entry);
                } else {
                    previous = Some(entry.1);
                }
            }
            self.0.extend(change(previous, value).map(|value| (key, value)));
        }
        self.0.extend(own);
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Tree<'a>) -> bool) {
        self.0.retain(|(_, value)| keep(value));
    }

    pub(crate) fn as_slice(&self) -> &[(Cow<'a, str>, Tree<'a>)] {
        &self.0
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [(Cow<'a, str>, Tree<'a>)] {
        &mut self.0
    }

    pub(crate) fn into_vec(self) -> Vec<(Cow<'a, str>, Tree<'a>)> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use schema::Node;

    use super::*;

    fn entries(text: &'static str) -> Entries<'static> {
        let entries = text.split_whitespace().filter_map(|entry| entry.split_once('='));
        Entries::new(
            entries.map(|(key, value)| (key.into(), Tree::Raw(Node::Number(value.into())))).collect(),
        )
    }

    #[track_caller]
    fn check(entries: &Entries<'_>, expected: &str) {
        let shown = |(key, value): &(Cow<'_, str>, Tree<'_>)| match value {
            Tree::Raw(Node::Number(value)) => format!("{key}={value}"),
            _ => format!("{key}=?"),
        };
        assert_eq!(entries.as_slice().iter().map(shown).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn of_the_same_key_the_last_counts() {
        check(&entries("b=1 a=2 b=3 c=4 a=5 b=6"), "a=5 b=6 c=4");
        check(&entries(""), "");
    }

    #[test]
    fn one_by_one() {
        let mut map = entries("b=1 d=2");
        map.insert("a".into(), Tree::NULL);
        map.insert("d".into(), Tree::Raw(Node::Number("3".into())));
        assert!(map.remove("b").is_some() && map.remove("b").is_none());
        assert!(map.get_mut("a").is_some_and(|value| value.is_null()) && map.get_mut("c").is_none());
        map.retain(|value| !value.is_null());
        check(&map, "d=3");
    }

    #[test]
    fn many_at_once() {
        let mut map = entries("b=1 d=2 f=3");
        map.merge(entries("a=4 b=5 d=6 g=7"), |own, new| if own.is_some() { Some(new) } else { None });
        check(&map, "b=5 d=6 f=3");
        map.merge(entries("a=4 b=0 c=8 g=7"), |own, new| if own.is_some() { None } else { Some(new) });
        check(&map, "a=4 c=8 d=6 f=3 g=7");
    }
}
