//! The switch of what is answered on the page's origin.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::answer;
use crate::state::Page;
use crate::ui::messages::origin as words;
use crate::ui::part::{IntoPart, flag, text};

/// The switch, what it does, and an example.
#[component]
pub(crate) fn OnOrigin() -> impl IntoView {
    let page = expect_context::<Page>();
    let why = RwSignal::new(String::new());
    let changed = move |event| {
        let answers = event_target_checked(&event);
        spawn_local(async move {
            let done = answer(page, answers).await;
            why.set(done.err().unwrap_or_default());
            page.lab.answers.notify();
        });
    };
    view! {
        <label class="switch">
            <input type="checkbox" prop:checked=flag(move || page.lab.answers.get()) on:change=changed />
            <span>{words::SWITCH}</span>
        </label>
        <p class="about">{words::ABOUT}</p>
        <pre class="mono" hidden=flag(move || !page.lab.answers.get())>{words::EXAMPLE}</pre>
        <p class="bad" role="status" hidden=flag(move || why.with(String::is_empty))>{text(move || why.get())}</p>
    }
    .part()
}
