//! The left pane: what the cluster serves, how much of it there is, and what was sent.

use std::collections::HashMap;
use std::sync::Arc;

use apimachinery::target;
use leptos::prelude::*;
use schema::Resource;

use crate::cluster::{Request, Which, catalog};
use crate::model::explore::REFERENCE;
use crate::model::explore::served::WATCH;
use crate::model::messages::explore as words;
use crate::model::past;
use crate::model::views::View;
use crate::state::{Page, views};
use crate::ui::later::{later, soon};
use crate::ui::memo::Memo;
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part, act, flag, live, maybe, text};
use crate::ui::tabs::{Tab, Tabs};

/// The tabs: what there is, and what it is like.
const TABS: &[Tab] = &[("tab-resources", messages::RESOURCES), ("tab-reference", words::REFERENCE)];

/// The resources, or what is served, as a tree.
#[component]
pub(crate) fn Resources(
    /// True once there may be something in the history: only then is its code loaded.
    written: Signal<bool>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let chosen = page.explore.tab;
    view! {
        <h2 id="resources-title" class="unseen">{messages::RESOURCES}</h2>
        <div class="tabs-line aside">
            <Tabs label=messages::RESOURCES tabs=TABS chosen=chosen />
            {[View::Access, View::Learn].map(|view| {
                view! {
                    <button type="button" class="to-access" on:click=act(move |_| views::choose(page, view))>
                        {view.words().0}
                    </button>
                }
                .part()
            })}
        </div>
        <div class="tab-body" role="tabpanel" aria-labelledby=text(move || TABS[chosen.get()].0)>
            {live(move || match chosen.get() {
                REFERENCE => page.of_more(|more| (more.reference)()),
                _ => view! {
                    <List />
                    {live(move || if written.get() { later(page.chunks().panes, unsent, |panes| (panes.history)()) } else { unsent() })}
                }
                .part(),
            })}
        </div>
    }
    .part()
}

/// The resources by group, with live counts.
#[component]
fn List() -> impl IntoView {
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
                    // Before anything is known it is as it will most likely be: only the core group has objects.
                    let core = section.resources.iter().any(|resource| resource.group.is_empty());
                    let has_shown = move || {
                        let of = |resource: &&'static Resource| is_shown(page, &resource.group, &resource.name);
                        resources.with_value(|resources| resources.iter().any(of))
                    };
                    let guessed = move || core && counts.with(HashMap::is_empty);
                    let open = Memo::new(move |_| filled() || guessed() || has_shown() || !filter.get().is_empty());
                    let rows = move || {
                        resources.with_value(|resources| {
                            let row = |resource: &&'static Resource| {
                                let resource: &'static Resource = resource;
                                view! { <Row resource=resource counts=counts hidden=Signal::derive(move || !matches(resource)) /> }
                            };
                            resources.iter().map(row).collect_view().part()
                        })
                    };
                    view! {
                        <details open=flag(move || open.get()) hidden=flag(move || !any())>
                            <summary>{section.title.clone()}</summary>
                            // What is not seen yet need not be there yet.
                            <ul>{if open.get_untracked() { rows() } else { soon(|| ().part(), rows) }}</ul>
                        </details>
                    }
                })
                .collect_view()
        })
    };
    let empty = sections.with_value(Vec::is_empty);
    view! {
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
            {live(move || custom(page, counts, filter))}
            <p class="quiet" hidden=flag(move || found.get())>
                {if empty { messages::RESOURCES_EMPTY } else { messages::RESOURCES_NONE }}
            </p>
        </div>
    }
    .part()
}

/// The resources that definitions have added, by group.
fn custom(page: Page, counts: Memo<HashMap<String, usize>>, filter: RwSignal<String>) -> Vec<Part> {
    let mut sections: Vec<(String, Vec<Part>)> = Vec::new();
    let wanted = filter.get().trim().to_ascii_lowercase();
    page.explore.kinds.with(|kinds| {
        for kind in kinds.iter().filter(|kind| kind.built_in().is_none()) {
            if !kind.resource.contains(&wanted) && !kind.short_names.contains(&wanted) {
                continue;
            }
            let (head, tail) = ([&kind.group, "/"].concat(), ["/", &kind.resource].concat());
            let count = Memo::new(move |_| {
                counts.with(|counts| {
                    let own = |key: &&String| key.starts_with(&head) && key.ends_with(&tail);
                    counts.keys().find(own).and_then(|key| counts.get(key).copied())
                })
            });
            let (own, watches) = (Arc::clone(kind), kind.verbs.iter().any(|verb| verb == "watch"));
            let path: Path = Arc::new(move || own.path(&page.namespace.get_untracked()));
            let row = row(page, &kind.resource, path, count, watches, flag(|| false));
            let title = [&kind.group, "/", &kind.version].concat();
            match sections.last_mut().filter(|(known, _)| *known == title) {
                Some((_, rows)) => rows.push(row),
                None => sections.push((title, vec![row])),
            }
        }
    });
    let show = |(title, rows): (String, Vec<Part>)| {
        view! { <details open><summary>{title}</summary><ul>{rows}</ul></details> }.part()
    };
    sections.into_iter().map(show).collect()
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
            page.objects(|objects| {
                for object in objects {
                    let of = catalog::listed()
                        .find(|known| known.group == object.group && known.name == object.resource);
                    if let Some(resource) = of {
                        *counts.entry(catalog::storage_key(resource)).or_default() += 1;
                    }
                }
            });
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
    let path: Path = Arc::new(move || catalog::path(resource, &page.namespace.get_untracked()));
    row(page, &resource.name, path, count, resource.allows("watch"), hidden)
}

/// Returns whether the Cluster view shows objects of a resource.
fn is_shown(page: Page, group: &str, name: &str) -> bool {
    let shown = page.browse.path.with(|path| catalog::of_path(path) == Some((group, name)));
    shown && page.view.get() == View::Cluster
}

/// The path of a collection, in the namespace that is chosen.
type Path = Arc<dyn Fn() -> String>;

fn row(
    page: Page,
    name: &str,
    path: Path,
    count: Memo<Option<usize>>,
    watches: bool,
    hidden: Signal<bool>,
) -> Part {
    let list = Arc::clone(&path);
    let own = path();
    let current = move || {
        let own = catalog::of_path(&own);
        own.is_some_and(|(group, name)| is_shown(page, group, name)).then_some("true")
    };
    let watch = move |_| page.fill_and_send(&Request::get(&target::with(&path(), &WATCH)));
    view! {
        <li class="resource" class:none=flag(move || count.get().is_none()) hidden=flag(move || hidden.get())>
            <button
                type="button"
                class="row"
                title=messages::list_resource(name)
                aria-current=maybe(current)
                on:click=act(move |_| page.look_at(&list()))
            >
                <span class="name">{name.to_owned()}</span>
                <span class="count">{live(move || count.get().map(|count| count.to_string()))}</span>
            </button>
            {watches
                .then(|| {
                    let label = messages::watch_resource(name);
                    view! {
                        <button type="button" class="icon" aria-label=label.clone() title=label on:click=act(watch)>
                            "◉"
                        </button>
                    }
                    .part()
                })}
        </li>
    }
    .part()
}

/// The history as long as nothing has been sent.
fn unsent() -> Part {
    view! {
        <section class="history" aria-labelledby="history-title">
            <h3 id="history-title">{messages::HISTORY}</h3>
            <p class="quiet">{messages::HISTORY_EMPTY}</p>
        </section>
    }
    .part()
}
