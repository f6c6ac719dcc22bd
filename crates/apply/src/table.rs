//! A small map that is sorted by its keys.

/// A map of few entries, in the order of their keys. The standard library's is made for many, and is much more code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<K, V>(Vec<(K, V)>);

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Table<K, V> {
    fn find(&self, key: &K) -> Result<usize, usize> {
        // There are so few that looking at each is as fast as anything.
        match self.0.iter().position(|(own, _)| own >= key) {
            Some(index) if self.0[index].0 == *key => Ok(index),
            Some(index) => Err(index),
            None => Err(self.0.len()),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().map(|index| &self.0[index].1)
    }

    /// The value of a key, to change.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.find(key).ok().map(|index| &mut self.0[index].1)
    }

    /// The value of a key, to change; `new`, if there is none.
    pub fn get_or_insert(&mut self, key: K, new: impl FnOnce() -> V) -> &mut V {
        let index = self.find(&key).unwrap_or_else(|index| {
            self.0.insert(index, (key, new()));
            index
        });
        &mut self.0[index].1
    }

    /// Sets the value of a key, and gives the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(index) => Some(std::mem::replace(&mut self.0[index].1, value)),
            Err(index) => {
                self.0.insert(index, (key, value));
                None
            }
        }
    }

    /// Takes a key out, and gives its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.find(key).ok().map(|index| self.0.remove(index).1)
    }

    /// Returns whether the key has a value.
    pub fn contains_key(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }
}

impl<K, V> Table<K, V> {
    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Keeps the entries of which this is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }

    /// The entries, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The entries, with values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values, to change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }
}

impl<K, V> IntoIterator for Table<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Table<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut table = Self::default();
        for (key, value) in entries {
            table.insert(key, value);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_the_order_of_their_keys() {
        let mut table: Table<&str, i32> = [("b", 2), ("a", 1), ("c", 3), ("b", 4)].into_iter().collect();
        assert_eq!(table.iter().collect::<Vec<_>>(), [(&"a", &1), (&"b", &4), (&"c", &3)]);
        assert_eq!((table.get(&"b"), table.get(&"d")), (Some(&4), None));
        assert_eq!((table.insert("a", 5), table.remove(&"b"), table.remove(&"b")), (Some(1), Some(4), None));
        *table.get_or_insert("d", || 0) += 7;
        table.retain(|_, value| *value > 3);
        assert_eq!(table.into_iter().collect::<Vec<_>>(), [("a", 5), ("d", 7)]);
    }
}
