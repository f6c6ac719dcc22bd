//! Converted objects, which are kept for as long as the stored ones are: kube-apiserver's watch caches have one for each
//! version, with objects in that version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::custom::Definition;
use crate::stored::Stored;

/// How many there are before those are looked for that are of no use any more.
const FEW: usize = 256;

/// The converted objects, by where the stored ones are and the version.
#[derive(Default)]
pub(super) struct Memory(Mutex<Known>);

#[derive(Default)]
struct Known {
    entries: HashMap<(usize, String), Entry>,
    /// How many there may be before some are looked for that are of no use.
    limit: usize,
}

struct Entry {
    stored: Weak<Stored>,
    /// The definition by which it was converted: another one may say otherwise.
    definition: Arc<Definition>,
    shown: Arc<Stored>,
}

impl Memory {
    /// Returns an object in a version, if it has been converted by this definition.
    pub(super) fn find(
        &self,
        stored: &Arc<Stored>,
        definition: &Arc<Definition>,
        version: &str,
    ) -> Option<Arc<Stored>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entries.get(&(place(stored), version.to_owned()))?;
        // At the same place there may be another object by now, which the weak reference tells.
        let same = entry.stored.upgrade().is_some_and(|own| Arc::ptr_eq(&own, stored));
        (same && Arc::ptr_eq(&entry.definition, definition)).then(|| Arc::clone(&entry.shown))
    }

    /// Keeps an object in a version.
    pub(super) fn keep(
        &self,
        stored: &Arc<Stored>,
        definition: &Arc<Definition>,
        version: &str,
        shown: &Arc<Stored>,
    ) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.entries.len() >= known.limit.max(FEW) {
            known.entries.retain(|_, entry| entry.stored.strong_count() > 0);
            known.limit = known.entries.len() * 2;
        }
        let entry = Entry {
            stored: Arc::downgrade(stored),
            definition: Arc::clone(definition),
            shown: Arc::clone(shown),
        };
        known.entries.insert((place(stored), version.to_owned()), entry);
    }
}

/// Returns a number that stands for an object as long as it is there.
pub(super) fn place(stored: &Arc<Stored>) -> usize {
    Arc::as_ptr(stored).addr()
}
