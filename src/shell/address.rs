//! The address of a server whose clients are to be looked at.

use leptos::prelude::*;

use crate::cluster::host::{self, Host};
use crate::state::Page;
use crate::ui::messages::others;
use crate::ui::part::{IntoPart, act, text};

/// Asks for the address of a server.
#[component]
pub(crate) fn Address(asks: RwSignal<bool>) -> impl IntoView {
    let page = expect_context::<Page>();
    let known = page.host.with_value(|host| match host {
        Host::Server(address) => Some(address.clone()),
        _ => None,
    });
    let address = RwSignal::new(known.unwrap_or_else(|| others::ADDRESS_EXAMPLE.to_owned()));
    let token = RwSignal::new(String::new());
    let connect = move || {
        let address = address.get_untracked().trim().trim_end_matches('/').to_owned();
        let address = if address.contains("://") { address } else { ["http://", &address].concat() };
        host::remember_token(&address, token.get_untracked().trim());
        host::open(&Host::Server(address));
    };
    view! {
        <div
            class="address"
            on:keydown=move |event: web_sys::KeyboardEvent| match event.key().as_str() {
                "Escape" => asks.set(false),
                "Enter" => connect(),
                _ => {}
            }
        >
            <input
                type="text"
                aria-label=others::ADDRESS
                prop:value=text(move || address.get())
                on:input=move |event| address.set(event_target_value(&event))
            />
            <input
                type="password"
                autocomplete="off"
                aria-label=others::TOKEN
                placeholder=others::TOKEN
                prop:value=text(move || token.get())
                on:input=move |event| token.set(event_target_value(&event))
            />
            <button type="button" class="primary" on:click=act(move |_| connect())>{others::CONNECT}</button>
        </div>
    }
    .part()
}
