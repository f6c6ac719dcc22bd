//! The state of changes that have not been made.

use leptos::prelude::*;

use crate::model::change::ahead::Ahead;
use crate::model::change::trial::Trial;
use crate::model::manifest::Manifest;
use crate::model::past::Then;
use crate::model::policy::Tried;

/// The page's knowledge of changes that have not been made. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    /// The dry run that was made last.
    pub(crate) trial: RwSignal<Option<Trial>>,
    /// The exchange that is shown as it would have gone at another revision.
    pub(crate) then: RwSignal<Option<Then>>,
    /// The problems that applying the body at hand would run into.
    pub(crate) ahead: RwSignal<Ahead>,
    /// The tab of the answer that is chosen.
    pub(crate) tab: RwSignal<usize>,
    /// The policy that is on trial.
    pub(crate) policy: Tried,
    /// The manifest that was applied last.
    pub(crate) manifest: Manifest,
}

impl Change {
    pub(crate) fn new() -> Self {
        Self {
            trial: RwSignal::new(None),
            then: RwSignal::new(None),
            ahead: RwSignal::new(Ahead::default()),
            tab: RwSignal::new(0),
            policy: Tried::new(),
            manifest: Manifest::new(),
        }
    }
}
