//! The tour: eight steps through what the page shows, each of which does something and points at where it can be seen.
//!
//! `steps.rs` is the table of the steps, `act.rs` what they do, `view.rs` the card and the welcome.

mod act;
mod steps;
pub(crate) mod view;

use leptos::prelude::*;
use leptos::task::spawn_local;
use steps::{COUNT, STEPS};

use crate::cluster::Which;
use crate::cluster::host::{self, Host};
use crate::model::views::View;
use crate::state::tour::Tour;
use crate::state::{Page, views};
use crate::ui::dom;
use crate::ui::messages::tour as words;

/// The storage key for the number of the step at which somebody is, or has left. Any other value says that they know of
/// the tour.
const LEFT: &str = "kubeglass.tour";

/// Goes to a step; `None` ends the tour.
fn turn(tour: Tour, at: Option<usize>) {
    tour.at.set(at);
    tour.place.set(at.and_then(|at| STEPS.get(at)).map(|step| step.place.id()));
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
        // What somebody has made is not to be mixed with what the tour makes. Where nothing is kept, it stays all the same.
        let mut keeper = None;
        if at == 0 && page.has_changed() {
            (page.chunks().keep)(page).await;
            keeper = page.who_keeps().filter(|keeper| keeper.keeps());
        }
        if let Some(keeper) = &keeper {
            keeper.start_anew().await;
        }
        page.tour.own.set_value(keeper.is_some());
        // The last change of the user may not have been told yet: the API server knows of it.
        let known = page.overview.with_untracked(|overview| overview.revision);
        page.tour.from.set_value(act::newest(page).await.unwrap_or(known));
        page.tour.shown.set_value(vec![None; STEPS.len()]);
        go(page, at);
    });
}

/// Goes to a step, and does what it does if that has not been done.
fn go(page: Page, at: usize) {
    turn(page.tour, Some(at));
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

/// Leaves the tour.
fn leave(page: Page) {
    if page.tour.at.get_untracked().is_none_or(|at| at + 1 == STEPS.len()) {
        dom::remember(LEFT, "over");
    }
    turn(page.tour, None);
    dom::focus_soon("path");
}

/// Makes the cluster again what it was before the tour, and leaves the tour then: a request that is sent after it finds nothing of
/// what it has made.
fn take_back(page: Page) {
    page.tour.acts.set(true);
    spawn_local(async move {
        let keeper = page.who_will_keep().await;
        if let Some(keeper) = &keeper {
            let (own, from) = (page.tour.own.get_value(), page.tour.from.get_value());
            if own { keeper.turn_back() } else { keeper.branch(from) }.await;
        }
        page.tour.acts.set(false);
        if keeper.is_some() {
            leave(page);
        }
    });
}
