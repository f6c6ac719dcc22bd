//! A row of tabs.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::ui::dom;
use crate::ui::part::{IntoPart, act, text};

/// A tab: the id of its element, and what it is called.
pub(crate) type Tab = (&'static str, &'static str);

/// A row of tabs, of which one is chosen, by its place.
#[component]
pub(crate) fn Tabs(
    /// The name of the row of tabs: what the tabs belong to.
    label: &'static str,
    /// The tabs.
    tabs: &'static [Tab],
    /// The place of the one that is chosen.
    chosen: RwSignal<usize>,
) -> impl IntoView {
    let keydown = move |event: KeyboardEvent| {
        let (at, count) = (chosen.get_untracked(), tabs.len());
        let next = match event.key().as_str() {
            "ArrowRight" => (at + 1) % count,
            "ArrowLeft" => (at + count - 1) % count,
            "Home" => 0,
            "End" => count - 1,
            _ => return,
        };
        event.prevent_default();
        chosen.set(next);
        dom::focus_soon(tabs[next].0);
    };
    view! {
        <div class="tabs" role="tablist" aria-label=label on:keydown=keydown>
            {tabs
                .iter()
                .enumerate()
                .map(|(own, (id, name))| {
                    view! {
                        <button
                            type="button"
                            id=*id
                            role="tab"
                            aria-selected=text(move || (chosen.get() == own).to_string())
                            tabindex=text(move || if chosen.get() == own { "0" } else { "-1" })
                            on:click=act(move |_| chosen.set(own))
                        >
                            {*name}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
    .part()
}
