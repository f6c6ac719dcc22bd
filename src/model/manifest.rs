//! Manifests of several documents: each object is applied to where it belongs, as `kubectl apply --server-side -f` does.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/>

pub(crate) mod plan;
pub(crate) mod split;

use leptos::prelude::*;

use crate::ui::dom;

/// The manager that applies, unless the form says otherwise: kubectl's own name.
const MANAGER: &str = "kubectl";

/// The time between two updates of what is shown of a manifest that is being applied, in milliseconds.
const TOLD: f64 = 100.0;

/// The outcome of applying an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Not sent yet, or not at all, since somebody stopped.
    Waiting,
    /// It did not exist before.
    Created,
    /// It existed, and was changed.
    Configured,
    /// It was so already.
    Unchanged,
    /// It was refused, or could not be sent; this is the reason, as kubectl words it.
    Failed(String),
}

/// An object of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The line in which its document begins, from 1.
    pub(crate) line: usize,
    /// The object as kubectl names it: `configmap/a`, `deployment.apps/web`. Empty where the document does not say.
    pub(crate) name: String,
    /// The outcome of applying it.
    pub(crate) outcome: Outcome,
    /// The exchange in which it was applied.
    pub(crate) exchange: Option<u64>,
    /// The object's resource version.
    pub(crate) version: String,
}

impl Row {
    /// Returns the row of an object that has not been sent.
    pub(crate) fn new(line: usize, name: String) -> Self {
        Self { line, name, outcome: Outcome::Waiting, exchange: None, version: String::new() }
    }

    /// Returns the revision of the write, if there was one.
    pub(crate) fn wrote(&self) -> Option<u64> {
        matches!(self.outcome, Outcome::Created | Outcome::Configured).then(|| self.version.parse().ok())?
    }
}

/// The manifest that was applied last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// The objects, in the order of the manifest.
    pub(crate) rows: Vec<Row>,
    /// True for a dry run, which changes nothing.
    pub(crate) dry: bool,
    /// True until all objects have been sent, or somebody stops.
    pub(crate) going: bool,
}

/// The state of applying manifests. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Manifest {
    /// The one that was applied last.
    run: StoredValue<Run>,
    /// The time of the last update of what is shown, in milliseconds of the page's clock.
    told: RwSignal<f64>,
    /// The number of manifests that were begun: the newest takes the place of the one before.
    turn: StoredValue<u64>,
    /// True to take over fields that other managers own.
    pub(crate) force: RwSignal<bool>,
}

impl Manifest {
    pub(crate) fn new() -> Self {
        Self {
            run: StoredValue::new(Run::default()),
            told: RwSignal::new(0.0),
            turn: StoredValue::new(0),
            force: RwSignal::new(false),
        }
    }

    /// Begins with another manifest, and returns the number of its turn.
    pub(crate) fn begin(self, dry: bool) -> u64 {
        self.run.set_value(Run { rows: Vec::new(), dry, going: true });
        self.tell();
        let turn = self.turn.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        turn.unwrap_or_default()
    }

    /// Sends no further object. The one that is under way is not called back.
    pub(crate) fn stop(self) {
        self.run.update_value(|run| run.going = false);
        self.tell();
    }

    /// Returns whether the manifest of this turn goes on: no other one has begun, and nobody has stopped it.
    pub(crate) fn goes_on(self, turn: u64) -> bool {
        self.is_newest(turn) && self.run.with_value(|run| run.going)
    }

    fn is_newest(self, turn: u64) -> bool {
        self.turn.try_get_value() == Some(turn)
    }

    /// Changes the state of the manifest of this turn, unless another one has begun. What is shown follows every [`TOLD`], and at
    /// the end.
    pub(crate) fn update(self, turn: u64, change: impl FnOnce(&mut Run)) {
        if !self.is_newest(turn) {
            return;
        }
        self.run.update_value(change);
        let is_due = dom::monotonic() - self.told.get_untracked() > TOLD;
        if is_due || self.run.with_value(|run| !run.going) {
            self.tell();
        }
    }

    fn tell(self) {
        let _ = self.told.try_set(dom::monotonic());
    }

    /// Reads the state of the manifest that was applied last, and again whenever it has changed.
    pub(crate) fn look<T>(self, look: impl FnOnce(&Run) -> T) -> T {
        self.told.track();
        self.run.with_value(look)
    }
}
