//! Several writes at one revision.

use std::fmt;

use crate::{Guard, Key, Revision};

/// One step of a [`Txn`].
pub enum Op<'a, V> {
    /// Writes a value, which may hold the revision that it is written at.
    Put {
        /// The key to write.
        key: Key,
        /// The condition that must hold for the whole transaction to happen.
        guard: Guard,
        /// Makes the value. It is called once all guards hold, and before anything is written.
        value: Box<dyn FnOnce(Revision) -> V + 'a>,
    },
    /// Deletes a key. A key that does not exist is left alone.
    Delete {
        /// The key to delete.
        key: Key,
        /// The condition that must hold for the whole transaction to happen.
        guard: Guard,
    },
    /// Writes nothing.
    Check {
        /// The key to look at.
        key: Key,
        /// The condition that must hold for the whole transaction to happen.
        guard: Guard,
    },
}

impl<V> Op<'_, V> {
    /// The key that the step is about.
    pub fn key(&self) -> &Key {
        match self {
            Self::Put { key, .. } | Self::Delete { key, .. } | Self::Check { key, .. } => key,
        }
    }

    /// Returns the condition that must hold for the whole transaction to happen.
    pub fn guard(&self) -> Guard {
        match self {
            Self::Put { guard, .. } | Self::Delete { guard, .. } | Self::Check { guard, .. } => *guard,
        }
    }

    pub(crate) fn writes(&self) -> bool {
        !matches!(self, Self::Check { .. })
    }
}

impl<V> fmt::Debug for Op<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Put { .. } => "Put",
            Self::Delete { .. } => "Delete",
            Self::Check { .. } => "Check",
        };
        f.debug_struct(name).field("key", self.key()).field("guard", &self.guard()).finish_non_exhaustive()
    }
}

/// Writes that happen together or not at all, at one revision, for [`Store::commit`](crate::Store::commit).
///
/// All guards are judged by the state before the transaction. The events are in the order of the steps.
///
/// ```
/// use store::{Guard, Store, Txn};
///
/// let mut store = Store::new(1);
/// let txn = Txn::new().put("a", Guard::Absent, |_| "apple").put("b", Guard::Absent, |_| "banana");
/// assert_eq!(store.commit(txn), Ok(Some(1)));
///
/// let txn = Txn::new().delete("a", Guard::None).put("b", Guard::ModRevision(7), |_| "blueberry");
/// assert!(store.commit(txn).is_err());
/// assert!(store.get("a").is_some());
/// ```
pub struct Txn<'a, V> {
    pub(crate) ops: Vec<Op<'a, V>>,
}

impl<'a, V> Txn<'a, V> {
    /// A transaction without steps.
    pub const fn new() -> Self {
        Self { ops: Vec::new() }
    }

    /// Adds a write.
    #[must_use]
    pub fn put(self, key: &str, guard: Guard, value: impl FnOnce(Revision) -> V + 'a) -> Self {
        self.op(Op::Put { key: key.into(), guard, value: Box::new(value) })
    }

    /// Adds a deletion.
    #[must_use]
    pub fn delete(self, key: &str, guard: Guard) -> Self {
        self.op(Op::Delete { key: key.into(), guard })
    }

    /// Adds a condition on a key that the transaction does not write.
    #[must_use]
    pub fn check(self, key: &str, guard: Guard) -> Self {
        self.op(Op::Check { key: key.into(), guard })
    }

    /// Adds a step.
    #[must_use]
    pub fn op(mut self, op: Op<'a, V>) -> Self {
        self.ops.push(op);
        self
    }

    /// The steps so far.
    pub fn ops(&self) -> &[Op<'a, V>] {
        &self.ops
    }
}

impl<V> Default for Txn<'_, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> fmt::Debug for Txn<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Txn").field(&self.ops).finish()
    }
}
