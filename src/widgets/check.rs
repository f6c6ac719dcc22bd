//! A box that is checked or not, with its name.

use leptos::prelude::*;

use crate::ui::part::{IntoPart, Part, act, flag};

/// Shows a box that is checked while a signal is set, and sets it. `about` shows when one points at it.
pub(crate) fn check(name: &'static str, about: &'static str, set: RwSignal<bool>) -> Part {
    view! {
        <label class="check" title=about>
            <input
                type="checkbox"
                prop:checked=flag(move || set.get())
                on:change=act(move |event| set.set(event_target_checked(&event)))
            />
            {name}
        </label>
    }
    .part()
}
