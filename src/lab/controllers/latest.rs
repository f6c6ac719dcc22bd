//! The latest reconciles: which controller looked at what, because of which change, and what it wrote.

use leptos::prelude::*;
use protocol::controllers::{Outcome, Reconcile};

use super::{CONFLICT, short};
use crate::model::watch::hue_class;
use crate::state::Page;
use crate::ui::messages::controllers as words;
use crate::ui::part::{IntoPart, Part, each, flag};
use crate::widgets::version::Version;

/// More reconciles than this are not shown.
const MOST: usize = 60;
/// More revisions of one reconcile than this are not shown.
const MOST_WRITES: usize = 8;

/// The latest reconciles, newest first.
#[component]
pub(super) fn Latest() -> impl IntoView {
    let page = expect_context::<Page>();
    let numbers = move || {
        page.controllers(|known| {
            known.reconciles.iter().rev().take(MOST).map(|reconcile| reconcile.number).collect()
        })
    };
    let none = flag(move || page.controllers(|known| !known.reconciles.is_empty()));
    view! {
        <section class="lab-part">
            <h3>{words::LATEST}</h3>
            <p class="about" hidden=none>{words::NO_RECONCILES}</p>
            <ol class="reconciles">{each(numbers, move |number| row(page, number))}</ol>
        </section>
    }
    .part()
}

/// A reconcile does not change any more.
fn row(page: Page, number: u64) -> Part {
    let found = untrack(|| {
        page.controllers(|known| {
            let at = known.reconciles.iter().position(|reconcile| reconcile.number == number)?;
            let reconcile = known.reconciles.get(at)?.clone();
            let place = known.state.controllers.iter().position(|one| one.name == reconcile.controller);
            Some((reconcile, place.unwrap_or_default() as u64))
        })
    });
    let Some((reconcile, place)) = found else { return ().part() };
    view! {
        <li>
            <span class=["letter ", hue_class(place)].concat() aria-hidden="true"></span>
            <span class="reconcile">
                <strong>{short(&reconcile.controller).to_owned()}</strong>
                " "
                <code>{reconcile.key.clone()}</code>
                {because(&reconcile)}
                {wrote(&reconcile)}
                {outcome(&reconcile)}
            </span>
        </li>
    }
    .part()
}

fn because(reconcile: &Reconcile) -> Part {
    let Some(because) = reconcile.because else { return ().part() };
    view! { " "<em>{words::SAW}</em>" "<Version version=because.to_string() /> }.part()
}

fn wrote(reconcile: &Reconcile) -> Part {
    if reconcile.wrote.is_empty() {
        return view! { " "<em>{words::NOTHING_WRITTEN}</em> }.part();
    }
    let more = reconcile.wrote.len().saturating_sub(MOST_WRITES);
    let chips = reconcile.wrote.iter().take(MOST_WRITES);
    let chips = chips.map(|revision| view! { " "<Version version=revision.to_string() /> }.part());
    view! {
        " "<em>{words::WROTE}</em>{chips.collect::<Vec<_>>()}
        {(more > 0).then(|| view! { " "{words::more(more)} }.part())}
    }
    .part()
}

fn outcome(reconcile: &Reconcile) -> Part {
    match &reconcile.outcome {
        Outcome::Done => ().part(),
        Outcome::Again(at) => {
            let said = words::looks_again(at.saturating_sub(reconcile.at));
            view! { " "<em>{said}</em> }.part()
        }
        Outcome::Failed { why, retry } => {
            let conflict = reconcile.refused.iter().any(|(_, code)| *code == CONFLICT);
            let said = words::again(why, retry.saturating_sub(reconcile.at), conflict);
            view! { " "<span class="bad" title=why.clone()>{said}</span> }.part()
        }
    }
}
