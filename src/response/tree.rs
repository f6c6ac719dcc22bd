//! JSON as a tree that folds.
//! See <https://www.w3.org/WAI/ARIA/apg/patterns/treeview/>.

use std::collections::BTreeSet;

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::response::fold::{Document, PAGE, Row, Token};
use crate::state::Page;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::{self, find};
use crate::ui::part::{IntoPart, Part, act, each, flag, live, maybe, text};
use crate::widgets::version::Version;

/// The link to another view of the same document: what lights up there does here, and what is chosen here is told
/// there.
#[derive(Clone, Copy)]
pub(crate) struct Linked {
    /// A JSON pointer to what is lit.
    path: Memo<Option<String>>,
    choose: Callback<String>,
    /// The row that is lit, if it shows.
    lit: RwSignal<Option<usize>>,
}

impl Linked {
    pub(crate) fn new(path: Memo<Option<String>>, choose: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self { path, choose: Callback::new(choose), lit: RwSignal::new(None) }
    }

    /// Moves the focus to the row that is lit.
    pub(crate) fn focus(self) {
        self.lit.get_untracked().map(row_id).into_iter().for_each(dom::focus_soon);
    }
}

/// A link, and where the rows point.
#[derive(Clone, Copy)]
struct Link {
    linked: Linked,
    pointers: StoredValue<Vec<String>>,
}

impl Link {
    fn choose(self, at: usize) {
        let pointer = self.pointers.with_value(|pointers| pointers.get(at).cloned());
        pointer.into_iter().for_each(|pointer| self.linked.choose.run(pointer));
    }
}

/// Lights the row that is lit elsewhere, or the nearest around it that shows.
fn follow(link: Link, shown: impl Fn() -> Vec<usize> + 'static) {
    let Link { linked, pointers } = link;
    Effect::new(move || {
        let (path, shown) = (linked.path.get(), shown());
        let Some(path) = path else {
            linked.lit.set(None);
            return;
        };
        let found = pointers.with_value(|pointers| {
            let mut path = path.as_str();
            loop {
                let shows = |row: &&usize| pointers.get(**row).is_some_and(|pointer| pointer == path);
                match shown.iter().find(shows) {
                    None if !path.is_empty() => path = path.rfind('/').map_or("", |cut| &path[..cut]),
                    found => break found.copied(),
                }
            }
        });
        linked.lit.set(found);
        found.into_iter().for_each(reveal);
    });
}

/// Scrolls a row into what is seen of the tree, and nothing else.
pub(crate) fn reveal(at: usize) {
    request_animation_frame(move || {
        let Some(row) = dom::by_id(&row_id(at)) else { return };
        let Ok(Some(around)) = row.closest(".scroll") else { return };
        let (row, seen) = (row.get_bounding_client_rect(), around.get_bounding_client_rect());
        let by = if row.top() < seen.top() {
            row.top() - seen.top()
        } else {
            (row.bottom() - seen.bottom()).max(0.0)
        };
        if by != 0.0 {
            around.set_scroll_top(around.scroll_top() + by as i32);
        }
    });
}

/// Shows what looks for something in a tree. Whoever shows trees provides it, for its code is loaded later.
#[derive(Clone, Copy)]
pub(crate) struct Finder(pub(crate) fn(Handle) -> Part);

/// A tree, for whoever moves about in it.
#[derive(Clone, Copy)]
pub(crate) struct Handle {
    pub(crate) document: StoredValue<Document>,
    pub(crate) folded: RwSignal<BTreeSet<usize>>,
    /// The first of the rows that show, and how many are drawn of those.
    pub(crate) from: RwSignal<usize>,
    pub(crate) limit: RwSignal<usize>,
    /// The row that the keys are at.
    pub(crate) active: RwSignal<usize>,
    /// True while the user searches, and the row that was found.
    pub(crate) finds: RwSignal<bool>,
    pub(crate) found: RwSignal<Option<usize>>,
}

