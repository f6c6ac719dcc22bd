//! Manifests of several documents: each object is applied to where it belongs, as `kubectl apply --server-side -f` does.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/>

pub(crate) mod files;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod split;
pub(crate) mod view;

use leptos::prelude::*;

use crate::ui::{dom, messages};

/// Who applies, unless the form says otherwise: kubectl's own name.
const MANAGER: &str = "kubectl";

/// How long what comes of a manifest is not told of anew, in milliseconds.
const TOLD: f64 = 100.0;

/// What came of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its turn has not come.
    Waiting,
    /// It was not there before.
    Created,
    /// It was changed.
    Configured,
    /// It was there as it is wanted.
    Unchanged,
    /// It was refused, or could not be sent: why, as kubectl says it.
    Failed(String),
    /// Somebody stopped before its turn came.
    Skipped,
}

/// An object of a manifest, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The line in which its document begins, from 1.
    pub(crate) line: usize,
    /// The object as kubectl names it: `configmap/a`, `deployment.apps/web`. Empty where the document does not say.
    pub(crate) name: String,
    /// What came of it.
    pub(crate) outcome: Outcome,
    /// The exchange in which it was applied.
    pub(crate) exchange: Option<u64>,
    /// The version that the object has.
    pub(crate) version: String,
}

impl Row {
    /// Returns the row of an object whose turn has not come.
    fn new(line: usize, name: String) -> Self {
        Self { line, name, outcome: Outcome::Waiting, exchange: None, version: String::new() }
    }

    /// Returns the revision that it was written with: nothing was, if it is unchanged.
    pub(crate) fn wrote(&self) -> Option<u64> {
        matches!(self.outcome, Outcome::Created | Outcome::Configured).then(|| self.version.parse().ok())?
    }
}

/// The manifest that was applied last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// What its objects have come to, in the order of the manifest.
    pub(crate) rows: Vec<Row>,
    /// Whether it was a dry run, which changes nothing.
    pub(crate) dry: bool,
    /// Whether there are objects to come.
    pub(crate) going: bool,
}

impl Run {
    /// Returns what came of all objects, in words.
    fn summary(&self) -> String {
        messages::manifest::summary(self.dry, self.rows.iter().map(|row| &row.outcome))
    }
}

/// What the page knows of manifests. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Manifest {
    /// The one that was applied last.
    run: StoredValue<Run>,
    /// When it was told of last, in milliseconds of the page's clock.
    told: RwSignal<f64>,
    /// Counts up whenever one begins, and when it is stopped: what began with another number goes no further.
    turn: StoredValue<u64>,
    /// Whether fields that others own are taken over.
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
    fn begin(self, dry: bool) -> u64 {
        self.run.set_value(Run { rows: Vec::new(), dry, going: true });
        self.tell();
        self.next()
    }

    /// Goes no further with what is under way.
    fn stop(self) {
        self.next();
        self.run.update_value(|run| {
            run.going = false;
            let waiting = run.rows.iter_mut().filter(|row| row.outcome == Outcome::Waiting);
            waiting.for_each(|row| row.outcome = Outcome::Skipped);
        });
        self.tell();
    }

    fn next(self) -> u64 {
        let next = self.turn.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        next.unwrap_or_default()
    }

    /// Returns whether it is still the turn of this number.
    fn is_current(self, turn: u64) -> bool {
        self.turn.try_get_value() == Some(turn)
    }

    /// Changes what is known of a manifest, if it is still its turn. It is told now and then while there is more to come.
    fn update(self, turn: u64, change: impl FnOnce(&mut Run)) {
        if !self.is_current(turn) {
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

    /// Looks at what has come of the manifest that was applied last, and again whenever that has changed.
    fn look<T>(self, look: impl FnOnce(&Run) -> T) -> T {
        self.told.track();
        self.run.with_value(look)
    }
}

/// Returns whether a body is a manifest of several documents: a line of `---` stands between two that have something in them.
pub(crate) fn is_several(body: &str) -> bool {
    let (mut documents, mut has) = (0, false);
    for line in body.lines() {
        if split::is_separator(line) {
            has = false;
        } else if !has && split::says(line) {
            has = true;
            documents += 1;
            if documents > 1 {
                return true;
            }
        }
    }
    false
}
