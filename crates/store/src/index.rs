//! The key index: from a key to where its versions are.

use std::collections::BTreeMap;

use crate::log::{Change, KeyId, Log, Position};
use crate::{Entry, Key, KeyRange, Revision};

#[derive(Clone, Debug)]
pub(crate) struct Index<V> {
    ids: BTreeMap<Key, KeyId>,
    keys: Vec<KeyIndex<V>>,
    free: Vec<KeyId>,
}

/// The positions of the versions of one key.
///
/// A version is a write of the key: a put, or a tombstone when it was deleted. `versions` has those whose records
/// the log still keeps, oldest first. `floor` is the one that compaction took out of the log but that is still
/// what the key held at the compact revision.
///
/// Say a key is put at 2, put at 4, deleted at 6 and put again at 8:
///
/// ```text
/// compact revision   floor   versions
/// 1                  -       put 2, put 4, tombstone 6, put 8
/// 2                  put 2   put 4, tombstone 6, put 8
/// 3                  put 2   put 4, tombstone 6, put 8
/// 5                  put 4   tombstone 6, put 8
/// 6                  -       put 8
/// 8                  put 8   -
/// ```
///
/// A tombstone never becomes the floor: at and after it there is nothing to read. A key with neither floor nor
/// versions is forgotten.
#[derive(Clone, Debug)]
struct KeyIndex<V> {
    floor: Option<Entry<V>>,
    versions: Vec<Version>,
}

#[derive(Clone, Copy, Debug)]
struct Version {
    revision: Revision,
    position: Position,
}

impl<V> KeyIndex<V> {
    const fn new() -> Self {
        Self { floor: None, versions: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.floor.is_none() && self.versions.is_empty()
    }

    /// Returns the entry of the key after the first `count` versions.
    fn after_versions<'a>(&'a self, count: usize, log: &'a Log<V>) -> Option<&'a Entry<V>> {
        match count.checked_sub(1).and_then(|last| self.versions.get(last)) {
            Some(version) => log.get(version.position)?.entry(),
            None => self.floor.as_ref(),
        }
    }

    fn head<'a>(&'a self, log: &'a Log<V>) -> Option<&'a Entry<V>> {
        self.after_versions(self.versions.len(), log)
    }

    fn at<'a>(&'a self, revision: Revision, log: &'a Log<V>) -> Option<&'a Entry<V>> {
        let count = match self.versions.last() {
            Some(newest) if newest.revision > revision => {
                self.versions.partition_point(|version| version.revision <= revision)
            }
            _ => self.versions.len(),
        };
        self.after_versions(count, log)
    }
}

impl<V> Index<V> {
    pub(crate) const fn new() -> Self {
        Self { ids: BTreeMap::new(), keys: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn find(&self, key: &str) -> Option<(&Key, KeyId)> {
        self.ids.get_key_value(key).map(|(key, id)| (key, *id))
    }

    /// Makes room for a key that [`find`](Self::find) does not find.
    pub(crate) fn insert(&mut self, key: Key) -> KeyId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.keys.push(KeyIndex::new());
            (self.keys.len() - 1) as KeyId
        });
        self.ids.insert(key, id);
        id
    }

    pub(crate) fn push_version(&mut self, id: KeyId, revision: Revision, position: Position) {
        self.keys[id as usize].versions.push(Version { revision, position });
    }

    /// Returns the entry of the key at the head.
    pub(crate) fn head<'a>(&'a self, id: KeyId, log: &'a Log<V>) -> Option<&'a Entry<V>> {
        self.keys[id as usize].head(log)
    }

    /// Returns the entry of the key at `revision`, which is not older than the compact revision.
    pub(crate) fn at<'a>(&'a self, id: KeyId, revision: Revision, log: &'a Log<V>) -> Option<&'a Entry<V>> {
        self.keys[id as usize].at(revision, log)
    }

