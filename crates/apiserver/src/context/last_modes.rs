//! The modes of impersonation that users were last let in by.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/#constrained-impersonation>

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most users of whom it is remembered.
const MOST_REMEMBERED: usize = 1_000;

/// The mode by which each user was last let be somebody else, as a place in the list of modes: it is tried first, and if none
/// allows it, the refusal is that of this one. The users stand in the order in which their modes have changed.
#[derive(Debug, Default)]
pub(crate) struct LastModes(Mutex<Vec<(String, usize)>>);

impl LastModes {
    /// Returns the mode of a user.
    pub(crate) fn of(&self, user: &str) -> Option<usize> {
        self.lock().iter().find(|(known, _)| known == user).map(|(_, mode)| *mode)
    }

    /// Remembers the mode of a user. When there are too many, the one is forgotten whose mode has changed longest ago.
    pub(crate) fn remember(&self, user: &str, mode: usize) {
        let mut modes = self.lock();
        modes.retain(|(known, _)| known != user);
        if modes.len() >= MOST_REMEMBERED {
            modes.remove(0);
        }
        modes.push((user.to_owned(), mode));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_user_is_forgotten_at_a_time() {
        let modes = LastModes::default();
        let remember = |user: usize, mode| modes.remember(&user.to_string(), mode);
        let of = |user: usize| modes.of(&user.to_string());
        (0..MOST_REMEMBERED).for_each(|user| remember(user, 1));
        remember(0, 2);
        remember(MOST_REMEMBERED, 3);
        for (user, expected) in [(0, Some(2)), (1, None), (2, Some(1)), (MOST_REMEMBERED, Some(3))] {
            assert_eq!(of(user), expected, "{user}");
        }
    }
}
