//! The API resources that are served, as a tree to look around in.
//! See <https://www.w3.org/WAI/ARIA/apg/patterns/treeview/>.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::model::explore::fields::{About, Field};
use crate::model::explore::rows::{Row, What, id_of, parent, rows, toggled};
use crate::model::explore::served::Kind;
use crate::model::explore::served::Part as Subresource;
use crate::model::messages::explore as words;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, maybe, text};
use crate::ui::{bridge, dom};

/// The verbs that have a mark in a kind's row, and the mark.
const MARKS: [(&str, char); 8] = [
    ("get", 'G'),
    ("list", 'L'),
    ("watch", 'W'),
    ("create", 'C'),
    ("update", 'U'),
    ("patch", 'P'),
    ("delete", 'D'),
    ("deletecollection", 'X'),
];

/// The rows that show. They have changed when another row shows, or when there is something else to say of one.
#[derive(Clone)]
struct Shown(Arc<Vec<(u64, Row)>>);

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        let keys = |shown: &Self| shown.0.iter().map(|(key, _)| *key).collect::<Vec<_>>();
        keys(self) == keys(other)
    }
}

/// A number for a row, that changes with what it says.
fn key(row: &Row) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.id.hash(&mut hasher);
    match &row.what {
        What::Group(_, count) => count.hash(&mut hasher),
        What::Version(_, preferred) => preferred.hash(&mut hasher),
        What::Kind(kind) => {
            (&kind.kind, &kind.verbs, &kind.short_names, &kind.categories).hash(&mut hasher);
            kind.parts.iter().for_each(|part| (&part.name, &part.verbs).hash(&mut hasher));
        }
        What::Field(field) => (&field.ty, &field.facts).hash(&mut hasher),
    }
    hasher.finish()
}

/// The tree, and what looks for something in it.
#[component]
pub(crate) fn Reference() -> impl IntoView {
    let page = expect_context::<Page>();
    let explore = page.explore;
    let shown = Memo::new(move |_| {
        explore.kinds.with(|kinds| {
            explore.schemas.with(|schemas| {
                explore.open.with(|open| {
                    let rows = explore.filter.with(|filter| rows(kinds, schemas, open, filter));
                    Shown(Arc::new(rows.into_iter().map(|row| (key(&row), row)).collect()))
                })
            })
        })
    });
    page.load_schemas();
    // Somebody has to be the one that Tab leads to.
    let first = Memo::new(move |_| {
        let active = explore.active.get();
        shown.with(|shown| {
            let there = shown.0.iter().any(|(_, row)| row.id == active);
            if there { active } else { shown.0.first().map(|(_, row)| row.id.clone()).unwrap_or_default() }
        })
    });
    let keydown = move |event: KeyboardEvent| {
        let inner = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let on_button = inner.is_some_and(|element| element.tag_name() == "BUTTON");
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let rows: Vec<Row> =
            shown.with_untracked(|shown| shown.0.iter().map(|(_, row)| row.clone()).collect());
        let active = first.get_untracked();
        let Some(at) = rows.iter().position(|row| row.id == active) else { return };
        let go =
            |at: Option<usize>| at.and_then(|at| rows.get(at)).into_iter().for_each(|row| go(page, &row.id));
        let open = is_open(page, &rows[at]);
        match event.key().as_str() {
            "ArrowDown" => go(Some(at + 1)),
            "ArrowUp" => go(at.checked_sub(1)),
            "Home" => go(Some(0)),
            "End" => go(rows.len().checked_sub(1)),
            _ if on_button => return,
            "ArrowRight" if open == Some(false) => toggle(page, &rows[at]),
            "ArrowRight" if open == Some(true) => go(Some(at + 1)),
            "ArrowLeft" if open == Some(true) => toggle(page, &rows[at]),
            "ArrowLeft" => go(parent(&rows, at)),
            "Enter" | " " if open.is_some() => toggle(page, &rows[at]),
            _ => return,
        }
        event.prevent_default();
    };
    let empty = move || {
        if explore.kinds.with(Vec::is_empty) { words::NOTHING_SERVED } else { words::NOTHING_FOUND }
    };
    view! {
        <input
            type="search"
            class="filter"
            aria-label=words::FILTER
            placeholder=words::FILTER
            prop:value=text(move || explore.filter.get())
            on:input=act(move |event| explore.filter.set(event_target_value(&event)))
        />
        <div class="reference scroll" role="tree" aria-label=words::SERVED on:keydown=keydown>
            {each(
                move || shown.with(|shown| shown.0.iter().map(|(key, _)| *key).collect()),
                move |key| {
                    let row = shown
                        .with_untracked(|shown| shown.0.iter().find(|(known, _)| *known == key).cloned());
                    row.map(|(_, row)| line(page, row, first)).part()
                },
            )}
        </div>
        <p class="quiet" hidden=flag(move || shown.with(|shown| !shown.0.is_empty()))>{live(empty)}</p>
    }
    .part()
}

