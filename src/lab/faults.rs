//! The choice of how the next request of whoever sits in front of the page fails, and of the API server that it goes to.

use leptos::prelude::*;

use crate::cluster::Which;
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::state::faults::FAULTS;
use crate::ui::part::{IntoPart, act, flag, live, text};

/// How the next answer comes, and from which API server.
#[component]
pub(crate) fn Next() -> impl IntoView {
    let page = expect_context::<Page>();
    let lab = page.lab;
    let pending = move || lab.fault.get().is_some();
    view! {
        <label hidden=flag(move || lab.servers.get() < 2) title=say::NEXT_SERVER_ABOUT>
            <span>{say::NEXT_SERVER}</span>
            <select
                prop:value=text(move || lab.server.get().map_or_else(String::new, |number| number.to_string()))
                on:change=move |event| page.choose_server(event_target_value(&event).parse().ok())
            >
                {live(move || {
                    (0..lab.servers.get())
                        .map(|number| {
                            let chosen = lab.server.get_untracked() == Some(number);
                            view! { <option value=number.to_string() selected=chosen>{number.to_string()}</option> }
                        })
                        .collect_view()
                })}
                <option value="">{say::NEXT_IN_TURN}</option>
            </select>
        </label>
        <label hidden=flag(move || page.cluster.get() == Which::Remote) title=say::FAULT_ABOUT>
            <span>{say::FAULT}</span>
            <select
                prop:value=text(move || lab.fault.get().map_or_else(String::new, |fault| fault.to_string()))
                on:change=move |event| lab.fault.set(event_target_value(&event).parse().ok())
            >
                <option value="">{say::FAULT_NONE}</option>
                {FAULTS
                    .iter()
                    .enumerate()
                    .map(|(fault, (_, name))| view! { <option value=fault.to_string()>{*name}</option> })
                    .collect_view()}
            </select>
        </label>
        <span class="pending" hidden=flag(move || !pending())>
            <span class="figure">{say::FAULT_PENDING}</span>
            <button type="button" on:click=act(move |_| lab.fault.set(None))>{say::FAULT_CLEAR}</button>
        </span>
    }
    .part()
}
