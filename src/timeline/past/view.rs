//! The objects that existed at the cursor, the chip that says that the page shows the past, and the banner over its
//! answers.

use glass::{History, label};
use json_tree::Value;
use leptos::prelude::*;
use protocol::trace::ObjectKey;

use crate::cluster::Which;
use crate::cluster::host::Host;
use crate::model::messages::past as words;
use crate::model::past::{self, Standing, Was};
use crate::model::watch::{EventLook, EventType, Row};
use crate::state::Page;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::kept;
use crate::ui::part::{IntoPart, Part, act, flag, live, quiet, text};
use crate::widgets::difference::Diff;
use crate::widgets::version::Version;

/// The id of the button that leads back to the objects.
const CLOSE: &str = "state-close";

/// The id of an object's button.
fn row_id(object: u32) -> String {
    ["state-row-", &object.to_string()].concat()
}

/// More rows than this are not shown.
const MOST: usize = 200;

/// Says that the page shows the past, and leads back.
#[component]
pub(crate) fn Past() -> impl IntoView {
    let page = expect_context::<Page>();
    let is_own = !page.host.with_value(Host::is_shared);
    view! {
        <p class="past" hidden=flag(move || page.at.with(Option::is_none))>
            <span>{words::IN_THE_PAST}</span>
            {live(move || page.at.get().map(version))}
            <button type="button" on:click=act(move |_| page.at.set(None))>{words::BACK}</button>
            {is_own.then(|| view! {
                <button
                    type="button"
                    title=kept::BRANCH_ABOUT
                    on:click=act(move |_| {
                        let at = page.at.get_untracked();
                        at.into_iter().for_each(|at| page.go_back_to(at));
                    })
                >
                    {kept::BRANCH}
                </button>
            })}
        </p>
    }
    .part()
}

/// Returns the banner over a response while the page shows the past.
pub(crate) fn banner(page: Page, standing: Standing, at: u64) -> Part {
    let version = (standing != Standing::AsItCame).then(|| version(at));
    view! {
        <p class="as-it-was">
            <span>{words::standing(standing)}" "{version}</span>
            <button type="button" on:click=act(move |_| page.at.set(None))>{words::FOLLOW}</button>
        </p>
    }
    .part()
}

/// Returns the banner over a response if the page could not go back as far as its address asks.
pub(crate) fn unkept(page: Page) -> Option<Part> {
    let revision = page.unkept.get()?;
    Some(view! { <p class="as-it-was">{words::unkept(revision)}</p> }.part())
}

fn version(revision: u64) -> Part {
    view! { <Version version=revision.to_string() /> }.part()
}

/// An object, for a row of the table.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    was: Was,
    known: ObjectKey,
}

