//! The state of the Cluster view.

use leptos::prelude::*;

/// The state of the Cluster view. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Browse {
    /// The path of a collection or an object; empty for what has changed last.
    pub(crate) path: RwSignal<String>,
    /// The label selector of the collection.
    pub(crate) labels: RwSignal<String>,
    /// The text that names must have in them for their rows to show.
    pub(crate) named: RwSignal<String>,
    /// True while the columns show that only `kubectl get -o wide` prints.
    pub(crate) wide: RwSignal<bool>,
    /// The tab of the object's page.
    pub(crate) tab: RwSignal<usize>,
}

impl Browse {
    /// Begins with a path.
    pub(crate) fn at(path: String) -> Self {
        Self {
            path: RwSignal::new(path),
            labels: RwSignal::new(String::new()),
            named: RwSignal::new(String::new()),
            wide: RwSignal::new(false),
            tab: RwSignal::new(0),
        }
    }
}
