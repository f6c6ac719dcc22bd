//! The top of the page.

use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, act, flag, live, text};
use leptos::prelude::*;

use crate::cluster::Which;
use crate::state::{Dialog, Page};
use crate::timeline::past::view::Past;
use crate::ui::later::soon;
use crate::ui::messages::lab as say;
use crate::ui::{frame, messages};

/// The speeds of the embedded cluster's clock: a factor, and what it is called.
const SPEEDS: &[(u32, &str)] = &[(1, "1×"), (10, "10×"), (60, "60×")];

/// Name, cluster, namespace, clock, and the buttons for everything else.
#[component]
pub(crate) fn Header() -> impl IntoView {
    view! { <header id="header">{soon(|| frame::part("header"), || view! { <Controls /> }.part())}</header> }
        .part()
}

#[component]
fn Controls() -> impl IntoView {
    let page = expect_context::<Page>();
    let remote = move || page.cluster.get() == Which::Remote;
    view! {
            <h1>{messages::NAME}</h1>
            <p class="what">{live(move || if remote() { messages::WHAT_REMOTE } else { messages::WHAT })}</p>
            <Past />
            <div class="controls">
                <label>
                    <span>{messages::CLUSTER}</span>
                    <select
                        on:change=move |event| {
                            let remote = event_target_value(&event) == "remote";
                            page.cluster.set(if remote { Which::Remote } else { Which::ThisTab });
                        }
                        prop:value=text(move || if remote() { "remote" } else { "tab" })
                    >
                        <option value="tab">{messages::CLUSTER_THIS_TAB}</option>
                        <option value="remote">{messages::CLUSTER_REMOTE}</option>
                    </select>
                </label>
                <label>
                    <span>{messages::NAMESPACE}</span>
                    <select
                        on:change=move |event| page.namespace.set(event_target_value(&event))
                        prop:value=text(move || page.namespace.get())
                    >
                        {
                            let names = Memo::new(move |_| page.namespaces());
                            move || {
                                names
                                    .get()
                                    .into_iter()
                                    .map(|name| {
                                        let chosen = name == page.namespace.get_untracked();
                                        view! { <option value=name.clone() selected=chosen>{name.clone()}</option> }
                                    })
                                    .collect_view()
                            }
                        }
                        <option value="">{messages::ALL_NAMESPACES}</option>
                    </select>
                </label>
                <Clock />
            </div>
            <div class="tools">
                <button
                    type="button"
                    class="find"
                    aria-label=messages::PALETTE_OPEN
                    title=messages::PALETTE_OPEN
                    aria-haspopup="dialog"
                    on:click=act(move |_| page.dialog.set(Some(Dialog::Palette)))
                >
                    <kbd>{messages::PALETTE_KEYS}</kbd>
                </button>
                <button
                    type="button"
                    class="icon"
                    aria-label=messages::HELP_OPEN
                    title=messages::HELP_OPEN
                    aria-haspopup="dialog"
                    on:click=act(move |_| page.dialog.set(Some(Dialog::Help)))
                >
                    "?"
                </button>
                <button
                    type="button"
                    class="icon"
                    aria-label=text(move || page.theme.get().name())
                    title=text(move || page.theme.get().name())
                    on:click=act(move |_| page.theme.update(|theme| *theme = theme.next()))
                >
                    "◐"
                </button>
            </div>
    }
    .part()
}

/// The time of the embedded cluster: it goes, stands still, or is moved on.
#[component]
fn Clock() -> impl IntoView {
    let page = expect_context::<Page>();
    let paused = move || page.speed.get() == 0;
    let about = move || if paused() { say::RUN_TIME } else { say::PAUSE_TIME };
    view! {
        <div class="clock" hidden=flag(move || page.cluster.get() == Which::Remote)>
            <time class="mono" title=say::TIME_ABOUT>{text(move || messages::time_of_day(page.lab.now.get()))}</time>
            <button
                type="button"
                class="icon"
                aria-label=text(about)
                title=text(about)
                on:click=act(move |_| page.set_running(untrack(paused)))
            >
                {text(move || if paused() { "▶" } else { "❚❚" })}
            </button>
            {say::TIME_STEPS
                .iter()
                .map(|(seconds, shown, about)| {
                    view! {
                        <button type="button" class="time-step" aria-label=*about title=*about on:click=act(move |_| page.step_time(*seconds))>
                            {*shown}
                        </button>
                    }
                })
                .collect_view()}
            <label>
                <span class="unseen">{messages::CLOCK}</span>
                <select
                    on:change=move |event| page.set_pace(event_target_value(&event).parse().unwrap_or(1))
                    prop:value=text(move || match page.speed.get() {
                        0 => page.lab.pace.get().to_string(),
                        speed => speed.to_string(),
                    })
                >
                    {SPEEDS
                        .iter()
                        .map(|(factor, name)| {
                            view! { <option value=factor.to_string() selected={*factor == 1}>{*name}</option> }
                        })
                        .collect_view()}
                </select>
            </label>
        </div>
    }
    .part()
}
