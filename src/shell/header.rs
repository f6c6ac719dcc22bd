//! The top of the page.

use leptos::prelude::*;

use crate::cluster::Which;
use crate::cluster::host::{self, Host};
use crate::model::messages::lab as say;
use crate::state::{Dialog, Page};
use crate::timeline::past::view::Past;
use crate::ui::frame;
use crate::ui::later::{later, soon};
use crate::ui::memo::Memo;
use crate::ui::messages::{self, kept, others};
use crate::ui::part::{IntoPart, act, flag, live, text};

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
    let (asks, files) = (RwSignal::new(false), RwSignal::new(false));
    let is_tab = page.host.with_value(|host| *host == Host::Tab);
    let what = page.host.with_value(|host| match host {
        Host::Tab => messages::WHAT.to_owned(),
        Host::Tabs => others::WHAT_TABS.to_owned(),
        Host::Server(address) => others::what(address),
    });
    let about = move || match page.recorded.with(|shown| shown.as_ref().map(|shown| shown.text.clone())) {
        Some(text) => text,
        None if remote() => messages::WHAT_REMOTE.to_owned(),
        None => what.clone(),
    };
    view! {
            <h1>{messages::NAME}</h1>
            <p class="what">{live(about)}</p>
            <Past />
            <div class="controls">
                <label>
                    <span>{messages::CLUSTER}</span>
                    <select
                        on:change=move |event| {
                            let option = event_target_value(&event);
                            files.set(option == RECORDING);
                            choose(page, asks, &option);
                        }
                        prop:value=text(move || if files.get() { RECORDING } else { chosen(page, asks) })
                    >
                        <option value=TAB>{others::THIS_TAB}</option>
                        <option value=TABS disabled=!host::can_share()>
                            {if host::can_share() { others::ALL_TABS } else { others::NO_SHARING }}
                        </option>
                        {page.host.with_value(|host| match host {
                            Host::Server(address) => {
                                Some(view! { <option value=HERE>{address.clone()}</option> })
                            }
                            _ => None,
                        })}
                        <option value=SERVER>{others::SERVER}</option>
                        <option value=REMOTE>
                            {if host::script("attendee").is_truthy() { others::WORKSHOP } else { others::PROXY }}
                        </option>
                        <option value=RECORDING disabled=!is_tab>{others::RECORDING}</option>
                    </select>
                </label>
                <button
                    type="button"
                    class="icon"
                    aria-label=kept::OPEN
                    title=kept::OPEN
                    aria-haspopup="dialog"
                    on:click=act(move |_| page.dialog.set(Some(Dialog::Cluster)))
                >
                    "⋯"
                </button>
                {live(move || (files.get() || page.recorded.with(Option::is_some)).then(|| {
                    later(page.chunks().more, || ().part(), move |more| (more.recording)(files))
                }))}
                {live(move || asks.get().then(|| later(page.chunks().more, || ().part(), move |more| (more.address)(asks))))}
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
                // The page's script (`static/boot.js`) changes the language.
                <button type="button" class="icon" aria-label=messages::LANGUAGE title=messages::LANGUAGE data-speaks>
                    "文"
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

/// The clusters, as the list of them has them: in this tab, of all tabs, at the address of this page's server, at another
/// address, behind the proxy, and in a file.
const TAB: &str = "tab";
const TABS: &str = "tabs";
const HERE: &str = "here";
const SERVER: &str = "server";
const REMOTE: &str = "remote";
const RECORDING: &str = "recording";

fn chosen(page: Page, asks: RwSignal<bool>) -> &'static str {
    if asks.get() {
        return SERVER;
    }
    if page.cluster.get() == Which::Remote {
        return REMOTE;
    }
    page.host.with_value(|host| match host {
        Host::Tab => TAB,
        Host::Tabs => TABS,
        Host::Server(_) => HERE,
    })
}

/// Goes to the cluster of an option, or asks for its address.
fn choose(page: Page, asks: RwSignal<bool>, option: &str) {
    asks.set(option == SERVER);
    let host = match option {
        TAB => Host::Tab,
        TABS => Host::Tabs,
        SERVER | RECORDING => return,
        REMOTE => return page.cluster.set(Which::Remote),
        _ => page.host.get_value(),
    };
    if page.host.with_value(|own| *own == host) {
        page.cluster.set(Which::ThisTab);
    } else {
        host::open(&host);
    }
}

/// The time of the embedded cluster: it goes, stands still, or is moved on.
#[component]
fn Clock() -> impl IntoView {
    let page = expect_context::<Page>();
    let paused = move || page.speed.get() == 0;
    let about = move || if paused() { say::RUN_TIME } else { say::PAUSE_TIME };
    view! {
        <div class="clock" hidden=flag(move || page.cluster.get() == Which::Remote || !page.host.with_value(Host::keeps_time))>
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
