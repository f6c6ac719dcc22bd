//! The left pane: what the cluster serves, how much of it there is, and what was sent.

use std::collections::HashMap;

use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, act, each, flag, live, text};
use leptos::prelude::*;
use schema::Resource;

use crate::cluster::{Request, Which, catalog};
use crate::request::history;
use crate::request::target;
use crate::state::Page;
use crate::timeline::past;
use crate::ui::messages;
use crate::watches::view::short;

/// The resources by group, with live counts.
#[component]
pub(crate) fn Resources() -> impl IntoView {
    let page = expect_context::<Page>();
    let filter = RwSignal::new(String::new());
    let counts = Memo::new(move |_| counts(page));
    let sections = StoredValue::new(catalog::sections());
    let matches = move |resource: &Resource| {
        let wanted = filter.get().trim().to_ascii_lowercase();
        resource.name.contains(&wanted)
            || resource.kind.to_ascii_lowercase().contains(&wanted)
            || resource.short_names.contains(&wanted)
    };
    let found = Memo::new(move |_| {
        sections
            .with_value(|sections| sections.iter().flat_map(|section| &section.resources).any(|r| matches(r)))
    });
    let groups = move || {
        sections.with_value(|sections| {
            sections
                .iter()
                .map(|section| {
                    let resources = StoredValue::new(section.resources.clone());
                    let any = move || resources.with_value(|resources| resources.iter().any(|r| matches(r)));
                    let filled = move || {
                        let keys = resources.with_value(|r| r.iter().map(|r| catalog::storage_key(r)).collect::<Vec<_>>());
                        counts.with(|counts| keys.iter().any(|key| counts.contains_key(key)))
                    };
                    let open = Memo::new(move |_| filled() || !filter.get().is_empty());
                    let rows = section.resources.iter().map(|resource| {
                        let resource: &'static Resource = resource;
                        view! { <Row resource=resource counts=counts hidden=Signal::derive(move || !matches(resource)) /> }
                    });
                    view! {
                        <details open=flag(move || open.get()) hidden=flag(move || !any())>
                            <summary>{section.title.clone()}</summary>
                            <ul>{rows.collect_view()}</ul>
                        </details>
                    }
                })
                .collect_view()
        })
    };
    let empty = sections.with_value(Vec::is_empty);
    view! {
        <div class="pane-head">
            <h2 id="resources-title">{messages::RESOURCES}</h2>
        </div>
        <input
            type="search"
            class="filter"
            aria-label=messages::RESOURCES_FILTER
            placeholder=messages::RESOURCES_FILTER
            prop:value=text(move || filter.get())
            on:input=move |event| filter.set(event_target_value(&event))
        />
        <div class="scroll tree-of-resources">
            {live(groups)}
            <p class="quiet" hidden=flag(move || found.get())>
                {if empty { messages::RESOURCES_EMPTY } else { messages::RESOURCES_NONE }}
            </p>
        </div>
        <History />
    }
    .part()
}

/// How many objects there are at the revision that the page shows, by storage key: the embedded cluster tells, of a remote one its watches and writes do.
fn counts(page: Page) -> HashMap<String, usize> {
    if let Some(at) = page.at.get() {
        page.cluster.track();
        // What has been is not changed by what comes.
        return untrack(|| page.history(|history| past::counts(history, at)));
    }
    match page.cluster.get() {
        Which::ThisTab => page
            .overview
            .with(|overview| overview.counts.iter().filter(|(_, count)| *count > 0).cloned().collect()),
        Which::Remote => {
            let mut counts = HashMap::new();
            for object in page.objects() {
                let of = catalog::listed()
                    .find(|known| known.group == object.group && known.name == object.resource);
                if let Some(resource) = of {
                    *counts.entry(catalog::storage_key(resource)).or_default() += 1;
                }
            }
            counts
        }
    }
}

#[component]
fn Row(
    resource: &'static Resource,
    counts: Memo<HashMap<String, usize>>,
    hidden: Signal<bool>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let key = catalog::storage_key(resource);
    let count = Memo::new(move |_| counts.with(|counts| counts.get(&key).copied()));
    let path = move || catalog::path(resource, &page.namespace.get_untracked());
    let watch = move |_| {
        let changes = [("watch", Some("true")), ("allowWatchBookmarks", Some("true"))];
        page.fill_and_send(&Request::get(&target::with(&path(), &changes)));
    };
    view! {
        <li class="resource" class:none=flag(move || count.get().is_none()) hidden=flag(move || hidden.get())>
            <button
                type="button"
                class="row"
                title=messages::list_resource(&resource.name)
                on:click=act(move |_| page.fill_and_send(&Request::get(&path())))
            >
                <span class="name">{resource.name.as_str()}</span>
                <span class="count">{live(move || count.get().map(|count| count.to_string()))}</span>
            </button>
            {resource
                .allows("watch")
                .then(|| {
                    let label = messages::watch_resource(&resource.name);
                    view! {
                        <button type="button" class="icon" aria-label=label.clone() title=label on:click=watch>
                            "◉"
                        </button>
                    }
                })}
        </li>
    }
    .part()
}

/// The requests that were sent, to send them again.
#[component]
fn History() -> impl IntoView {
    let page = expect_context::<Page>();
    let items = Memo::new(move |_| page.read(history::items));
    view! {
        <section class="history" aria-labelledby="history-title">
            <h3 id="history-title">{messages::HISTORY}</h3>
            <p class="quiet" hidden=flag(move || items.with(|items| !items.is_empty()))>{messages::HISTORY_EMPTY}</p>
            <ul class="scroll">
                {each(
                    move || items.with(|items| items.iter().map(history::Item::key).collect()),
                    move |key| {
                        let item = items.with_untracked(|items| items.iter().find(|item| item.key() == key).cloned());
                        item.map(|item| view! { <Sent item=item /> }).part()
                    },
                )}
            </ul>
        </section>
    }
    .part()
}

#[component]
fn Sent(item: history::Item) -> impl IntoView {
    let page = expect_context::<Page>();
    let request = item.request;
    let label = messages::resend(&request.method, &request.target);
    let (method, shown) = (
        request.method.clone(),
        short(&request.target) + if request.watches() { messages::HISTORY_WATCH } else { "" },
    );
    view! {
        <li>
            <button
                type="button"
                class="row"
                title=label
                on:click=act(move |_| page.fill_and_send(&request))
            >
                <span class="method">{method}</span>
                <span class="name mono">{shown}</span>
                <span class="code" class:bad={item.status == 0 || item.status >= 400}>
                    {if item.status == 0 { "–".to_owned() } else { item.status.to_string() }}
                </span>
            </button>
        </li>
    }
    .part()
}
