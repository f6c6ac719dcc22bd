//! The tracker: which slices a controller has written, and whether its copies are as new as they are.

use std::collections::BTreeMap;

use json_tree::Value;

use super::slice;
use crate::object;
use crate::store::Shared;

/// The expected generations of slices by their uids, by the keys of Services. `None` for one that was deleted.
#[derive(Default)]
pub(crate) struct Tracker(BTreeMap<String, BTreeMap<String, Option<i64>>>);

fn service_key(slice: &Value) -> String {
    object::join_key(object::namespace(slice), slice::service(slice))
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
    pub(crate) fn is_news(&self, slice: &Value) -> bool {
        match self.of(slice) {
            Some(known) => known.is_none_or(|known| object::generation(slice) > known),
            None => true,
        }
    }

    /// Forgets a slice that is gone. Reports whether it was written here, and somebody else has deleted it.
    pub(crate) fn is_lost(&mut self, slice: &Value) -> bool {
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
