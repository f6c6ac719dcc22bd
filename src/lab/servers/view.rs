//! The API servers.

use leptos::prelude::*;
use protocol::trace::ServerInfo;

use crate::cluster::embedded::MOST_SERVERS;
use crate::lab::back::Back;
use crate::lab::servers::behind;
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};
use crate::widgets::version::Version;

/// How long a cache may take, in seconds.
const LAGS: &[u64] = &[0, 1, 5, 30];

/// The API servers, and how a read goes back in time.
#[component]
pub(crate) fn Servers() -> impl IntoView {
    let page = expect_context::<Page>();
    let infos = Memo::new(move |_| page.server_infos());
    let numbers = move || infos.with(|infos| infos.iter().map(|info| info.number as u64).collect());
    view! {
        <p class="about">{say::SERVERS_ABOUT}</p>
        {each(numbers, move |number| view! { <Card number=number as usize infos=infos /> }.part())}
        <div class="lab-tools">
            <button
                type="button"
                disabled=flag(move || page.lab.servers.get() >= MOST_SERVERS)
                on:click=act(move |_| page.add_server())
            >
                {say::ADD_SERVER}
            </button>
        </div>
        <Back />
    }
    .part()
}

#[component]
fn Card(number: usize, infos: Memo<Vec<ServerInfo>>) -> impl IntoView {
    let page = expect_context::<Page>();
    let info = Memo::new(move |_| infos.with(|infos| infos.get(number).cloned()).unwrap_or_default());
    let revision = move || info.with(|info| vec![info.revision]);
    let one = RwSignal::new(false);
    let stopped = move || info.with(|info| info.stopped);
    let groups = Memo::new(move |_| {
        let first = page.cached();
        info.with(|info| behind(info, &first))
    });
    // The newest revision and the caches are not looked at in the same moment: whichever changes last is shown too.
    let head = Memo::new(move |_| page.overview.with(|overview| overview.revision));
    let state = move || {
        let head = head.get();
        info.with(|info| {
            let oldest = groups.with(|groups| groups.first().map_or(head, |group| group.revision));
            say::standing(info.stopped, head.saturating_sub(oldest))
        })
    };
    let title = format!("server-{number}");
    let titled = title.clone();
    view! {
        <article class="server" data-server=number.to_string() class:closed=flag(stopped) aria-labelledby=titled>
            <div class="watch-head">
                <h3 id=title>{say::server(number)}</h3>
                {each(revision, |revision| view! { <Version version=revision.to_string() /> }.part())}
            </div>
            <p class="standing">
                <span class:same=flag(move || groups.with(Vec::is_empty))>{text(state)}</span>
                " · "
                {text(move || say::serves(info.with(|info| info.watches)))}
            </p>
            <ul class="behind">{live(move || lagging(&groups.get()))}</ul>
            <div class="lab-tools">
                <label>
                    <span>{say::LAG}</span>
                    <select
                        prop:value=text(move || info.with(|info| info.lag.as_secs().to_string()))
                        on:change=move |event| {
                            let resource = one.get_untracked().then(|| untrack(|| page.cached()));
                            let seconds = event_target_value(&event).parse().unwrap_or_default();
                            if resource.is_some() {
                                page.set_lag(number, None, 0);
                            }
                            page.set_lag(number, resource.as_deref(), seconds);
                        }
                    >
                        {LAGS
                            .iter()
                            .map(|seconds| view! { <option value=seconds.to_string()>{say::lag(*seconds)}</option> })
                            .collect_view()}
                    </select>
                </label>
                <label>
                    <span>{say::LAG_OF}</span>
                    <select
                        prop:value=text(move || if one.get() { "one" } else { "" })
                        on:change=move |event| one.set(event_target_value(&event) == "one")
                    >
                        <option value="">{say::LAG_ALL}</option>
                        <option value="one">{text(move || page.cached())}</option>
                    </select>
                </label>
                <button type="button" on:click=act(move |_| page.set_stopped(number, !untrack(stopped)))>
                    {text(move || if stopped() { messages::COPY_MEND } else { say::CUT_OFF })}
                </button>
                <button
                    type="button"
                    disabled=flag(move || info.with(|info| info.watches == 0))
                    on:click=act(move |_| page.drop_watches(number))
                >
                    {say::DROP_WATCHES}
                </button>
            </div>
        </article>
    }
    .part()
}

/// The caches that lag, by how far they have come.
fn lagging(groups: &[super::Behind]) -> Vec<Part> {
    let lines = groups.iter().take(4).map(|group| {
        let names = say::caches(&group.named, group.more);
        view! { <li><span class="mono">{names}</span>" "{say::REACHED}" "<Version version=group.revision.to_string() /></li> }
            .part()
    });
    lines.collect()
}
