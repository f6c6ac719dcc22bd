//! What a cluster serves, as it says itself: groups, versions, kinds and their fields, as a tree to look around in; and
//! what a definition offers once its kind is served.

pub(crate) mod example;
pub(crate) mod fields;
pub(crate) mod offer;
pub(crate) mod rows;
pub(crate) mod served;
pub(crate) mod view;
pub(crate) mod wrong;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use served::Kind;

/// What the page knows of what is served. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Explore {
    /// Every kind in every version, in the order of discovery.
    pub(crate) kinds: RwSignal<Vec<Arc<Kind>>>,
    /// The schemas of custom kinds that have been looked at, by the id of the kind's row.
    pub(crate) schemas: RwSignal<BTreeMap<String, Arc<Value>>>,
    /// The rows of the tree that are open, by their ids.
    pub(crate) open: RwSignal<BTreeSet<String>>,
    /// The row that the focus is on, or goes to.
    pub(crate) active: RwSignal<String>,
    /// What rows are looked for by.
    pub(crate) filter: RwSignal<String>,
    /// Which tab of the resources is chosen.
    pub(crate) tab: RwSignal<usize>,
    /// Counts up whenever a definition was written by this page, wherever.
    pub(crate) written: RwSignal<u64>,
}

impl Explore {
    pub(crate) fn new() -> Self {
        Self {
            kinds: RwSignal::new(Vec::new()),
            schemas: RwSignal::new(BTreeMap::new()),
            open: RwSignal::new(BTreeSet::new()),
            active: RwSignal::new(String::new()),
            filter: RwSignal::new(String::new()),
            tab: RwSignal::new(0),
            written: RwSignal::new(0),
        }
    }
}
