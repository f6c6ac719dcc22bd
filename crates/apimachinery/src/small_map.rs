//! Maps of few entries.

use std::borrow::Borrow;

/// Entries in the order of their keys, in one list. It does what a `BTreeMap` does, in a tenth of the code that each
/// type of those is; what is put in between or taken out moves all that come after.
#[derive(Clone, Debug)]
pub struct SmallMap<K, V>(Vec<(K, V)>);

impl<K, V> SmallMap<K, V> {
    /// Makes an empty map.
    pub const fn new() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    fn find<Q: ?Sized + Ord>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(own, _)| own.borrow().cmp(key))
    }

    /// Puts a value in the place of the one that the key has, if any.
    pub fn insert(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (key, value)),
        }
    }

    /// Removes the entry of a key, if there is one.
    pub fn remove<Q: ?Sized + Ord>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Ok(place) = self.find(key) {
            self.0.remove(place);
        }
    }

    /// Returns the value of a key, if there is one.
    pub fn get<Q: ?Sized + Ord>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|place| &self.0[place].1)
    }

    /// Returns the value of a key, to be changed.
    pub fn get_mut<Q: ?Sized + Ord>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|place| &mut self.0[place].1)
    }

    /// Reports whether a key has a value.
    pub fn contains_key<Q: ?Sized + Ord>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Returns the entry of the key, or else the last one before it.
    pub fn up_to<Q: ?Sized + Ord>(&self, key: &Q) -> Option<&(K, V)>
    where
        K: Borrow<Q>,
    {
        self.0[..self.find(key).map_or_else(|place| place, |place| place + 1)].last()
    }

    /// Puts entries, one after the other.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = (K, V)>) {
        entries.into_iter().for_each(|(key, value)| self.insert(key, value));
    }
}

impl<K, V> SmallMap<K, V> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reports whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the entries in the order of their keys.
    pub fn entries(&self) -> &[(K, V)] {
        &self.0
    }

    /// Takes the entries out.
    pub fn into_entries(self) -> Vec<(K, V)> {
        self.0
    }

    /// Keeps those entries alone that it is told to.
    pub fn retain(&mut self, keep: impl FnMut(&(K, V)) -> bool) {
        self.0.retain(keep);
    }

    /// Returns the keys in their order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn does_what_a_btree_map_does(steps: Vec<(u8, Option<u8>)>, key: u8) {
            let (mut map, mut expected) = (SmallMap::new(), BTreeMap::new());
            for (key, value) in steps {
                match value {
                    Some(value) => {
                        map.insert(key, value);
                        expected.insert(key, value);
                    }
                    None => {
                        map.remove(&key);
                        expected.remove(&key);
                    }
                }
            }
            prop_assert_eq!(map.get(&key), expected.get(&key));
            prop_assert_eq!(map.contains_key(&key), expected.contains_key(&key));
            let last = map.up_to(&key).map(|(key, value)| (key, value));
            prop_assert_eq!(last, expected.range(..=key).next_back());
            prop_assert_eq!(map.into_entries(), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
