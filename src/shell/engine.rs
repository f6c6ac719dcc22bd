//! How the engine of this tab is, where it is not as it should be.

use leptos::prelude::*;

use crate::cluster::host::{self, Host};
use crate::cluster::worker::{Engine, PATIENCE};
use crate::state::Page;
use crate::ui::messages::{engine as words, kept, others};
use crate::ui::part::{IntoPart, Part, act, live};

/// A line over the page while the engine is loaded, does not respond, or has stopped.
#[component]
pub(crate) fn EngineNotice() -> impl IntoView {
    let page = expect_context::<Page>();
    view! { <div class="engine" role="status">{live(move || notice(page, &page.engine.get()))}</div> }.part()
}

fn notice(page: Page, engine: &Engine) -> Option<Part> {
    Some(match engine {
        Engine::Ready => return None,
        Engine::Recalling => view! { <p>{kept::RECALLING}</p> }.part(),
        Engine::Loading(loaded, total) => view! { <p>{words::loading(*loaded, *total)}</p> }.part(),
        Engine::Silent => view! { <p>{words::silent(PATIENCE / 1000)}</p>{restart(page)} }.part(),
        Engine::Stopped(why) => match page.host.get_value() {
            Host::Server(address) => {
                let again = act(move |_| page.restart_engine(false));
                view! {
                    <p class="bad">{others::lost(&address, why)}</p>
                    <button type="button" class="primary" on:click=again>{others::CONNECT_AGAIN}</button>
                    <button type="button" on:click=act(|_| host::open(&Host::Tab))>{others::USE_TAB}</button>
                }
                .part()
            }
            // The others have to begin anew, too: the worker is gone for all of them.
            Host::Tabs => view! {
                <p class="bad">{words::stopped(why)}</p>
                <button type="button" class="primary" on:click=act(|_| host::reload())>{others::RELOAD}</button>
            }
            .part(),
            Host::Tab => view! { <p class="bad">{words::stopped(why)}</p>{restart(page)} }.part(),
        },
    })
}

/// The buttons that start another engine.
fn restart(page: Page) -> Part {
    let button = move |same: bool, class: &'static str, text: &'static str| {
        view! { <button type="button" class=class on:click=act(move |_| page.restart_engine(same))>{text}</button> }
    };
    if page.can_go_on() {
        view! { {button(true, "primary", words::RESTART)}{button(false, "", words::NEW)} }.part()
    } else {
        button(false, "primary", words::TRY_AGAIN).part()
    }
}
