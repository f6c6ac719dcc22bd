//! The state of the tour.

use leptos::prelude::*;

use super::Shown;

/// How the tour stands.
#[derive(Clone, Copy)]
pub(crate) struct Tour {
    /// The number of the step, from 0 on; `None` while there is no tour.
    pub(crate) at: RwSignal<Option<usize>>,
    /// The place that the step points at. (Whoever shows the page needs that, and not the table of the steps.)
    pub(crate) place: RwSignal<Option<&'static str>>,
    /// True once the code of the card is loaded.
    pub(crate) is_ready: RwSignal<bool>,
    /// True while the step is doing something.
    pub(crate) acts: RwSignal<bool>,
    /// The contents that the steps so far have shown, to be shown again to users who go back.
    pub(crate) shown: StoredValue<Vec<Option<Shown>>>,
    /// The revision that the tour began at.
    pub(crate) from: StoredValue<u64>,
    /// True if the tour has a cluster of its own, and there is another one to return to.
    pub(crate) own: StoredValue<bool>,
}

impl Tour {
    /// No tour.
    pub(crate) fn new() -> Self {
        Self {
            at: RwSignal::new(None),
            place: RwSignal::new(None),
            is_ready: RwSignal::new(false),
            acts: RwSignal::new(false),
            shown: StoredValue::new(Vec::new()),
            from: StoredValue::new(0),
            own: StoredValue::new(false),
        }
    }

    /// Has the card shown from now on: its code is there.
    pub(crate) fn ready(self) {
        // Whoever is told once more makes it anew.
        if !self.is_ready.get_untracked() {
            self.is_ready.set(true);
        }
    }
}
