//! The objects of a collection as a table, of which only the rows around those that are seen are drawn.

use apimachinery::target;
use leptos::attr::custom::custom_attribute;
use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::path;
use super::trail;
use crate::browse::listing::{Listing, Row};
use crate::browse::rows::Rows;
use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::model::explore::served::WATCH;
use crate::model::request::form;
use crate::state::{Page, views};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};
use crate::widgets::check::check;
use crate::widgets::version::Version;

/// The height of a row, and that of one for fingers, in pixels: the style sheet has the same.
const ROW: f64 = 30.0;
const ROW_FOR_FINGERS: f64 = 44.0;
/// How many rows are drawn: more than the largest screen has.
const DRAWN: usize = 100;
/// How many of them are above the first one that is seen.
const ABOVE: usize = 20;

/// A row that is drawn.
#[derive(Clone, Copy, PartialEq)]
struct Drawn {
    /// A number that changes with what it shows.
    key: u64,
    /// The place among the rows that are not left out.
    place: usize,
    /// The place in the listing.
    at: usize,
}

/// The part of the table that is seen.
#[derive(Clone, Copy)]
struct Visible {
    rows: Rows,
    /// The places in the listing of the rows that are not left out.
    places: Memo<Vec<usize>>,
    /// The rows that are drawn.
    drawn: Memo<Vec<Drawn>>,
    /// The row that Tab leads to.
    active: RwSignal<usize>,
    scrolled: NodeRef<html::Div>,
}

/// The objects of the collection at a path.
pub(super) fn show(page: Page, path: &str) -> Part {
    let browse = page.browse;
    let rows = Rows::of(page, path.to_owned());
    let listing = rows.listing;
    let top = RwSignal::new(0.0);
    let height = move || if page.narrow.get() { ROW_FOR_FINGERS } else { ROW };
    let places = Memo::new(move |_| browse.named.with(|named| listing.with(|listing| listing.named(named))));
    let from = Memo::new(move |_| {
        let first = ((top.get() / height()) as usize).saturating_sub(ABOVE) / 10 * 10;
        // There may be fewer than where somebody has scrolled to.
        first.min(places.with(Vec::len).saturating_sub(DRAWN))
    });
    let seeks = move || browse.named.with(|named| !named.trim().is_empty());
    Effect::new(move || {
        let last = from.get() + DRAWN >= places.with(Vec::len);
        if last && !rows.reads.get() {
            rows.go_on(untrack(seeks));
        }
    });
    let all = Place::of(path).is_some_and(|place| place.namespace.is_empty());
    let spaced = Memo::new(move |_| {
        all && listing.with(|listing| listing.rows.iter().any(|row| !row.namespace.is_empty()))
    });
    let columns = Memo::new(move |_| listing.with(|listing| listing.shown(browse.wide.get())));
    let head = move || head(&listing.read(), &columns.get(), spaced.get());
    let own = StoredValue::new(path.to_owned());
    let drawn = Memo::new(move |_| {
        // Other columns make other rows.
        let salt = columns.with(Vec::len) as u64 + u64::from(spaced.get()) * 100;
        let from = from.get();
        places.with(|places| listing.with(|listing| around(listing, places, from, salt)))
    });
    let shown = Visible { rows, places, drawn, active: RwSignal::new(0), scrolled: NodeRef::new() };
    let keys = move || drawn.with(|drawn| drawn.iter().map(|row| row.key).collect());
    let child = move |key: u64| {
        let at = drawn.with_untracked(|drawn| drawn.iter().find(|row| row.key == key).map(|row| row.at));
        let found = listing.with_untracked(|listing| listing.rows.get(at?).cloned());
        let line = |row: Row| {
            let (columns, spaced) = (columns.get_untracked(), spaced.get_untracked());
            line(page, shown, &own.get_value(), (key, &row), &columns, spaced)
        };
        found.map(line).part()
    };
    let over = move || from.get() as f64 * height();
    let under = move || {
        let below = places.with(Vec::len).saturating_sub(from.get() + DRAWN);
        below as f64 * height()
    };
    let empty = move || {
        listing.with(|listing| !listing.columns.is_empty()) && places.with(Vec::is_empty) && !rows.reads.get()
    };
    view! {
        {tools(page, rows, places, path)}
        {refusal(rows)}
        <div
            class="scroll browse-rows"
            node_ref=shown.scrolled
            on:scroll=act(move |_| {
                let now = shown.scrolled.get_untracked().map_or(0, |scrolled| scrolled.scroll_top());
                top.set(f64::from(now));
            })
            on:keydown=act(move |event: KeyboardEvent| keydown(shown, &event, height()))
        >
            <table
                class="rows browse-table"
                {..custom_attribute("aria-rowcount", move || (places.with(Vec::len) + 1).to_string())}
                aria-label=words::OBJECTS
                hidden=flag(move || places.with(Vec::is_empty))
            >
                <thead translate="no">{live(head)}</thead>
                <tbody>
                    <tr aria-hidden="true" class="spacer" style=("height", move || format!("{}px", over()))></tr>
                    {each(keys, child)}
                    <tr aria-hidden="true" class="spacer" style=("height", move || format!("{}px", under()))></tr>
                </tbody>
            </table>
            <p class="quiet" hidden=flag(move || !empty())>{text(move || nothing(page))}</p>
        </div>
    }
    .part()
}