/// The tree of a document.
#[component]
pub(crate) fn Tree(
    document: Document,
    label: &'static str,
    #[prop(optional)] linked: Option<Linked>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let finder = use_context::<Finder>();
    let link = linked.map(|linked| Link { linked, pointers: StoredValue::new(document.pointers()) });
    let folded = RwSignal::new(document.first_folds());
    let document = StoredValue::new(document);
    let (from, limit) = (RwSignal::new(0_usize), RwSignal::new(PAGE));
    let active = RwSignal::new(0_usize);
    let (finds, found) = (RwSignal::new(false), RwSignal::new(None));
    let tree = Handle { document, folded, from, limit, active, finds, found };
    let visible =
        Memo::new(move |_| folded.with(|folded| document.with_value(|document| document.visible(folded))));
    let rows = move || {
        visible.with(|visible| visible.iter().copied().skip(from.get()).take(limit.get()).collect::<Vec<_>>())
    };
    if let Some(link) = link {
        follow(link, rows);
    }
    let rest = move || visible.with(Vec::len).saturating_sub(from.get() + limit.get());
    let go = move |at: usize| {
        active.set(at);
        light(page, document.with_value(|document| document.rows.get(at).cloned()));
        dom::focus_soon(row_id(at));
    };
    let toggle = move |at: usize, fold: bool| {
        folded.update(|folded| {
            if fold {
                folded.insert(at);
            } else {
                folded.remove(&at);
            }
        });
    };
    let keydown = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let at = active.get_untracked();
        let shown: Vec<usize> = untrack(rows)
            .into_iter()
            .filter(|at| {
                document.with_value(|document| !matches!(document.rows[*at].token, Token::Close { .. }))
            })
            .collect();
        let place = shown.iter().position(|row| *row == at).unwrap_or(0);
        let is_folded = folded.with_untracked(|folded| folded.contains(&at));
        let folds = document.with_value(|document| can_fold(document, at));
        match event.key().as_str() {
            "ArrowDown" => shown.get(place + 1).copied().into_iter().for_each(go),
            "ArrowUp" => place.checked_sub(1).map(|place| shown[place]).into_iter().for_each(go),
            "Home" => shown.first().copied().into_iter().for_each(go),
            "End" => shown.last().copied().into_iter().for_each(go),
            "ArrowRight" if folds && is_folded => toggle(at, false),
            "ArrowRight" if folds => shown.get(place + 1).copied().into_iter().for_each(go),
            "ArrowLeft" if folds && !is_folded => toggle(at, true),
            "ArrowLeft" => document.with_value(|document| document.parent(at)).into_iter().for_each(go),
            "Enter" | " " if folds => toggle(at, !is_folded),
            "/" => finds.set(true),
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <div class="tree-tools">
            <button type="button" on:click=act(move |_| folded.set(document.with_value(Document::all_folds)))>
                {messages::FOLD_ALL}
            </button>
            <button type="button" on:click=act(move |_| folded.set(BTreeSet::new()))>
                {messages::UNFOLD_ALL}
            </button>
            <button type="button" title=find::OPEN_ABOUT on:click=act(move |_| finds.set(true))>{find::OPEN}</button>
        </div>
        {live(move || finds.get().then(|| finder.map(|Finder(find)| find(tree))))}
        <button
            type="button"
            class="more"
            hidden=flag(move || from.get() == 0)
            on:click=act(move |_| {
                let before = from.get_untracked().saturating_sub(PAGE);
                limit.update(|limit| *limit += from.get_untracked() - before);
                from.set(before);
            })
        >
            {live(move || messages::show_more(from.get()))}
        </button>
        <div class="tree mono" role="tree" aria-label=label on:keydown=keydown>
            {each(
                move || rows().into_iter().map(|at| at as u64).collect(),
                move |at| view! { <Line at=at as usize tree=tree link=link /> }.part(),
            )}
        </div>
        <button type="button" class="more" hidden=flag(move || rest() == 0) on:click=act(move |_| limit.update(|limit| *limit += PAGE))>
            {live(move || messages::show_more(rest()))}
        </button>
    }
    .part()
}

