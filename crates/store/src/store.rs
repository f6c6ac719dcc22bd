//! The store itself.

use std::collections::HashSet;

use crate::index::Index;
use crate::log::{Change, KeyId, Log, Position, Record};
use crate::{
    CompactError, Conflict, Cursor, Deleted, Entry, Event, Guard, Key, KeyRange, Op, ReadError, RestoreError,
    Revision, Txn, TxnError,
};

/// Keyed values with all their revisions since the last compaction.
///
/// A write makes the next revision. What a revision left can be read until the store is compacted beyond it.
/// Here a key is put, put again, deleted and put once more, and compacted step by step:
///
/// ```
/// use store::{CompactError, Guard, KeyRange, ReadError, Store};
///
/// let mut store = Store::new(2);
/// store.put("foo", Guard::Absent, |_| "a")?; // revision 2
/// store.put("foo", Guard::ModRevision(2), |_| "b")?; // revision 3
/// store.delete("foo", Guard::ModRevision(3))?; // revision 4
/// store.put("foo", Guard::Absent, |_| "c")?; // revision 5
///
/// // What each revision holds, and how often it had been written.
/// let at = |store: &Store<&'static str>, revision| {
///     let entry = store.get_at("foo", revision)?;
///     Ok(entry.map(|entry| (entry.value, entry.create_revision, entry.version)))
/// };
/// assert_eq!(at(&store, 1), Ok(None));
/// assert_eq!(at(&store, 2), Ok(Some(("a", 2, 1))));
/// assert_eq!(at(&store, 3), Ok(Some(("b", 2, 2))));
/// assert_eq!(at(&store, 4), Ok(None));
/// assert_eq!(at(&store, 5), Ok(Some(("c", 5, 1))));
/// assert_eq!(at(&store, 6), Err(ReadError::Future { requested: 6, revision: 5 }));
///
/// // A watch of everything after revision 2.
/// let mut watch = store.watch(KeyRange::all(), 2)?;
/// let event = store.next(&mut watch)?.unwrap();
/// assert_eq!((event.revision, event.value.unwrap().value, event.previous.unwrap().value), (3, "b", "a"));
///
/// // Compaction to 3 drops the first put. The second is what revision 3 held, so it stays.
/// store.compact(3)?;
/// assert_eq!(at(&store, 2), Err(ReadError::Compacted { requested: 2, compact_revision: 3 }));
/// assert_eq!(at(&store, 3), Ok(Some(("b", 2, 2))));
///
/// // The watch had seen revision 3 already, so it goes on; one from revision 2 can't be opened any more.
/// let event = store.next(&mut watch)?.unwrap();
/// assert_eq!((event.revision, event.value, event.previous.unwrap().value), (4, None, "b"));
/// assert!(store.watch(KeyRange::all(), 2).is_err());
///
/// // Compaction to 4 drops the second put, and the deletion with it: revision 4 held nothing.
/// store.compact(4)?;
/// assert_eq!(at(&store, 4), Ok(None));
/// let event = store.next(&mut watch)?.unwrap();
/// assert_eq!((event.revision, event.value.unwrap().value, event.previous), (5, "c", None));
/// assert_eq!(store.next(&mut watch)?, None);
///
/// // Compaction to the newest revision leaves what can be read at the head.
/// store.compact(5)?;
/// assert_eq!(at(&store, 5), Ok(Some(("c", 5, 1))));
/// assert_eq!(store.events(5)?.count(), 0);
/// assert_eq!(store.compact(5), Err(CompactError::AlreadyCompacted { requested: 5, compact_revision: 5 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store<V> {
    revision: Revision,
    compact_revision: Revision,
    pub(crate) index: Index<V>,
    pub(crate) log: Log<V>,
}

impl<V: Clone> Store<V> {
    /// An empty store whose first write makes `first_revision` (or 1, if that is 0: nothing comes before 0).
    ///
    /// All revisions before count as compacted, but for the empty one just before the first write.
    pub fn new(first_revision: Revision) -> Self {
        let revision = first_revision.saturating_sub(1);
        Self { revision, compact_revision: revision, index: Index::new(), log: Log::new() }
    }

