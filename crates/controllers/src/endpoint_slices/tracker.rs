//! The tracker: which slices a controller has written, and whether its copies are as new as they are.

use std::collections::BTreeMap;

use json_tree::Value;

use super::slice;
use crate::change::Change;
use crate::object;
use crate::store::Shared;

/// The expected generations of slices by their uids, by the keys of Services. `None` for one that was deleted.
#[derive(Default)]
pub(crate) struct Tracker(BTreeMap<String, BTreeMap<String, Option<i64>>>);

fn service_key(slice: &Value) -> String {
    object::join_key(object::namespace(slice), slice::service_of(slice))
}

impl Tracker {
    fn of(&self, slice: &Value) -> Option<Option<i64>> {
        self.0.get(&service_key(slice))?.get(object::uid(slice)).copied()
    }

    fn set(&mut self, slice: &Value, generation: Option<i64>) {
        self.0.entry(service_key(slice)).or_default().insert(object::uid(slice).to_owned(), generation);
    }

    /// Expects a slice to be as it was just written.
    pub(crate) fn expect(&mut self, slice: &Value) {
        self.set(slice, Some(object::generation(slice)));
    }

    /// Expects a slice to go.
    pub(crate) fn expect_deletion(&mut self, slice: &Value) {
        self.set(slice, None);
    }

    /// Reports whether a slice is known.
    pub(crate) fn has(&self, slice: &Value) -> bool {
        self.of(slice).is_some()
    }

    /// Reports whether a slice is not as it was written here.
    fn is_news(&self, slice: &Value) -> bool {
        match self.of(slice) {
            Some(known) => known.is_none_or(|known| object::generation(slice) > known),
            None => true,
        }
    }

    /// Hears of a slice. Returns the keys of the Services that have to be looked at, because somebody else than the controller that is
    /// tracked has written or deleted a slice of that.
    pub(crate) fn news(&mut self, change: &Change, manager: &str) -> Vec<String> {
        let is_managed = |slice: &Value| slice::is_managed_by(slice, manager);
        let changed: Vec<&Shared> = match (&change.old, &change.new) {
            (Some(old), Some(new)) if slice::service_of(old) != slice::service_of(new) => vec![new, old],
            (Some(old), Some(new)) => {
                let (before, now) = (is_managed(old), is_managed(new));
                let is_other = before != now || now && self.is_news(new);
                if is_other { vec![new] } else { Vec::new() }
            }
            (None, Some(new)) if is_managed(new) && self.is_news(new) => vec![new],
            (Some(old), None) if is_managed(old) && self.is_lost(old) => vec![old],
            _ => Vec::new(),
        };
        let named = changed.into_iter().filter(|slice| !slice::service_of(slice).is_empty());
        named.map(|slice| service_key(slice)).collect()
    }

    /// Forgets a slice that is gone. Reports whether it was written here, and somebody else has deleted it.
    fn is_lost(&mut self, slice: &Value) -> bool {
        let known = self.0.get_mut(&service_key(slice));
        known.and_then(|known| known.remove(object::uid(slice))).flatten().is_some()
    }

    /// Reports whether the slices of a Service are older than those that were written here.
    pub(crate) fn is_stale(&self, key: &str, slices: &[Shared]) -> bool {
        let Some(known) = self.0.get(key) else { return false };
        let is_old = |slice: &Shared| {
            let expected = known.get(object::uid(slice));
            expected.is_some_and(|expected| expected.is_none_or(|it| it > object::generation(slice)))
        };
        let is_there = |uid: &String| slices.iter().any(|slice| object::uid(slice) == uid);
        slices.iter().any(is_old) || known.iter().any(|(uid, it)| it.is_some() && !is_there(uid))
    }

    /// Forgets a Service.
    pub(crate) fn forget(&mut self, key: &str) {
        self.0.remove(key);
    }
}