/// Reports whether a row is open now; `None` if there is nothing in it.
fn is_open(page: Page, row: &Row) -> Option<bool> {
    row.open?;
    let listed = page.explore.open.with(|open| open.contains(&row.id));
    Some(match row.what {
        What::Version(..) => !listed,
        What::Group(..) => listed || page.explore.filter.with(|filter| !filter.trim().is_empty()),
        _ => listed,
    })
}

fn toggle(page: Page, row: &Row) {
    let shows = untrack(|| is_open(page, row)) != Some(true);
    page.explore.open.update(|open| toggled(open, row, shows));
}

fn go(page: Page, id: &str) {
    page.explore.active.set(id.to_owned());
    // At once: the next key may take away the row that has the focus now.
    dom::focus(&element_id(id));
}

fn element_id(id: &str) -> String {
    ["served-", id].concat()
}

fn line(page: Page, row: Row, first: Memo<String>) -> Part {
    let Row { id, level, what, .. } = row.clone();
    let row = StoredValue::new(row);
    let shows = Memo::new(move |_| row.with_value(|row| is_open(page, row)));
    let own = StoredValue::new(id.clone());
    let active = Memo::new(move |_| own.with_value(|own| first.with(|first| first == own)));
    let (class, label, content) = match what {
        What::Group(name, count) => {
            let label = words::group(&name, count);
            let content = view! { <span class="served-name">{name}</span><span class="count">{count.to_string()}</span> };
            ("group", label, content.part())
        }
        What::Version(name, preferred) => {
            let word = preferred.then_some(words::PREFERRED);
            let label = [&name, " ", word.unwrap_or_default()].concat();
            let content = view! {
                <span class="served-name mono">{name}</span>
                {word.map(|word| view! { <span class="figure">{word}</span> }.part())}
            };
            ("version", label, content.part())
        }
        What::Kind(kind) => ("kind", words::kind(&kind), show_kind(page, kind, shows, active)),
        // All that there is to say of it is its name.
        What::Field(field) => ("field", String::new(), show_field(*field, active)),
    };
    view! {
        <div
            id=element_id(&id)
            class=["served ", class].concat()
            role="treeitem"
            {..custom_attribute("aria-level", level.to_string())}
            aria-label=(!label.is_empty()).then_some(label)
            aria-expanded=maybe(move || shows.get().map(|open| open.to_string()))
            aria-selected=text(move || active.get().to_string())
            tabindex=text(move || if active.get() { "0" } else { "-1" })
            style=("--depth", (level - 1).to_string())
            on:focus=act(move |_| page.explore.active.set(own.get_value()))
            on:click=act(move |event: web_sys::MouseEvent| {
                let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
                let inside = target.and_then(|target| target.closest("button, .card").ok().flatten()).is_some();
                page.explore.active.set(own.get_value());
                if !inside && shows.get_untracked().is_some() {
                    row.with_value(|row| toggle(page, row));
                }
            })
        >
            <span class="fold" aria-hidden="true">
                {live(move || shows.get().map(|open| if open { "▾" } else { "▸" }))}
            </span>
            <div class="served-body">{content}</div>
        </div>
    }
    .part()
}

fn show_kind(page: Page, kind: Arc<Kind>, shows: Memo<Option<bool>>, active: Memo<bool>) -> Part {
    let marks: String = MARKS
        .iter()
        .map(|(verb, mark)| if kind.verbs.iter().any(|own| own == verb) { *mark } else { '·' })
        .collect();
    let verbs = kind.verbs.join(", ");
    let name = kind.resource.clone();
    let short = kind.short_names.first().cloned();
    let card = move || (shows.get() == Some(true)).then(|| card(page, &kind, active));
    view! {
        <span class="served-name">{name}</span>
        {short.map(|short| view! { <span class="figure mono">{short}</span> }.part())}
        <span class="marks mono" title=verbs>{marks}</span>
        {live(card)}
    }
    .part()
}

