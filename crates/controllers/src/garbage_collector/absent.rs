//! Owners that were looked for in vain.

use std::collections::{HashSet, VecDeque};

use super::node::Identity;

/// The owners that are known not to exist; the last ones that it was found out of.
#[derive(Default)]
pub(super) struct Absent {
    known: HashSet<Identity>,
    order: VecDeque<Identity>,
}

impl Absent {
    /// The owners that are remembered at most.
    const MOST: usize = 500;

    /// Reports whether an owner is known not to exist.
    pub(super) fn has(&self, identity: &Identity) -> bool {
        self.known.contains(identity)
    }

    /// Notes that an owner does not exist. The oldest of too many is forgotten.
    pub(super) fn add(&mut self, identity: Identity) {
        if self.known.insert(identity.clone()) {
            self.order.push_back(identity);
        }
        if self.order.len() > Self::MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}
