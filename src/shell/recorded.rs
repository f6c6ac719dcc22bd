//! Choosing a recording, and which part of it is shown.

use bytes::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::state::Page;
use crate::state::recording::{Open, Shown};
use crate::ui::dom;
use crate::ui::later::Loading;
use crate::ui::messages::others as words;
use crate::ui::part::{IntoPart, act, flag, live, text};

/// Asks for a file, and has its parts turned over.
#[component]
pub(crate) fn Recorded(asks: RwSignal<bool>, load: fn() -> Loading<Open>) -> impl IntoView {
    let page = expect_context::<Page>();
    let why = RwSignal::new(String::new());
    let show = move |name: String, bytes: Bytes, part: Option<usize>| {
        spawn_local(async move {
            let done = match load().await {
                Ok(open) => open(page, name, bytes, part).await,
                Err(error) => Err(error.to_string()),
            };
            match done {
                Ok(()) => asks.set(false),
                Err(said) => why.set(said),
            }
        });
    };
    let chosen = move |event: web_sys::Event| {
        let Some(file) = dom::chosen_file(&event) else { return };
        spawn_local(async move {
            match dom::read_file(&file).await {
                Some(bytes) => show(file.name(), bytes, None),
                None => why.set(words::unreadable(&file.name())),
            }
        });
    };
    let turn = move |by: isize| {
        let shown = page.recorded.get_untracked();
        let part = shown.as_ref().and_then(|shown| shown.part.checked_add_signed(by));
        if let (Some(shown), Some(part)) = (shown, part) {
            show(shown.name.clone(), shown.bytes(), Some(part));
        }
    };
    let known = move |look: fn(&Shown) -> bool| page.recorded.with(|shown| shown.as_ref().is_some_and(look));
    let button = move |text: &'static str, about: &'static str, is_last: fn(&Shown) -> bool, by: isize| {
        view! {
            <button
                type="button"
                class="icon"
                title=about
                aria-label=about
                hidden=flag(move || !known(|shown| shown.parts > 1))
                disabled=flag(move || known(is_last))
                on:click=act(move |_| turn(by))
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="address recorded">
            {live(move || asks.get().then(|| view! {
                <label>
                    <span>{words::FILE}</span>
                    <input type="file" accept=".kgrec" on:change=chosen />
                </label>
            }))}
            {button("‹", words::EARLIER, |shown| shown.part == 0, -1)}
            {button("›", words::LATER, |shown| shown.part + 1 == shown.parts, 1)}
            <span class="bad" role="alert">{text(move || why.get())}</span>
        </div>
    }
    .part()
}
