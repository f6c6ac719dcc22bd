//! Why the store refused. Every refusal leaves it as it was.

use thiserror::Error;

use crate::{Entry, Guard, Key, Revision};

/// A revision that can't be read, or can't be watched from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The revision is older than what compaction has left.
    #[error("revision {requested} has been compacted: the oldest one kept is {compact_revision}")]
    Compacted {
        /// The revision asked for.
        requested: Revision,
        /// The oldest revision that can still be asked for.
        compact_revision: Revision,
    },
    /// The revision has not been made yet.
    #[error("revision {requested} is in the future: the newest one is {revision}")]
    Future {
        /// The revision asked for.
        requested: Revision,
        /// The newest revision.
        revision: Revision,
    },
}

/// A revision to which the store can't be compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CompactError {
    /// The store has been compacted to this revision or a newer one before.
    #[error("revision {requested} has been compacted already: the compact revision is {compact_revision}")]
    AlreadyCompacted {
        /// The revision asked for.
        requested: Revision,
        /// The revision to which the store is compacted.
        compact_revision: Revision,
    },
    /// The revision has not been made yet.
    #[error("revision {requested} is in the future: the newest one is {revision}")]
    Future {
        /// The revision asked for.
        requested: Revision,
        /// The newest revision.
        revision: Revision,
    },
}

/// A key that can't be put back as it was at the compact revision.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "key {key:?} can't be restored at revision {mod_revision}: the store has been written to, or is compacted to {compact_revision} only"
)]
pub struct RestoreError {
    /// The key.
    pub key: Key,
    /// The revision that wrote it.
    pub mod_revision: Revision,
    /// The revision to which the store is compacted.
    pub compact_revision: Revision,
}

/// A [`Guard`] that did not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("key {key:?}: wanted {guard}, {}", found(.current.as_ref().map(|entry| entry.mod_revision)))]
pub struct Conflict<V> {
    /// The key it guarded.
    pub key: Key,
    /// The guard.
    pub guard: Guard,
    /// The entry that the key has instead; `None` when it does not exist.
    pub current: Option<Entry<V>>,
}

fn found(mod_revision: Option<Revision>) -> String {
    match mod_revision {
        Some(revision) => format!("found mod revision {revision}"),
        None => "found no such key".to_owned(),
    }
}

/// A transaction that was not committed. Nothing of it was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TxnError<V> {
    /// A guard did not hold.
    #[error(transparent)]
    Conflict(#[from] Conflict<V>),
    /// The transaction writes a key more than once.
    #[error("key {0:?} is written twice in one transaction")]
    DuplicateKey(Key),
}
