//! The types that the store hands out: entries, events, and the condition that a write may set.

use std::fmt;
use std::sync::Arc;

/// The number of a state of the whole store. Every transaction that writes makes the next one.
pub type Revision = u64;

/// A key. Keys are ordered by their bytes.
pub type Key = Arc<str>;

/// A key's value as one write left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<V> {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: V,
    /// The revision that created the key, or created it again after its last deletion.
    pub create_revision: Revision,
    /// The revision that wrote this value.
    pub mod_revision: Revision,
    /// How many times the key has been written since it was created: 1 for the creating write.
    pub version: u64,
}

/// One write of one key, as the log has it.
///
/// It borrows from the store, so it costs nothing to hand the same one to many watches.
#[derive(Debug, PartialEq, Eq)]
pub struct Event<'a, V> {
    /// The revision that the write made. The writes of one transaction share it.
    pub revision: Revision,
    /// The key that was written.
    pub key: &'a Key,
    /// The entry that the key has since; `None` when the write deleted it.
    pub value: Option<&'a Entry<V>>,
    /// The entry that the key had before; `None` when the write created it.
    pub previous: Option<&'a Entry<V>>,
}

impl<V> Clone for Event<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Event<'_, V> {}

/// The condition that must hold for a write to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guard {
    /// Nothing: the write is unconditional.
    #[default]
    None,
    /// The key does not exist.
    Absent,
    /// The key exists and was last written at this revision.
    ModRevision(Revision),
}

impl Guard {
    pub(crate) fn holds<V>(self, current: Option<&Entry<V>>) -> bool {
        match self {
            Self::None => true,
            Self::Absent => current.is_none(),
            Self::ModRevision(revision) => current.is_some_and(|entry| entry.mod_revision == revision),
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no condition"),
            Self::Absent => f.write_str("no such key"),
            Self::ModRevision(revision) => write!(f, "mod revision {revision}"),
        }
    }
}

/// A deletion that took place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted<V> {
    /// The revision that the deletion made.
    pub revision: Revision,
    /// The entry that was deleted.
    pub previous: Entry<V>,
}
