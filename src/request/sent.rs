//! The requests that were sent, to be changed or sent again: the pinned ones, and then those that match a filter.

use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::decided::USER;
use crate::cluster::host::Host;
use crate::model::panes::Pane;
use crate::model::watch::short;
use crate::state::history::{self, Item};
use crate::state::{Page, pinned};
use crate::ui::memo::Memo;
use crate::ui::messages::{self, access, learn};
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};

/// The most requests that can be pinned.
const MOST: usize = 20;
/// From how many requests on there is a filter.
const MANY: usize = 5;

/// The requests that were sent, and those that are pinned.
#[component]
pub(crate) fn History() -> impl IntoView {
    let page = expect_context::<Page>();
    let items = Memo::new(move |_| page.read(history::items));
    let filter = RwSignal::new(String::new());
    let pinned = RwSignal::new(pinned::remembered());
    let found = Memo::new(move |_| {
        let wanted = filter.get().to_lowercase();
        let pinned = pinned.get();
        items.with(|items| {
            let others =
                items.iter().filter(|item| !pinned.iter().any(|pin| pinned::same(pin, &item.request)));
            others.filter(|item| matches(item, &wanted)).map(Item::key).collect::<Vec<u64>>()
        })
    });
    let pins = move || {
        let pinned_now = pinned.get();
        pinned_now.into_iter().map(|request| sent(page, Item { request, status: 0 }, pinned)).collect_view()
    };
    let is_few = flag(move || items.with(|items| items.len() < MANY) && filter.with(String::is_empty));
    view! {
        <section class="history" aria-labelledby="history-title">
            <div class="history-head">
                <h3 id="history-title">{messages::HISTORY}</h3>
                <input
                    type="search"
                    aria-label=messages::HISTORY_FILTER
                    placeholder=messages::HISTORY_FILTER_HINT
                    title=messages::HISTORY_FILTER
                    hidden=is_few
                    prop:value=text(move || filter.get())
                    on:input=act(move |event| filter.set(event_target_value(&event)))
                />
                {page.host.with_value(|host| *host == Host::Tab).then(|| record(page))}
            </div>
            <p class="quiet" hidden=flag(move || items.with(|items| !items.is_empty()) || pinned.with(|pinned| !pinned.is_empty()))>
                {messages::HISTORY_EMPTY}
            </p>
            <p class="quiet" role="status" hidden=flag(move || filter.with(String::is_empty) || found.with(|found| !found.is_empty()))>
                {messages::HISTORY_NONE}
            </p>
            <div class="scroll">
                <ul aria-label=messages::PINNED hidden=flag(move || pinned.with(Vec::is_empty))>{live(pins)}</ul>
                <ul aria-labelledby="history-title">
                    {each(
                        move || found.get(),
                        move |key| {
                            let item = items.with_untracked(|items| items.iter().find(|item| item.key() == key).cloned());
                            item.map(|item| sent(page, item, pinned)).part()
                        },
                    )}
                </ul>
            </div>
        </section>
    }
    .part()
}

/// Begins to record a lesson, or ends that and shows what can be written.
fn record(page: Page) -> Part {
    let name = move || page.recorded_requests().map_or_else(|| learn::RECORD.to_owned(), learn::stop);
    view! {
        <button
            type="button"
            class="record"
            title=learn::RECORD_ABOUT
            aria-pressed=text(move || page.teaches.with(Option::is_some).to_string())
            on:click=act(move |_| page.record_lesson())
        >
            {text(name)}
        </button>
    }
    .part()
}

/// Returns whether a request has all words of a filter, which is in lower case: in its method, target, body, status or user.
fn matches(item: &Item, wanted: &str) -> bool {
    let Request { method, target, body, .. } = &item.request;
    let status = item.status.to_string();
    let user = item.request.header(USER).unwrap_or_default();
    let has = |word: &str| {
        [method, target, body, &status, user].iter().any(|text| text.to_lowercase().contains(word))
    };
    wanted.split_whitespace().all(has)
}

/// Shows a request. One that is pinned has no status.
fn sent(page: Page, item: Item, pinned: RwSignal<Vec<Request>>) -> Part {
    let request = item.request;
    let label = messages::resend(&request.method, &request.target);
    let (filled, toggled) = (request.clone(), request.clone());
    let is_pinned = pinned.with_untracked(|pinned| pinned.iter().any(|pin| pinned::same(pin, &request)));
    let shown = short(&request.target)
        + if request.watches() { messages::HISTORY_WATCH } else { "" }
        + &request.header(USER).map(access::sent_as).unwrap_or_default();
    let pin = messages::pin(is_pinned, &request.method, &request.target);
    let status = match (is_pinned, item.status) {
        (true, _) => String::new(),
        (_, 0) => "–".to_owned(),
        (_, status) => status.to_string(),
    };
    view! {
        <li>
            <button
                type="button"
                class="row"
                title=messages::refill(&request.method, &request.target)
                on:click=act(move |_| {
                    page.act_as(&filled);
                    page.form.fill(&filled);
                    page.pane.set(Pane::Request);
                })
            >
                <span class="method">{request.method.clone()}</span>
                <span class="name mono">{shown}</span>
                <span class="code" class:bad={!is_pinned && (item.status == 0 || item.status >= 400)}>{status}</span>
            </button>
            <button
                type="button"
                class="icon pin"
                aria-label=pin.clone()
                title=pin
                aria-pressed=is_pinned.to_string()
                on:click=act(move |_| toggle(pinned, &toggled))
            >
                {if is_pinned { "★" } else { "☆" }}
            </button>
            <button
                type="button"
                class="icon"
                aria-label=label.clone()
                title=label
                on:click=act(move |_| {
                    page.act_as(&request);
                    page.fill_and_send(&request);
                })
            >
                "↻"
            </button>
        </li>
    }
    .part()
}

/// Pins a request, or takes the pin out.
fn toggle(pinned: RwSignal<Vec<Request>>, request: &Request) {
    pinned.update(|pinned| {
        if let Some(at) = pinned.iter().position(|pin| pinned::same(pin, request)) {
            pinned.remove(at);
        } else {
            pinned.insert(0, request.clone());
            pinned.truncate(MOST);
        }
    });
    pinned.with_untracked(|all| pinned::remember(all));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, expected: bool) {
        let request = Request::json("POST", "/api/v1/namespaces/Default/configmaps", "{\"a\": \"Blue\"}");
        assert_eq!(matches(&Item { request, status: 409 }, wanted), expected, "{wanted}");
    }

    #[test]
    fn a_filter_finds_words_anywhere() {
        for wanted in ["", "post", "configmaps default", "409", "blue 409"] {
            check(wanted, true);
        }
        for wanted in ["get", "201", "default pods"] {
            check(wanted, false);
        }
    }
}
