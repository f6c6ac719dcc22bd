//! The snapshots that continue tokens have pinned.
//!
//! Nothing is copied: a snapshot is a revision of the store, which is there until it is compacted. But that a token was
//! given out for it, and how many objects were left, is known here. A snapshot does not change, so the next page
//! need not count them again.

use std::collections::VecDeque;
use std::time::Duration;

use store::Revision;

/// How many tokens are remembered.
const REMEMBERED: usize = 256;

/// A continue token that was given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    /// The revision that the list is read at.
    pub revision: Revision,
    /// The prefix of the list's keys.
    pub prefix: String,
    /// The key at which the next page begins.
    pub start: String,
    /// How many objects the pages to come hold; `None` where a selector keeps them from being counted.
    pub remaining: Option<usize>,
    /// When it was given out, since the Unix epoch.
    pub at: Duration,
}

/// The tokens that were given out, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(VecDeque<Pin>);

impl Snapshots {
    /// Remembers a token.
    pub(crate) fn pin(&mut self, pin: Pin) {
        if let Some(index) = self.position(pin.revision, &pin.prefix, &pin.start) {
            self.0.remove(index);
        } else if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(pin);
    }

    /// How many objects of a list at `revision` are left from the key `start` on, if that is known.
    pub(crate) fn remaining(&self, revision: Revision, prefix: &str, start: &str) -> Option<usize> {
        self.0[self.position(revision, prefix, start)?].remaining
    }

    /// The tokens, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pin> {
        self.0.iter()
    }

    fn position(&self, revision: Revision, prefix: &str, start: &str) -> Option<usize> {
        self.0.iter().rposition(|pin| pin.revision == revision && pin.start == start && pin.prefix == prefix)
    }
}
