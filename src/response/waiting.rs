//! A request that waits for its response: for how long it has, and a way to wait no longer.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::state::Page;
use crate::ui::part::{IntoPart, Part, act, flag, text};
use crate::ui::{dom, messages};

/// How long a request waits before anything is said of that, and then until it is said again, in milliseconds.
const PAUSE: i32 = 500;

/// Shows how long the exchange of this number, which was sent at `begun`, has waited, and a way to cancel it. Nothing is shown of
/// what is answered at once.
pub(crate) fn show(page: Page, exchange: u64, begun: f64) -> Part {
    let waited = RwSignal::new(0.0);
    spawn_local(async move {
        loop {
            dom::sleep(PAUSE).await;
            // It ends with the view that shows it.
            if waited.try_set(dom::monotonic() - begun).is_some() {
                return;
            }
        }
    });
    let is_quick = flag(move || waited.get() < f64::from(PAUSE));
    view! {
        <span class="figure" hidden=is_quick>{text(move || messages::waits(waited.get()))}</span>
        <button type="button" title=messages::CANCEL_ABOUT hidden=is_quick on:click=act(move |_| page.cancel(exchange))>
            {messages::CANCEL}
        </button>
    }
    .part()
}