pub(crate) fn row_id(at: usize) -> String {
    format!("json-{at}")
}

fn can_fold(document: &Document, at: usize) -> bool {
    matches!(document.rows.get(at), Some(Row { token: Token::Open { close, .. }, .. }) if *close > at)
}

fn is_version(key: &str) -> bool {
    key == "resourceVersion"
}

/// Lights up the version in a row, if there is one.
fn light(page: Page, row: Option<Row>) {
    page.light(match row {
        Some(Row { key: Some(key), token: Token::Text(text), .. }) if is_version(&key) => Some(text),
        _ => None,
    });
}

#[component]
fn Line(at: usize, tree: Handle, link: Option<Link>) -> impl IntoView {
    let Handle { document, folded, active, found, .. } = tree;
    let row = document.with_value(|document| document.rows[at].clone());
    let folds = document.with_value(|document| can_fold(document, at));
    let is_folded = move || folded.with(|folded| folded.contains(&at));
    let comma = move || {
        let folded = folds && is_folded();
        document.with_value(|document| document.comma(at, folded)).then_some(",")
    };
    let depth = row.depth;
    let key = row.key.clone();
    let key = key.map(|key| view! { <span class="j-key">{quoted(&key)}</span>": " });
    let versioned = row.key.as_deref().is_some_and(is_version);
    if let Token::Close { map } = row.token {
        return view! {
            <div class="json" aria-hidden="true" style=("--depth", depth.to_string())>
                <span class="fold"></span>
                <span>{if map { "}" } else { "]" }}{live(comma)}</span>
            </div>
        }
        .part();
    }
    let value = match row.token.clone() {
        Token::Open { map, count, .. } => {
            let (open, close) = if map { ("{", "}") } else { ("[", "]") };
            move || {
                if folds && is_folded() {
                    let name = document.with_value(|document| document.name(at).map(str::to_owned));
                    let name = name.map(|name| view! { <span class="j-text">{name}</span>" " });
                    view! { {open}{name}<span class="folded" translate="yes">{messages::folded(count, map)}</span>{close} }
                        .part()
                } else if folds {
                    open.part()
                } else {
                    view! { {open}{close} }.part()
                }
            }
        }
        .part(),
        Token::Text(text) if versioned && !text.is_empty() => {
            view! { "\""<Version version=text />"\"" }.part()
        }
        Token::Text(text) => view! { <span class="j-text">{quoted(&text)}</span> }.part(),
        Token::Number(number) => view! { <span class="j-number">{number}</span> }.part(),
        Token::Word(word) => view! { <span class="j-word">{word}</span> }.part(),
        Token::Close { .. } => ().part(),
    };
    let page = expect_context::<Page>();
    let lights = StoredValue::new(row);
    view! {
        <div
            id=row_id(at)
            class="json"
            class:lit=flag(move || {
                found.get() == Some(at) || link.is_some_and(|link| link.linked.lit.get() == Some(at))
            })
            role="treeitem"
            {..custom_attribute("aria-level", (depth + 1).to_string())}
            aria-expanded=maybe(move || folds.then(|| (!is_folded()).to_string()))
            aria-selected=text(move || (active.get() == at).to_string())
            tabindex=text(move || if active.get() == at { "0" } else { "-1" })
            style=("--depth", depth.to_string())
            on:focus=act(move |_| {
                light(page, Some(lights.get_value()));
                link.into_iter().for_each(|link| link.choose(at));
            })
            on:click=act(move |_| {
                active.set(at);
                link.into_iter().for_each(|link| link.choose(at));
                if folds {
                    folded.update(|folded| if !folded.remove(&at) { folded.insert(at); });
                }
            })
        >
            <span class="fold" aria-hidden="true">
                {live(move || folds.then(|| if is_folded() { "▸" } else { "▾" }))}
            </span>
            <span>{key}{value}{live(comma)}</span>
        </div>
    }
    .part()
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