/// Shows what there is to know of a kind besides its fields, and its requests.
fn card(page: Page, kind: &Arc<Kind>, active: Memo<bool>) -> Part {
    let own = verbs(page, kind, &kind.verbs, "", active);
    let parts = kind.parts.iter().map(|part| {
        let Subresource { name, kind: of, verbs: own } = part;
        let of = (*of != kind.kind).then(|| of.clone());
        view! {
            <p class="subresource">
                <code>{["/", name].concat()}</code>
                {of.map(|of| view! { <span class="figure">{of}</span> }.part())}
                {verbs(page, kind, own, name, active)}
            </p>
        }
        .part()
    });
    let parts: Vec<Part> = parts.collect();
    let watched = kind.built_in().is_none().then(|| {
        let definition = kind.definition();
        view! {
            <button type="button" class="small" tabindex=tabs_to(active) on:click=act(move |_| page.read_definition(&definition))>
                {words::DEFINITION}
            </button>
        }
        .part()
    });
    view! {
        <div class="card">
            <p class="figure">{words::facts(kind)}</p>
            {own}
            {parts}
            {watched}
        </div>
    }
    .part()
}

/// Only what is in the row that has the focus is on the way of Tab.
fn tabs_to(active: Memo<bool>) -> Signal<String> {
    text(move || if active.get() { "0" } else { "-1" })
}

/// The verbs of a kind, or of a subresource, as buttons that put their request into the form.
fn verbs(page: Page, kind: &Arc<Kind>, verbs: &[String], part: &str, active: Memo<bool>) -> Part {
    let buttons = verbs.iter().map(|verb| {
        let (kind, verb, part) = (Arc::clone(kind), verb.clone(), part.to_owned());
        let (shown, label) = (verb.clone(), words::put(&verb, &kind.resource, &part));
        view! {
            <button
                type="button"
                class="small mono"
                aria-label=label.clone()
                title=label
                tabindex=tabs_to(active)
                on:click=act(move |_| page.put_request(&kind, &verb, &part))
            >
                {shown}
            </button>
        }
        .part()
    });
    view! { <span class="verbs">{buttons.collect_view()}</span> }.part()
}

fn show_field(field: Field, active: Memo<bool>) -> Part {
    let Field { name, ty, facts, about, .. } = field;
    let said = RwSignal::new(match &about {
        About::Said(said) => said.clone(),
        _ => String::new(),
    });
    let values = RwSignal::new(String::new());
    if let About::Help(ty, field, names) = about {
        spawn_local(async move {
            let Some(told) = bridge::explain(&ty, &field, &names).await else { return };
            // The row may be gone by then.
            let (about, known) = told.split_once('\u{2029}').unwrap_or((&told, ""));
            let _ = said.try_set(about.to_owned());
            let _ = values.try_set(known.to_owned());
        });
    }
    let about = move || said.with(|said| if active.get() { said.clone() } else { sentence(said).to_owned() });
    view! {
        <span class="mono j-key">{name}</span>
        <span class="served-type mono">{ty}</span>
        {(!facts.is_empty()).then(|| view! { <p class="facts">{facts.join(" · ")}</p> }.part())}
        <p class="facts" hidden=flag(move || values.with(String::is_empty))>{live(move || words::values(&values.get()))}</p>
        <p class="said-of" hidden=flag(move || said.with(String::is_empty))>{live(about)}</p>
    }
    .part()
}

/// The first sentence of a text.
fn sentence(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or_default();
    line.match_indices(". ")
        .find(|(at, _)| !line[..*at].ends_with("e.g") && !line[..*at].ends_with("i.e"))
        .map_or(line, |(at, _)| &line[..=at])
}

/// Opens the tree at a kind.
pub(crate) fn open_at(page: Page, kind: &Kind) {
    let id = id_of(kind);
    page.explore.filter.set(String::new());
    page.explore.open.update(|open| {
        open.remove(&[kind.group_name(), "/", &kind.version].concat());
        open.insert(kind.group_name().to_owned());
        open.insert(id.clone());
    });
    page.explore.tab.set(crate::model::explore::REFERENCE);
    page.pane.set(crate::model::panes::Pane::Resources);
    page.explore.active.set(id.clone());
    dom::focus_soon(element_id(&id));
    request_animation_frame(move || {
        if let Some(row) = dom::by_id(&element_id(&id)) {
            row.scroll_into_view();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_enough() {
        for (text, expected) in [
            ("", ""),
            ("One. Two.", "One."),
            ("One\nTwo. Three", "One"),
            ("Some, e.g. this. More", "Some, e.g. this."),
            ("Version v1.2 of it", "Version v1.2 of it"),
        ] {
            assert_eq!(sentence(text), expected, "{text}");
        }
    }
}