    /// The newest revision.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The oldest revision that can be read or watched from.
    pub fn compact_revision(&self) -> Revision {
        self.compact_revision
    }

    /// Returns the current entry of `key`.
    pub fn get(&self, key: &str) -> Option<&Entry<V>> {
        let (_, id) = self.index.find(key)?;
        self.index.head(id, &self.log)
    }

    /// Returns the entry of `key` at revision `at`.
    ///
    /// # Errors
    /// [`ReadError`] when `at` is below the compact revision or above the newest one.
    pub fn get_at(&self, key: &str, at: Revision) -> Result<Option<&Entry<V>>, ReadError> {
        self.check_readable(at)?;
        Ok(self.index.find(key).and_then(|(_, id)| self.index.at(id, at, &self.log)))
    }

    /// Returns the current entries of the keys of `range`, in byte order of the keys.
    pub fn range<'a>(
        &'a self,
        range: &KeyRange,
    ) -> impl DoubleEndedIterator<Item = &'a Entry<V>> + use<'a, V> {
        self.index.range(range).filter_map(|id| self.index.head(id, &self.log))
    }

    /// Returns the entries of the keys of `range` at revision `at`, in byte order of the keys.
    ///
    /// # Errors
    /// [`ReadError`] when `at` is below the compact revision or above the newest one.
    pub fn range_at<'a>(
        &'a self,
        range: &KeyRange,
        at: Revision,
    ) -> Result<impl DoubleEndedIterator<Item = &'a Entry<V>> + use<'a, V>, ReadError> {
        self.check_readable(at)?;
        Ok(self.index.range(range).filter_map(move |id| self.index.at(id, at, &self.log)))
    }

    /// How many keys of `range` exist.
    pub fn count(&self, range: &KeyRange) -> usize {
        self.range(range).count()
    }

    /// How many keys of `range` existed at revision `at`.
    ///
    /// # Errors
    /// [`ReadError`] when `at` is below the compact revision or above the newest one.
    pub fn count_at(&self, range: &KeyRange, at: Revision) -> Result<usize, ReadError> {
        Ok(self.range_at(range, at)?.count())
    }

    /// Writes the value that `value` makes of the revision it is written at.
    ///
    /// # Errors
    /// [`Conflict`] when `guard` does not hold. `value` is not called then, and nothing is written.
    pub fn put(
        &mut self,
        key: &str,
        guard: Guard,
        value: impl FnOnce(Revision) -> V,
    ) -> Result<&Entry<V>, Conflict<V>> {
        let target = self.target(key, guard)?;
        let revision = self.revision + 1;
        let entry = target.put(key, revision, value(revision));
        let id = target.id;
        self.revision = revision;
        match &self.write(id, Change::Put(entry)).change {
            Change::Put(entry) => Ok(entry),
            Change::Delete { .. } => unreachable!("a put was written"),
        }
    }

    /// Deletes `key`. `Ok(None)` says that it did not exist, so that nothing was written.
    ///
    /// # Errors
    /// [`Conflict`] when `guard` does not hold.
    pub fn delete(&mut self, key: &str, guard: Guard) -> Result<Option<Deleted<V>>, Conflict<V>> {
        let target = self.target(key, guard)?;
        let Some(previous) = target.current.cloned() else { return Ok(None) };
        let id = target.id;
        let revision = self.revision + 1;
        self.revision = revision;
        self.write(id, Change::Delete { key: previous.key.clone(), revision });
        Ok(Some(Deleted { revision, previous }))
    }

    /// Makes all the writes of `txn` at one revision, and says which. `Ok(None)` says that there was nothing to
    /// write: no steps but checks and deletions of keys that don't exist.
    ///
    /// # Errors
    /// [`TxnError`] when a guard does not hold (the first one that doesn't), or when a key is written twice.
    pub fn commit(&mut self, txn: Txn<'_, V>) -> Result<Option<Revision>, TxnError<V>> {
        let mut written: HashSet<&str> = HashSet::new();
        let keys = txn.ops.iter().filter(|op| op.writes()).map(Op::key);
        if let Some(twice) = keys.filter(|key| !written.insert(key)).min() {
            return Err(TxnError::DuplicateKey(twice.clone()));
        }
        for op in &txn.ops {
            self.target(op.key(), op.guard())?;
        }
        let revision = self.revision + 1;
        let mut changes = Vec::with_capacity(txn.ops.len());
        for op in txn.ops {
            let target = self.target(op.key(), Guard::None)?;
            match op {
                Op::Put { key, value, .. } => {
                    changes.push((target.id, Change::Put(target.put(&key, revision, value(revision)))));
                }
                Op::Delete { .. } => {
                    if let Some(current) = target.current {
                        changes.push((target.id, Change::Delete { key: current.key.clone(), revision }));
                    }
                }
                Op::Check { .. } => {}
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        self.revision = revision;
        for (id, change) in changes {
            self.write(id, change);
        }
        Ok(Some(revision))
    }

    /// The writes after revision `after`, oldest first. There are none after a revision that is yet to come.
    ///
    /// # Errors
    /// [`ReadError::Compacted`] when `after` is below the compact revision.
    pub fn events(
        &self,
        after: Revision,
    ) -> Result<impl DoubleEndedIterator<Item = Event<'_, V>>, ReadError> {
        self.check_kept(after)?;
        let positions = self.log.position_after(after)..self.log.end();
        Ok(positions.filter_map(|position| Some(self.event(position, self.log.get(position)?))))
    }

    /// A watch of the writes in `range` after revision `after`.
    ///
    /// `after` may be in the future: the watch is silent until the store is beyond it.
    ///
    /// # Errors
    /// [`ReadError::Compacted`] when `after` is below the compact revision.
    pub fn watch(&self, range: KeyRange, after: Revision) -> Result<Cursor, ReadError> {
        self.check_kept(after)?;
        Ok(Cursor { range, position: self.log.position_after(after), revision: after })
    }

    /// The next write that the watch is about, or `None` when it has seen them all.
    ///
    /// Every write is looked at once in the life of a watch, so a call costs little more than the writes since
    /// the last one.
    ///
    /// # Errors
    /// [`ReadError::Compacted`] when writes were compacted away that the watch has not looked at. That is final.
    pub fn next(&self, cursor: &mut Cursor) -> Result<Option<Event<'_, V>>, ReadError> {
        if cursor.position < self.log.start() {
            self.check_kept(cursor.revision)?;
            cursor.position = self.log.start();
        }
        while let Some(record) = self.log.get(cursor.position) {
            let (position, revision) = (cursor.position, record.revision());
            cursor.position += 1;
            if revision <= cursor.revision {
                continue;
            }
            // A transaction is outstanding until its last write has been looked at.
            let complete = self.log.get(cursor.position).is_none_or(|next| next.revision() != revision);
            if complete {
                cursor.revision = revision;
            }
            if cursor.range.contains(record.key()) {
                return Ok(Some(self.event(position, record)));
            }
        }
        Ok(None)
    }

    /// Drops what is needed only to read revisions before `at`, and the log up to and including `at`.
    ///
    /// # Errors
    /// [`CompactError`] when `at` is not above the compact revision, or is above the newest one.
    pub fn compact(&mut self, at: Revision) -> Result<(), CompactError> {
        let (compact_revision, revision) = (self.compact_revision, self.revision);
        if at <= compact_revision {
            return Err(CompactError::AlreadyCompacted { requested: at, compact_revision });
        }
        if at > revision {
            return Err(CompactError::Future { requested: at, revision });
        }
        self.compact_revision = at;
        self.index.compact(at, &mut self.log);
        Ok(())
    }

    /// Lets the revisions up to `revision` pass without a write, as those do that etcd makes of keys that are not in this store.
    ///
    /// ```
    /// let mut store = store::Store::new(2);
    /// store.put("foo", store::Guard::Absent, |_| "a")?; // revision 2
    /// store.skip_to(5);
    /// assert_eq!((store.revision(), store.get_at("foo", 5).unwrap().map(|entry| entry.mod_revision)), (5, Some(2)));
    /// store.compact(5).unwrap();
    /// assert!(store.get_at("foo", 4).is_err());
    /// # Ok::<(), store::Conflict<&str>>(())
    /// ```
    pub fn skip_to(&mut self, revision: Revision) {
        self.revision = self.revision.max(revision);
    }

    /// A store of its own that has what this one has at `at`, and goes on from there. How that came to be is not in it: it
    /// is compacted up to `at`.
    ///
    /// # Errors
    /// `at` is compacted, or still to come.
    pub fn fork(&self, at: Revision) -> Result<Self, ReadError> {
        self.check_readable(at)?;
        let index = self.index.fork(at, &self.log);
        Ok(Self { revision: at, compact_revision: at, index, log: Log::new() })
    }

    /// Puts what `key` held at the compact revision, written at `mod_revision`. How often it had been written and when it was
    /// created is not known any more: that counts as its first write.
    ///
    /// # Errors
    /// [`RestoreError`] when there have been writes since, when `key` is there already, or when `mod_revision` is newer than
    /// the compact revision.
    pub fn restore(&mut self, key: &str, mod_revision: Revision, value: V) -> Result<(), RestoreError> {
        let compact_revision = self.compact_revision;
        if self.revision != compact_revision || mod_revision > compact_revision || self.get(key).is_some() {
            return Err(RestoreError { key: key.into(), mod_revision, compact_revision });
        }
        let (key, create_revision) = (Key::from(key), mod_revision);
        self.index.restore(Entry { key, value, create_revision, mod_revision, version: 1 });
        Ok(())
    }

    /// How much memory the store takes, in bytes, beside what the values own: index, log and keys.
    pub fn index_bytes(&self) -> usize {
        self.index.bytes() + self.log.bytes()
    }

    fn check_kept(&self, requested: Revision) -> Result<(), ReadError> {
        let compact_revision = self.compact_revision;
        if requested < compact_revision {
            return Err(ReadError::Compacted { requested, compact_revision });
        }
        Ok(())
    }

    fn check_readable(&self, requested: Revision) -> Result<(), ReadError> {
        let revision = self.revision;
        if requested > revision {
            return Err(ReadError::Future { requested, revision });
        }
        self.check_kept(requested)
    }

    /// The key that a write is about, once its guard holds.
    fn target(&self, key: &str, guard: Guard) -> Result<Target<'_, V>, Conflict<V>> {
        let found = self.index.find(key);
        let current = found.and_then(|(_, id)| self.index.head(id, &self.log));
        if !guard.holds(current) {
            return Err(Conflict { key: key.into(), guard, current: current.cloned() });
        }
        Ok(Target { key: found.map(|(key, _)| key), id: found.map(|(_, id)| id), current })
    }

    fn write(&mut self, id: Option<KeyId>, change: Change<V>) -> &Record<V> {
        let record = Record { id: 0, change };
        let id = id.unwrap_or_else(|| self.index.insert(record.key().clone()));
        self.index.push_version(id, record.revision(), self.log.end());
        self.log.push(Record { id, ..record })
    }

    fn event<'a>(&'a self, position: Position, record: &'a Record<V>) -> Event<'a, V> {
        Event {
            revision: record.revision(),
            key: record.key(),
            value: record.entry(),
            previous: self.index.before(record.id, position, &self.log),
        }
    }
}

/// The key that a write is about, as the index has it.
struct Target<'a, V> {
    key: Option<&'a Key>,
    id: Option<KeyId>,
    current: Option<&'a Entry<V>>,
}

impl<V> Target<'_, V> {
    fn put(&self, key: &str, revision: Revision, value: V) -> Entry<V> {
        Entry {
            key: self.key.map_or_else(|| key.into(), Key::clone),
            value,
            create_revision: self.current.map_or(revision, |current| current.create_revision),
            mod_revision: revision,
            version: self.current.map_or(1, |current| current.version + 1),
        }
    }
}
