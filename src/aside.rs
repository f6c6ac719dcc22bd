//! The right pane: the watches, and what is done to the cluster on purpose.

use leptos::prelude::*;

use crate::cluster::Which;
use crate::lab::controllers::view::AtWork;
use crate::lab::origin::view::OnOrigin;
use crate::lab::servers::view::Servers;
use crate::lab::traffic::view::Flow;
use crate::model::lab::{CONTROLLERS, SERVERS, WATCHES};
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::{self, controllers};
use crate::ui::part::{IntoPart, Part, flag, live, quiet, text};
use crate::ui::tabs::{Tab, Tabs};
use crate::watches::copy::Keep;
use crate::watches::strip::Strip;
use crate::watches::view::Watches;

/// The tabs, in the order of the row.
const TABS: &[Tab] = &[
    ("tab-watches", messages::WATCHES),
    ("tab-servers", say::SERVERS),
    ("tab-controllers", controllers::CONTROLLERS),
    ("tab-race", say::RACE),
];

/// The watches as a strip, or the tabs with what the chosen one shows.
#[component]
pub(crate) fn Aside() -> impl IntoView {
    let page = expect_context::<Page>();
    let strip = Memo::new(move |_| page.view.get().has_strip() && !page.narrow.get());
    let whole = move || if strip.get() { view! { <Strip /> }.part() } else { whole(page) };
    view! {
        <h2 id="watches-title" class="unseen">{messages::WATCHES}</h2>
        {live(whole)}
    }
    .part()
}

/// The tabs, and what the chosen one shows.
fn whole(page: Page) -> Part {
    let chosen = page.lab.aside;
    view! {
        <div class="tabs-line aside">
            <Tabs label=say::ASIDE tabs=TABS chosen=chosen />
            <span hidden=flag(move || chosen.get() != WATCHES)>
                <Keep />
            </span>
        </div>
        <div class="scroll aside-body" role="tabpanel" tabindex="0" aria-labelledby=text(move || TABS[chosen.get()].0)>
            {live(move || match chosen.get() {
                WATCHES => view! { <Watches /> }.part(),
                _ if page.cluster.get() == Which::Remote => quiet(say::ONLY_HERE),
                SERVERS => servers(),
                CONTROLLERS => view! { <AtWork /> }.part(),
                _ => page.of_more(|more| (more.race)()),
            })}
        </div>
    }
    .part()
}

fn servers() -> Part {
    view! {
        <Servers />
        <Flow />
        <OnOrigin />
    }
    .part()
}