/// The objects that existed at the cursor.
#[component]
pub(crate) fn StateAt() -> impl IntoView {
    let page = expect_context::<Page>();
    let only = RwSignal::new(String::new());
    let chosen = RwSignal::new(None::<u32>);
    let at = Memo::new(move |_| page.at.get().unwrap_or_else(|| page.revisions().0));
    let lines = Memo::new(move |_| {
        let at = at.get();
        // What has been is not changed by what comes.
        match page.at.with(Option::is_some) {
            true => untrack(|| page.history(|history| lines(history, at))),
            false => page.history(|history| lines(history, at)),
        }
    });
    let resources = Memo::new(move |_| {
        let mut names: Vec<String> =
            lines.with(|lines| lines.iter().map(|line| resource(&line.known)).collect());
        schema::sort_by(&mut names, Ord::cmp);
        names.dedup();
        names
    });
    let shown = Memo::new(move |_| {
        let only = only.get();
        lines.with(|lines| {
            let fits = |line: &&Line| only.is_empty() || resource(&line.known) == only;
            lines.iter().filter(fits).cloned().collect::<Vec<_>>()
        })
    });
    let rows = move || {
        let at = at.get();
        let rows = shown
            .with(|shown| shown.iter().take(MOST).map(|line| row(page, line, at, chosen)).collect_view());
        rows.part()
    };
    let over = move || shown.with(|shown| shown.len().checked_sub(MOST + 1).map(|over| over + 1));
    let open = move || {
        let line =
            shown.with(|shown| shown.iter().find(|line| Some(line.was.object) == chosen.get()).cloned());
        line.map(|line| view! { <Opened line=line chosen=chosen /> })
    };
    view! {
        <div class="state-tools">
            <label>
                <span class="unseen">{words::FILTER}</span>
                <select
                    prop:value=text(move || only.get())
                    on:change=move |event| only.set(event_target_value(&event))
                >
                    <option value="">{words::ALL}</option>
                    {live(move || {
                        let kept = only.get_untracked();
                        let option = |name: String| {
                            let selected = name == kept;
                            view! { <option value=name.clone() selected=selected>{name.clone()}</option> }
                        };
                        resources.get().into_iter().map(option).collect_view()
                    })}
                </select>
            </label>
            <span class="figure">{text(move || words::objects(shown.with(Vec::len), at.get()))}</span>
        </div>
        <p class="quiet" hidden=flag(move || page.cluster.get() != Which::Remote)>{words::UNTOLD}</p>
        {live(open)}
        <div class="scroll state" tabindex="0" role="region" aria-label=words::OBJECTS>
            <p class="quiet" hidden=flag(move || shown.with(|shown| !shown.is_empty()))>{words::EMPTY}</p>
            <table hidden=flag(move || shown.with(Vec::is_empty))>
                <thead>
                    <tr>
                        <th scope="col">{words::COLUMN_OBJECT}</th>
                        <th scope="col">{words::COLUMN_VERSION}</th>
                        <th scope="col">{words::COLUMN_CREATED}</th>
                        <th scope="col">{words::COLUMN_LABELS}</th>
                    </tr>
                </thead>
                <tbody>{live(rows)}</tbody>
            </table>
            <p class="quiet" hidden=flag(move || over().is_none())>
                {text(move || over().map(words::more).unwrap_or_default())}
            </p>
        </div>
    }
    .part()
}

/// The objects of a history at a revision, by resource and name.
fn lines(history: &History, at: u64) -> Vec<Line> {
    let state = past::state(history, at);
    let mut lines: Vec<Line> = state
        .into_iter()
        .filter_map(|was| Some(Line { was, known: history.object(was.object)?.known.clone() }))
        .collect();
    schema::sort_by(&mut lines, |a, b| {
        let key = |line: &Line| (line.was.change.is_none(), line.known.clone());
        key(a).cmp(&key(b))
    });
    lines
}

/// `configmaps`, `deployments.apps`.
fn resource(known: &ObjectKey) -> String {
    match known.group.as_str() {
        "" => known.resource.clone(),
        group => [&known.resource, ".", group].concat(),
    }
}

fn row(page: Page, line: &Line, at: u64, chosen: RwSignal<Option<u32>>) -> Part {
    let Line { was, known } = line;
    let object = body(page, known, was, at);
    let created = object.as_ref().and_then(|object| object.pointer("/metadata/creationTimestamp"));
    let created = created.and_then(Value::as_str).unwrap_or_default().to_owned();
    let labels = object.as_ref().and_then(|object| object.pointer("/metadata/labels")).map(pairs);
    let told = object
        .as_ref()
        .and_then(|object| object.pointer("/metadata/resourceVersion")?.as_str()?.parse().ok());
    let number = was.object;
    let change = was.change.map(|change| {
        view! { <span class=format!("shape {}", change.class()) title=change.name()>{change.shape()}</span><span class="unseen">{change.name()}" "</span> }
    });
    view! {
        <tr class:changed=was.change.is_some() class:gone={was.change == Some(EventType::Deleted)}>
            <th scope="row">
                <button
                    type="button"
                    class="row"
                    id=row_id(number)
                    on:click=act(move |_| {
                        chosen.set(Some(number));
                        dom::focus_soon(CLOSE);
                    })
                >
                    <span class="shape">{change}</span>
                    <span class="name mono">{label(known)}</span>
                </button>
            </th>
            <td>{was.version.or(told).map_or_else(|| words::OLDER.part(), version)}</td>
            <td title=created.clone()>{created.get(11..19).unwrap_or_default().to_owned()}</td>
            <td class="labels-of mono">{labels}</td>
        </tr>
    }
    .part()
}

