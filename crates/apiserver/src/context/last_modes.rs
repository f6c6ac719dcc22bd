//! The modes of impersonation that users were last let in by.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/#constrained-impersonation>

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::small_map::SmallMap;

/// The most users of whom it is remembered.
const MOST_REMEMBERED: usize = 1_000;

/// The mode by which each user was last let be somebody else, as a place in the list of modes: it is tried first, and if none
/// allows it, the refusal is that of this one.
#[derive(Debug, Default)]
pub(crate) struct LastModes(Mutex<SmallMap<String, usize>>);

impl LastModes {
    /// Returns the mode of a user.
    pub(crate) fn of(&self, user: &str) -> Option<usize> {
        self.lock().get(user).copied()
    }

    /// Remembers the mode of a user. Those of all others are forgotten when there are too many.
    pub(crate) fn remember(&self, user: &str, mode: usize) {
        let mut modes = self.lock();
        if modes.len() >= MOST_REMEMBERED && !modes.contains_key(user) {
            *modes = SmallMap::new();
        }
        modes.insert(user.to_owned(), mode);
    }

    fn lock(&self) -> MutexGuard<'_, SmallMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
