//! The log: every write since the compact revision, in the order in which they were made.

use std::collections::VecDeque;

use crate::{Entry, Key, Revision};

/// A key's place in the index, for as long as the index knows the key.
pub(crate) type KeyId = u32;

/// A record's place in the log. Compaction takes records away in front but never renumbers those that stay.
pub(crate) type Position = u64;

/// One write. What a write left is kept here and nowhere else; the index refers to it by position.
#[derive(Clone, Debug)]
pub(crate) struct Record<V> {
    pub(crate) id: KeyId,
    pub(crate) change: Change<V>,
}

#[derive(Clone, Debug)]
pub(crate) enum Change<V> {
    Put(Entry<V>),
    Delete { key: Key, revision: Revision },
}

impl<V> Record<V> {
    pub(crate) fn revision(&self) -> Revision {
        match &self.change {
            Change::Put(entry) => entry.mod_revision,
            Change::Delete { revision, .. } => *revision,
        }
    }

    pub(crate) fn key(&self) -> &Key {
        match &self.change {
            Change::Put(entry) => &entry.key,
            Change::Delete { key, .. } => key,
        }
    }

    pub(crate) fn entry(&self) -> Option<&Entry<V>> {
        match &self.change {
            Change::Put(entry) => Some(entry),
            Change::Delete { .. } => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Log<V> {
    /// The position of the first record that is kept.
    start: Position,
    records: VecDeque<Record<V>>,
}

impl<V> Log<V> {
    pub(crate) const fn new() -> Self {
        Self { start: 0, records: VecDeque::new() }
    }

    pub(crate) fn start(&self) -> Position {
        self.start
    }

    /// The position that the next record will have.
    pub(crate) fn end(&self) -> Position {
        self.start + self.records.len() as Position
    }

    pub(crate) fn push(&mut self, record: Record<V>) -> &Record<V> {
        if self.records.len() == self.records.capacity() {
            // The log is by far the largest part of the store: growing by an eighth wastes less than doubling does.
            self.records.reserve_exact((self.records.len() / 8).max(64));
        }
        self.records.push_back_mut(record)
    }

    pub(crate) fn get(&self, position: Position) -> Option<&Record<V>> {
        let index = usize::try_from(position.checked_sub(self.start)?).ok()?;
        self.records.get(index)
    }

    /// The position of the first record that is newer than `revision`.
    pub(crate) fn position_after(&self, revision: Revision) -> Position {
        let newest = self.records.back().map_or(0, Record::revision);
        if newest <= revision {
            return self.end();
        }
        self.start + self.records.partition_point(|record| record.revision() <= revision) as Position
    }

    /// Takes the first record away if it is not newer than `revision`.
    pub(crate) fn pop_until(&mut self, revision: Revision) -> Option<Record<V>> {
        let record = self.records.pop_front_if(|record| record.revision() <= revision)?;
        self.start += 1;
        Some(record)
    }

    /// Gives memory back that compaction has made idle.
    pub(crate) fn shrink(&mut self) {
        if self.records.capacity() / 4 > self.records.len() {
            self.records.shrink_to(self.records.len() * 2);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<Record<V>>()
    }
}
