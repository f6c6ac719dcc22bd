//! The details beside the ribbon: the same as a log, the requests, the state at the cursor, and who owns whom there.

use leptos::prelude::*;

use crate::model::owners::TAB;
use crate::state::Page;
use crate::timeline::owners::Owners;
use crate::timeline::past::view::StateAt;
use crate::timeline::rails::view::Rails;
use crate::timeline::tabs::{LOG, REQUESTS};
use crate::timeline::waterfall::view::Waterfall;
use crate::ui::messages;
use crate::ui::part::{IntoPart, live};
use crate::ui::tabs::{Tab, Tabs};

/// The tabs, in the order of the row.
pub(crate) const TABS: &[Tab] = &[
    ("tab-log", messages::TIMELINE_LOG),
    ("tab-requests", messages::TIMELINE_REQUESTS),
    ("tab-state", messages::TIMELINE_STATE),
    ("tab-trees", messages::TIMELINE_OWNERS),
];

/// The tabs, and what the chosen one shows.
#[component]
pub(crate) fn Details() -> impl IntoView {
    let page = expect_context::<Page>();
    let chosen = page.detail;
    view! {
        <div class="tabs-line">
            <Tabs label=messages::TIMELINE_DETAILS tabs=TABS chosen=chosen />
        </div>
        <div class="detail" role="tabpanel" aria-label=messages::TIMELINE_DETAILS>
            {live(move || match chosen.get() {
                LOG => view! { <Rails /> }.part(),
                REQUESTS => view! { <Waterfall /> }.part(),
                TAB => view! { <Owners /> }.part(),
                _ => view! { <StateAt /> }.part(),
            })}
        </div>
    }
    .part()
}