/// Returns the rows that are drawn, from a place on.
fn around(listing: &Listing, places: &[usize], from: usize, salt: u64) -> Vec<Drawn> {
    let of = |(place, at): (usize, &usize)| {
        let key = listing.rows.get(*at)?.key.wrapping_add(salt);
        Some(Drawn { key, place, at: *at })
    };
    places.iter().enumerate().skip(from).take(DRAWN).filter_map(of).collect()
}

/// Shows why the objects could not be read.
fn refusal(rows: Rows) -> Part {
    view! {
        <p class="browse-refusal" role="alert" hidden=flag(move || rows.refusal.with(Option::is_none))>
            {live(move || rows.refusal.get().map(|refusal| refusal.message))}
            " "
            <button type="button" class="small" on:click=act(move |_| rows.begin())>{words::AGAIN}</button>
        </p>
    }
    .part()
}

/// Returns why there is no row.
fn nothing(page: Page) -> &'static str {
    let browse = page.browse;
    if browse.named.with(|named| !named.trim().is_empty()) {
        words::NONE_NAMED
    } else if browse.labels.with(|labels| !labels.trim().is_empty()) {
        words::NONE_SELECTED
    } else {
        words::NONE
    }
}

/// The name of the collection, what can be done with it, and what narrows it.
fn tools(page: Page, rows: Rows, places: Memo<Vec<usize>>, path: &str) -> Part {
    let browse = page.browse;
    let count = move || {
        let filters = browse.named.with(|named| !named.trim().is_empty());
        let shown = filters.then(|| places.with(Vec::len));
        rows.listing
            .with(|listing| words::count(shown, listing.rows.len(), listing.total(), listing.goes_on()))
    };
    let kind = path::kind_of(page, path);
    let lacks = move |verb: &'static str| {
        flag(move || {
            kind.with(|kind| kind.as_ref().is_some_and(|kind| !kind.verbs.iter().any(|own| own == verb)))
        })
    };
    let create = move |_| kind.get_untracked().iter().for_each(|kind| page.put_request(kind, "create", ""));
    let (watched, listed) = (target::with(path, &WATCH), path.to_owned());
    let labelled = move |target: &str| {
        let labels = browse.labels.get_untracked();
        let labels = Some(labels.trim()).filter(|labels| !labels.is_empty());
        target::with(target, &[("labelSelector", labels)])
    };
    let list = move |_| {
        let headers = vec![("Accept".to_owned(), form::TABLE.to_owned())];
        page.open_request(&Request { headers, ..Request::get(&labelled(&listed)) });
    };
    let buttons = vec![
        view! {
            <button type="button" hidden=lacks("create") title=words::CREATE_ABOUT on:click=act(create)>{words::CREATE}</button>
        }
        .part(),
        view! {
            <button
                type="button"
                hidden=lacks("watch")
                title=words::WATCH_ABOUT
                on:click=act(move |_| page.fill_and_send(&Request::get(&labelled(&watched))))
            >
                {words::WATCH}
            </button>
        }
        .part(),
        view! { <button type="button" title=words::AS_REQUEST_ABOUT on:click=act(list)>{words::AS_REQUEST}</button> }.part(),
    ];
    let about = view! { <span class="figure" role="status">{text(count)}</span> }.part();
    view! {
        {trail::show(page, path, about, buttons)}
        <div class="browse-tools">
            <input
                type="search"
                aria-label=words::NAMED
                placeholder=words::NAMED
                prop:value=text(move || browse.named.get())
                on:input=act(move |event| browse.named.set(event_target_value(&event)))
            />
            <input
                type="search"
                class="mono"
                aria-label=words::LABELS
                placeholder=words::LABELS_LIKE
                prop:value=text(move || browse.labels.get())
                on:change=act(move |event| browse.labels.set(event_target_value(&event)))
            />
            {check(words::WIDE, words::WIDE_ABOUT, browse.wide)}
            <button type="button" class="small" hidden=flag(move || !rows.is_stale.get()) on:click=act(move |_| rows.begin())>
                {words::STALE}
            </button>
        </div>
    }
    .part()
}

