//! The position of a watch in the log.

use crate::log::Position;
use crate::{KeyRange, Revision};

/// A watch: which keys it is about, and how far it has read.
///
/// It is plain data. [`Store::next`](crate::Store::next) moves it; a clone goes its own way from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) range: KeyRange,
    /// The record to look at next.
    pub(crate) position: Position,
    /// Nothing up to here is due any more.
    pub(crate) revision: Revision,
}

impl Cursor {
    /// The keys that it is about.
    pub fn range(&self) -> &KeyRange {
        &self.range
    }

    /// The revision up to which nothing is outstanding: a watch opened after it misses nothing and repeats at most
    /// the part of a transaction that this one has seen already.
    ///
    /// A watch of the future says the revision that it waits for.
    pub fn revision(&self) -> Revision {
        self.revision
    }
}
