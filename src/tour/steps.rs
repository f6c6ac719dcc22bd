//! The steps of the tour.

use super::act::Act;
use crate::model::panes::Pane;
use crate::ui::messages::tour as words;

/// A step.
pub(super) struct Step {
    /// The topic of the step, and the text about what there is to see.
    pub(super) title: &'static str,
    pub(super) text: &'static str,
    /// The place that the step points at.
    pub(super) place: Place,
    /// The action of the step.
    pub(super) act: Act,
}

/// A place of the page that a step points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(Pane);

impl Place {
    /// Returns the id of its element.
    pub(crate) fn id(self) -> &'static str {
        self.0.id()
    }

    /// Returns the pane that it is in.
    pub(crate) fn pane(self) -> Pane {
        self.0
    }
}

const fn step(words: (&'static str, &'static str), place: Pane, act: Act) -> Step {
    Step { title: words.0, text: words.1, place: Place(place), act }
}

/// The number of steps.
pub(super) const COUNT: usize = 8;

/// The steps, in their order.
pub(super) const STEPS: [Step; COUNT] = [
    step(words::CLUSTER, Pane::Answer, Act::List),
    step(words::VERSION, Pane::Timeline, Act::Light),
    step(words::WRITE, Pane::Timeline, Act::Create),
    step(words::WATCH, Pane::Watches, Act::Change),
    step(words::CONFLICT, Pane::Answer, Act::Conflict),
    step(words::RESOLVE, Pane::Request, Act::Resolve),
    step(words::GONE, Pane::Answer, Act::Gone),
    step(words::YOURS, Pane::Request, Act::List),
];
