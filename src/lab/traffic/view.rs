//! The traffic's controls.

use leptos::prelude::*;

use crate::lab::traffic::run::{BURST, WATCHES};
use crate::model::lab::traffic::SIZES;
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::part::{IntoPart, act, flag, text};

/// How many writes a second there may be.
const RATES: &[u32] = &[0, 1, 10, 100, 1000];

/// The traffic.
#[component]
pub(crate) fn Flow() -> impl IntoView {
    let page = expect_context::<Page>();
    let lab = page.lab;
    let size = RwSignal::new(SIZES[1]);
    let bursting = move || lab.burst.with(|(_, asked)| *asked > 0);
    view! {
        <section class="lab-part" aria-labelledby="traffic-title">
            <h3 id="traffic-title">{say::TRAFFIC}</h3>
            <p class="about">{say::TRAFFIC_ABOUT}</p>
            <div class="lab-tools">
                <label>
                    <span>{say::RATE}</span>
                    <select
                        prop:value=text(move || lab.rate.get().to_string())
                        on:change=move |event| page.set_rate(event_target_value(&event).parse().unwrap_or(0))
                    >
                        {RATES.iter().map(|rate| view! { <option value=rate.to_string()>{say::rate(*rate)}</option> }).collect_view()}
                    </select>
                </label>
                <label>
                    <span>{say::SIZE}</span>
                    <select
                        prop:value=text(move || size.get().to_string())
                        on:change=move |event| size.set(event_target_value(&event).parse().unwrap_or(SIZES[0]))
                    >
                        {SIZES.iter().map(|size| view! { <option value=size.to_string()>{say::size(*size)}</option> }).collect_view()}
                    </select>
                </label>
                <button type="button" disabled=flag(bursting) title=say::FILL_ABOUT on:click=act(move |_| page.fill(size.get_untracked()))>
                    {say::FILL}
                </button>
                <button type="button" disabled=flag(bursting) on:click=act(move |_| page.burst())>
                    {say::burst(BURST)}
                </button>
                <button type="button" on:click=act(move |_| page.crowd())>
                    {text(move || say::crowd(WATCHES, lab.crowd.with(Vec::len)))}
                </button>
            </div>
            <p class="progress" hidden=flag(move || !bursting())>
                <progress
                    aria-label=say::TRAFFIC
                    max=text(move || lab.burst.get().1.to_string())
                    value=text(move || lab.burst.get().0.to_string())
                ></progress>
                <span class="figure">{text(move || say::burst_at(lab.burst.get()))}</span>
            </p>
        </section>
    }
    .part()
}
