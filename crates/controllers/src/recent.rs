//! A memory of what was used lately.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Values by keys, of which those are forgotten that were not used for the longest time, where there are too many.
pub(crate) struct Recent<V> {
    most: usize,
    values: HashMap<Arc<str>, (u64, V)>,
    /// The keys by when they were last used.
    order: BTreeMap<u64, Arc<str>>,
    next: u64,
}

impl<V> Recent<V> {
    /// Makes a memory that holds so many values at most.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, values: HashMap::new(), order: BTreeMap::new(), next: 0 }
    }

    /// Returns the value of a key; a new one, if there is none.
    pub(crate) fn of(&mut self, key: &str) -> &mut V
    where
        V: Default,
    {
        self.next += 1;
        let key = match self.values.get(key).and_then(|(last, _)| self.order.remove(last)) {
            Some(known) => known,
            None => Arc::from(key),
        };
        self.order.insert(self.next, Arc::clone(&key));
        if !self.values.contains_key(&key)
            && self.values.len() >= self.most
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.values.remove(&oldest);
        }
        let entry = self.values.entry(key).or_default();
        entry.0 = self.next;
        &mut entry.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_is_forgotten() {
        let mut recent = Recent::new(2);
        for key in ["a", "b", "a", "c", "a", "b", "c"] {
            *recent.of(key) += 1;
        }
        assert_eq!((recent.values.len(), recent.order.len()), (2, 2));
        assert_eq!((*recent.of("c"), *recent.of("b")), (1, 1));
        assert_eq!(*recent.of("a"), 0);
    }
}
