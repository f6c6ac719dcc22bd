//! The tour: eight steps through what the page shows, each of which does something and points at where it can be seen.
//!
//! `steps.rs` is the table of the steps, `act.rs` what they do, `view.rs` the card and the welcome.

mod act;
mod steps;
pub(crate) mod view;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::Which;
use crate::cluster::host::{self, Host};
use crate::state::{Page, Shown};
use crate::ui::dom;
use crate::ui::messages::tour as words;
use crate::ui::views::{self, View};
use steps::{COUNT, STEPS};

/// Where the number of the step stands at which somebody is, or has left. Anything else says that they know of the tour.
const LEFT: &str = "kubeglass.tour";

/// How the tour stands.
#[derive(Clone, Copy)]
pub(crate) struct Tour {
    /// The number of the step, from 0 on; `None` while there is no tour.
    pub(crate) at: RwSignal<Option<usize>>,
    /// The place that the step points at. (Whoever shows the page needs that, and not the table of the steps.)
    pub(crate) place: RwSignal<Option<&'static str>>,
    /// Whether the code of the card is there.
    pub(crate) is_ready: RwSignal<bool>,
    /// Whether the step is doing something.
    pub(crate) acts: RwSignal<bool>,
    /// What was shown by the steps so far, to be shown again by who goes back.
    shown: StoredValue<Vec<Option<Shown>>>,
    /// The revision that the tour began at.
    from: StoredValue<u64>,
    /// Whether the tour has a cluster of its own, and there is another one to return to.
    own: StoredValue<bool>,
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

    /// Goes to a step; `None` ends the tour.
    fn turn(self, at: Option<usize>) {
        self.at.set(at);
        self.place.set(at.and_then(|at| STEPS.get(at)).map(|step| step.place.id()));
    }
}

/// Returns the step at which somebody has left the tour, if they have.
fn left() -> Option<usize> {
    dom::remembered(LEFT)?.parse().ok().filter(|at| (1..COUNT).contains(at))
}

/// Returns what the button is called that begins it.
pub(crate) fn button() -> &'static str {
    if left().is_some() { words::GO_ON } else { words::TAKE }
}

/// Begins the tour, or goes on where somebody has left it. It writes to clusters of tabs alone.
pub(crate) fn begin(page: Page) {
    if page.host.with_value(|host| *host != Host::Tab) {
        return page
            .tell_over(words::ELSEWHERE.to_owned(), Some((words::OPEN_TAB, |_| host::open(&Host::Tab))));
    }
    page.tour.ready();
    spawn_local(async move {
        page.cluster.set(Which::ThisTab);
        page.at.set(None);
        if !page.narrow.get_untracked() {
            views::turn(page, View::Request);
        }
        let at = left().unwrap_or_default();
        let anew = at == 0 && page.has_changed();
        // What somebody has made is not to be mixed with what the tour makes.
        if anew && let Some(keeper) = page.who_keeps() {
            keeper.start_anew().await;
        }
        page.tour.own.set_value(anew);
        page.tour.from.set_value(page.overview.with_untracked(|overview| overview.revision));
        page.tour.shown.set_value(vec![None; STEPS.len()]);
        go(page, at);
    });
}

/// Goes to a step, and does what it does if that has not been done.
fn go(page: Page, at: usize) {
    page.tour.turn(Some(at));
    dom::remember(LEFT, &at.to_string());
    let Some(step) = STEPS.get(at) else { return };
    page.pane.set(step.place.pane());
    match page.tour.shown.with_value(|shown| shown.get(at).copied().flatten()) {
        Some(shown) => page.show(shown),
        None => again(page),
    }
}

/// Does what the step does, once more if it has been done.
fn again(page: Page) {
    let Some(at) = page.tour.at.get_untracked() else { return };
    let Some(step) = STEPS.get(at) else { return };
    page.tour.acts.set(true);
    spawn_local(async move {
        act::act(page, step.act).await;
        let shown = page.shown.get_untracked();
        page.tour.shown.update_value(|all| {
            if let Some(known) = all.get_mut(at) {
                *known = Some(shown);
            }
        });
        // A response turns a narrow page to itself.
        page.pane.set(step.place.pane());
        page.tour.acts.set(false);
    });
}

/// Leaves the tour. With `back`, the cluster is again what it was before.
fn leave(page: Page, back: bool) {
    if page.tour.at.get_untracked().is_none_or(|at| at + 1 == STEPS.len()) {
        dom::remember(LEFT, "over");
    }
    page.tour.turn(None);
    if back {
        let (own, from) = (page.tour.own.get_value(), page.tour.from.get_value());
        page.keeping(|keeper| if own { keeper.turn_back() } else { keeper.branch(from) });
    }
    dom::focus_soon("path");
}
