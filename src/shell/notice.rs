//! A sentence over the page, with what one can do about it.

use leptos::prelude::*;

use crate::state::{Notice, Page};
use crate::ui::messages;
use crate::ui::part::{IntoPart, act, live};

/// The line, while there is something to tell.
#[component]
pub(crate) fn NoticeLine() -> impl IntoView {
    let page = expect_context::<Page>();
    let line = move || {
        page.notice.get().map(|Notice { text, action }| {
            let button = action.map(|(name, act_on)| {
                let press = move |_| {
                    page.notice.set(None);
                    act_on(page);
                };
                view! { <button type="button" on:click=act(press)>{name}</button> }
            });
            view! {
                <p>{text}</p>
                {button}
                <button type="button" on:click=act(move |_| page.notice.set(None))>{messages::CLOSE}</button>
            }
            .part()
        })
    };
    view! { <div class="over-page" role="status">{live(line)}</div> }.part()
}