    /// Returns the entry of the key before the version at `position`.
    pub(crate) fn before<'a>(
        &'a self,
        id: KeyId,
        position: Position,
        log: &'a Log<V>,
    ) -> Option<&'a Entry<V>> {
        let key = &self.keys[id as usize];
        key.after_versions(key.versions.partition_point(|version| version.position < position), log)
    }

    /// The keys of `range` in byte order.
    pub(crate) fn range(&self, range: &KeyRange) -> impl DoubleEndedIterator<Item = KeyId> + use<'_, V> {
        range.bounds().map(|bounds| self.ids.range::<str, _>(bounds)).into_iter().flatten().map(|(_, id)| *id)
    }

    /// Takes the records up to `revision` out of the log, and keeps of them what a read at `revision` needs.
    pub(crate) fn compact(&mut self, revision: Revision, log: &mut Log<V>) {
        let mut deleted = Vec::new();
        while let Some(record) = log.pop_until(revision) {
            let key = &mut self.keys[record.id as usize];
            if key.versions.first().is_some_and(|oldest| oldest.revision <= revision) {
                // All at once with the key's first record: one by one would cost the square of their number.
                let count = key.versions.partition_point(|version| version.revision <= revision);
                key.versions.drain(..count);
                if key.versions.capacity() / 4 > key.versions.len() {
                    key.versions.shrink_to(key.versions.len() * 2);
                }
            }
            key.floor = match record.change {
                Change::Put(entry) => Some(entry),
                Change::Delete { key, .. } => {
                    deleted.push((key, record.id));
                    None
                }
            };
        }
        for (key, id) in deleted {
            // Keys may have been created again, or deleted more than once.
            if self.keys[id as usize].is_empty() && self.ids.remove(&key).is_some() {
                self.free.push(id);
            }
        }
        log.shrink();
    }

    /// An index of the keys that there are at `revision`, which is kept, each with what it has then and nothing before.
    pub(crate) fn fork(&self, revision: Revision, log: &Log<V>) -> Self
    where
        V: Clone,
    {
        let mut fork = Self::new();
        for id in self.ids.values() {
            if let Some(entry) = self.at(*id, revision, log) {
                fork.restore(entry.clone());
            }
        }
        fork
    }

    /// Adds a key that it does not know, with what that held at the compact revision.
    pub(crate) fn restore(&mut self, entry: Entry<V>) {
        let id = self.insert(entry.key.clone());
        self.keys[id as usize].floor = Some(entry);
    }

    pub(crate) fn bytes(&self) -> usize {
        // A node of the tree holds up to 11 keys and is two thirds full on average. An Arc counts in 16 bytes.
        let per_key = (size_of::<Key>() + size_of::<KeyId>()) * 3 / 2;
        let ids: usize = self.ids.keys().map(|key| per_key + 16 + key.len()).sum();
        let versions: usize = self.keys.iter().map(|key| key.versions.capacity()).sum();
        ids + self.keys.capacity() * size_of::<KeyIndex<V>>()
            + versions * size_of::<Version>()
            + self.free.capacity() * size_of::<KeyId>()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Guard, Store};

    /// Checks what is left of the example in [`KeyIndex`](super::KeyIndex)'s documentation.
    #[track_caller]
    fn check(compact_revision: u64, floor: Option<u64>, versions: &[u64]) {
        let mut store = Store::new(1);
        for revision in 1..=8 {
            let key = if revision % 2 == 0 { "foo" } else { "other" };
            match revision {
                6 => drop(store.delete(key, Guard::ModRevision(4)).expect("put at 4")),
                _ => drop(store.put(key, Guard::None, |_| ()).expect("unconditional").mod_revision),
            }
        }
        store.compact(compact_revision).expect("between the first revision and the last");
        let (_, id) = store.index.find("foo").expect("a key that exists");
        let index = &store.index.keys[id as usize];
        assert_eq!(index.floor.as_ref().map(|entry| entry.mod_revision), floor);
        assert_eq!(index.versions.iter().map(|version| version.revision).collect::<Vec<_>>(), versions);
        for version in &index.versions {
            assert_eq!(
                store.log.get(version.position).map(|record| record.revision()),
                Some(version.revision)
            );
        }
    }

    #[test]
    fn compaction_leaves_what_the_documentation_says() {
        check(1, None, &[2, 4, 6, 8]);
        check(2, Some(2), &[4, 6, 8]);
        check(3, Some(2), &[4, 6, 8]);
        check(5, Some(4), &[6, 8]);
        check(6, None, &[8]);
        check(8, Some(8), &[]);
    }

    #[test]
    fn compaction_forgets_keys_that_are_gone() {
        let mut store = Store::new(1);
        for key in ["a", "b"] {
            for _ in 0..2 {
                store.put(key, Guard::None, |_| ()).expect("unconditional");
                store.delete(key, Guard::None).expect("unconditional");
            }
        }
        store.put("b", Guard::None, |_| ()).expect("unconditional");
        store.compact(store.revision()).expect("the newest revision");
        assert_eq!(store.index.ids.len(), 1);
        assert_eq!(store.index.free.len(), 1);
        // The place is used again.
        store.put("c", Guard::None, |_| ()).expect("unconditional");
        assert_eq!(store.index.keys.len(), 2);
        assert_eq!(store.get("c").map(|entry| (entry.create_revision, entry.version)), Some((10, 1)));
        assert_eq!(store.get("b").map(|entry| (entry.create_revision, entry.version)), Some((9, 1)));
    }
}