fn pairs(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten();
    let pairs: Vec<String> =
        pairs.map(|(key, value)| [key, "=", value.as_str().unwrap_or_default()].concat()).collect();
    pairs.join(" ")
}

/// The object at a revision: the embedded cluster has it, of a remote one its watches may.
fn body(page: Page, known: &ObjectKey, was: &Was, at: u64) -> Option<Value> {
    if page.cluster.get_untracked() == Which::ThisTab {
        let before = u64::from(was.change == Some(EventType::Deleted));
        return untrack(|| {
            page.read(|model| {
                let versions = model.glass(Which::ThisTab).versions();
                let at = at - before.min(at);
                let object = versions.object_at(&resource(known), &known.namespace, &known.name, at)?;
                serde_json::from_slice(&object.json).ok()
            })
        });
    }
    let version = was.version?.to_string();
    untrack(|| {
        page.read(|model| {
            let rows = model.watches.iter().flat_map(|watch| &watch.rows);
            let mut text = rows.filter_map(|(_, row)| match row {
                Row::Event(event) if event.version == version && event.name == known.name => {
                    Some(&event.text)
                }
                _ => None,
            });
            let event: Value = serde_json::from_slice(text.next_back()?).ok()?;
            event.get("object").cloned()
        })
    })
}

/// The object that is chosen: as it was, and what has changed.
#[component]
fn Opened(line: Line, chosen: RwSignal<Option<u32>>) -> impl IntoView {
    let page = expect_context::<Page>();
    let (now, at) = untrack(|| (page.revisions().0, page.at.get()));
    let at = at.unwrap_or(now);
    let Line { was, known } = line;
    let (name, title, closed) = (label(&known), label(&known), was.version);
    let tab = RwSignal::new(0_usize);
    let version_at = move |at: u64| {
        let state = untrack(|| page.history(|history| past::state(history, at)));
        state.into_iter().find(|known| known.object == was.object)
    };
    let body_at = move |known: &ObjectKey, at: u64| {
        let was = version_at(at).filter(|was| was.change != Some(EventType::Deleted))?;
        body(page, known, &was, at)
    };
    let shown = move || {
        let Some(object) = body(page, &known, &was, at) else { return quiet(words::NO_BODY) };
        match tab.get() {
            1 => {
                let version = was.version.and_then(|version| version.checked_sub(1));
                match version.and_then(|before| body_at(&known, before)) {
                    Some(before) => view! { <Diff old=Some(before) new=Some(object) /> }.part(),
                    None => quiet(words::FIRST),
                }
            }
            2 => match body_at(&known, now) {
                Some(newest) => view! { <Diff old=Some(object) new=Some(newest) /> }.part(),
                None => quiet(words::GONE_NOW),
            },
            _ => view! { <Diff old=None new=Some(object) whole=true /> }.part(),
        }
    };
    let views = [words::VIEW_BODY, words::VIEW_BEFORE, words::VIEW_NOW].into_iter().enumerate();
    let views = views.map(|(own, name)| {
        view! {
            <button
                type="button"
                aria-pressed=text(move || (tab.get() == own).to_string())
                on:click=act(move |_| tab.set(own))
            >
                {name}
            </button>
        }
    });
    view! {
        <section class="opened" aria-label=name>
            <div class="state-tools">
                <h3 class="mono">{title}</h3>
                {closed.map(version)}
                <span class="space"></span>
                <div class="state-views" role="group" aria-label=words::VIEWS>{views.collect_view()}</div>
                <button
                    type="button"
                    class="icon"
                    id=CLOSE
                    aria-label=words::CLOSE
                    title=words::CLOSE
                    on:click=act(move |_| {
                        chosen.set(None);
                        dom::focus_soon(row_id(was.object));
                    })
                >
                    "✕"
                </button>
            </div>
            <div class="scroll" tabindex="0" role="group" aria-label=words::VIEWS>{live(shown)}</div>
        </section>
    }
    .part()
}