fn head(listing: &Listing, columns: &[usize], spaced: bool) -> Part {
    let space = spaced.then(|| view! { <th scope="col">{words::NAMESPACE}</th> }.part());
    let columns = columns
        .iter()
        .filter_map(|at| listing.columns.get(*at))
        .map(|column| view! { <th scope="col" title=column.about.clone()>{column.name.clone()}</th> }.part());
    let columns: Vec<Part> = space.into_iter().chain(columns).collect();
    view! { <tr>{columns}<th scope="col" title=words::VERSION_ABOUT>{words::VERSION}</th></tr> }.part()
}

fn row_id(row: &Row) -> String {
    ["object-", &row.namespace, "-", &row.name].concat()
}

fn line(
    page: Page,
    shown: Visible,
    path: &str,
    (key, row): (u64, &Row),
    columns: &[usize],
    spaced: bool,
) -> Part {
    let Visible { rows, drawn, active, .. } = shown;
    let id = row_id(row);
    let to = views::object_path(path, &row.namespace, &row.name);
    // The column of the name leads to the object, or else the first one.
    let name = rows.listing.with_untracked(|listing| {
        let is_name = |at: &usize| listing.columns.get(*at).is_some_and(|column| column.name == "Name");
        columns.iter().position(is_name).unwrap_or_default()
    });
    let place = Memo::new(move |_| {
        let own = drawn.with(|drawn| drawn.iter().find(|row| row.key == key).map(|row| row.place));
        own.unwrap_or_default()
    });
    let is_stop = move || {
        let active = active.get();
        drawn.with(|drawn| {
            // Who has scrolled it away comes to the first row that is drawn.
            let is_drawn = drawn.iter().any(|row| row.place == active);
            place.get() == if is_drawn { active } else { drawn.first().map_or(0, |row| row.place) }
        })
    };
    let link = |content: String| {
        let (href, to) = (views::address_of(&to), to.clone());
        view! {
            <a
                href=href
                id=id.clone()
                tabindex=text(move || if is_stop() { "0" } else { "-1" })
                on:focus=act(move |_| active.set(place.get_untracked()))
                on:click=act(move |event| views::follow_link(page, &event, &to))
            >
                {content}
            </a>
        }
        .part()
    };
    let cells: Vec<Part> = columns
        .iter()
        .enumerate()
        .map(|(number, at)| {
            let content = row.cells.get(*at).cloned().unwrap_or_default();
            if number == name {
                view! { <th scope="row">{link(content)}</th> }.part()
            } else {
                let title = (content.len() > 40).then(|| content.clone());
                view! { <td title=title>{content}</td> }.part()
            }
        })
        .collect();
    let space = spaced.then(|| view! { <td>{row.namespace.clone()}</td> }.part());
    let version = (row.version > 0).then(|| view! { <Version version=row.version.to_string() /> }.part());
    let before = rows.before.get_untracked();
    view! {
        <tr
            class:going=row.is_going
            class:fresh={before > 0 && row.version > before}
            {..custom_attribute("aria-rowindex", move || (place.get() + 2).to_string())}
            on:click=act(move |event| views::follow_row(page, &event, &to))
        >
            {space}
            {cells}
            <td>{version}</td>
        </tr>
    }
    .part()
}

/// Moves the focus from row to row.
fn keydown(shown: Visible, event: &KeyboardEvent, height: f64) {
    let Visible { rows, places, active, scrolled, .. } = shown;
    let count = places.with_untracked(Vec::len);
    let on_row = dom::document().active_element().is_some_and(|element| element.id().starts_with("object-"));
    if count == 0 || !on_row || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let now = active.get_untracked();
    let seen = scrolled.get_untracked().map_or(400, |scrolled| scrolled.client_height());
    let seen = ((f64::from(seen) / height) as usize).saturating_sub(2).max(1);
    let next = match event.key().as_str() {
        "ArrowDown" => now + 1,
        "ArrowUp" => now.saturating_sub(1),
        "PageDown" => now + seen,
        "PageUp" => now.saturating_sub(seen),
        "Home" => 0,
        "End" => count - 1,
        _ => return,
    };
    event.prevent_default();
    let next = next.min(count - 1);
    active.set(next);
    let id = rows.listing.with_untracked(|listing| {
        places.with_untracked(|places| places.get(next).and_then(|at| listing.rows.get(*at)).map(row_id))
    });
    let (Some(id), Some(scrolled)) = (id, scrolled.get_untracked()) else { return };
    // Below the headings, which stay where they are.
    let (top, bottom) = (next as f64 * height, (next as f64 + 2.0) * height);
    let (from, room) = (f64::from(scrolled.scroll_top()), f64::from(scrolled.client_height()));
    if top < from {
        scrolled.set_scroll_top(top as i32);
    } else if bottom > from + room {
        scrolled.set_scroll_top((bottom - room) as i32);
    }
    // What is not drawn yet is soon.
    if dom::by_id(&id).is_some() {
        dom::focus(&id);
    } else {
        request_animation_frame(move || dom::focus_soon(id));
    }
}
