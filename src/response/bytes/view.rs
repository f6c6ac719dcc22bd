//! The bytes of an answer beside the JSON that they mean.

use bytes::Bytes;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};

use crate::cluster::documents;
use crate::response::bytes::{Explained, Range, ascii, hex, offset};
use crate::response::fold::Document;
use crate::response::tree::{Linked, Tree};
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::bytes as said;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, maybe, text};
use crate::ui::window::{Table, Window};
use crate::ui::{dom, messages};

/// The height of a row.
const ROW: f64 = 22.0;
/// The same where the words stand above the bytes.
const TALL: f64 = 40.0;
/// A narrower page has the words above, in pixels.
const NARROW: f64 = 760.0;

/// Bytes, and what they are sent as. With `json`, what they mean is shown as that and need not be found out. `intro` is
/// said until some of them are pointed at.
pub(crate) fn show(content_type: &str, bytes: Bytes, json: Option<Bytes>, intro: String) -> Part {
    let binary = documents::is_binary(content_type);
    let explained = StoredValue::new(Explained::plain(if binary { &[] } else { &bytes }));
    // Counts up when there is more to say.
    let told = RwSignal::new(0_u64);
    let failed = RwSignal::new(None::<String>);
    let meant = StoredValue::new(json.filter(|_| binary));
    if binary {
        let embedded = expect_context::<Page>().embedded();
        let content_type = content_type.to_owned();
        spawn_local(async move {
            let (now, why) = match embedded.explain(&content_type, bytes.clone()).await {
                Ok(ranges) => {
                    let known = meant.try_with_value(Option::is_some).unwrap_or(true);
                    let json =
                        if known { None } else { Some(embedded.to_json(&content_type, bytes.clone()).await) };
                    if let Some(Ok(json)) = &json {
                        meant.try_set_value(Some(json.clone()));
                    }
                    (Explained::new(&bytes, ranges), json.and_then(Result::err))
                }
                Err(why) => (Explained::plain(&bytes), Some(why)),
            };
            // Something else may be shown meanwhile.
            if explained.try_update_value(|explained| *explained = now).is_some() {
                failed.set(why);
                told.set(1);
            }
        });
    }
    live(move || {
        told.get();
        let json = meant.with_value(|json| json.as_deref().and_then(Document::parse));
        let failed = failed
            .get_untracked()
            .map(|why| view! { <p class="message" role="alert">{said::unread(&why)}</p> });
        let known = explained.with_value(|explained| !explained.rows.is_empty());
        let intro = intro.clone();
        known.then(|| view! { {failed}<Beside explained=explained json=json intro=intro /> })
    })
    .part()
}

/// The bytes beside their JSON.
#[component]
fn Beside(explained: StoredValue<Explained>, json: Option<Document>, intro: String) -> impl IntoView {
    let page = expect_context::<Page>();
    // The range that was chosen, and the one that is pointed at.
    let (chosen, pointed) = (RwSignal::new(None::<usize>), RwSignal::new(None::<usize>));
    let shown = Memo::new(move |_| {
        let range = pointed.get().or(chosen.get())?;
        explained.with_value(|explained| explained.ranges.get(range).cloned())
    });
    let path = Memo::new(move |_| shown.with(|range| range.as_ref().map(|range| range.path.clone())));
    let extent = Memo::new(move |_| {
        shown.with(|range| range.as_ref().map_or((0, 0), |range| (range.start, range.end)))
    });
    let said_of = move |range: usize| {
        explained.with_value(|explained| explained.ranges.get(range).map(|range| range.what.clone()))
    };
    let width = dom::window().inner_width().ok().and_then(|width| width.as_f64());
    let tall = width.is_some_and(|width| width < NARROW);
    let height = if tall { TALL } else { ROW };
    let scroll = RwSignal::new(0.0_f64);
    let scroller = NodeRef::<html::Div>::new();
    let reveal = move |range: usize| {
        let (row, rows) = explained.with_value(|explained| (explained.row(range), explained.rows.len()));
        if let Some(element) = scroller.try_get_untracked().flatten() {
            let table = Table { rows, height, open: None };
            let at = f64::from(element.scroll_top());
            element.set_scroll_top(table.reveal(row, at, f64::from(element.client_height())) as i32);
        }
    };
    let has_json = json.is_some();
    let linked = Linked::new(path, move |path: String| {
        let found = explained.with_value(|explained| explained.find(&path));
        if let Some(found) = found {
            pointed.set(None);
            chosen.set(Some(found));
            reveal(found);
        }
    });
    let step = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let at = chosen.get_untracked().unwrap_or_default();
        let next = explained.with_value(|explained| match event.key().as_str() {
            "ArrowDown" => Some(explained.next(at).or_else(|| explained.child(at)).unwrap_or(at)),
            "ArrowUp" => Some(explained.previous(at).unwrap_or(at)),
            "ArrowRight" => Some(explained.child(at).unwrap_or(at)),
            "ArrowLeft" => Some(explained.parent(at).unwrap_or(at)),
            "Home" => Some(0),
            "End" => Some(explained.ranges.len().saturating_sub(1)),
            _ => None,
        });
        let next = match (next, event.key().as_str()) {
            (Some(next), _) => next,
            (None, "Enter") if has_json => {
                event.prevent_default();
                linked.focus();
                return;
            }
            _ => return,
        };
        event.prevent_default();
        pointed.set(None);
        chosen.set(Some(next));
        reveal(next);
    };
    let copy = move |_| {
        explained.with_value(|explained| dom::copy(&hex(&explained.bytes)));
        page.say(messages::COPIED);
    };
    let count = explained.with_value(|explained| explained.ranges.len());
    let wrong = explained.with_value(|explained| {
        explained.ranges.iter().find(|range| range.kind == "broken").map(|range| range.what.clone())
    });
    let wrong = wrong.map(|wrong| view! { <p class="message" role="alert">{wrong}</p> });
    let tree = json.map(|json| {
        view! {
            <div class="bytes-json scroll">
                <Tree document=json label=said::JSON linked=linked />
            </div>
        }
    });
    let what =
        move || shown.with(|range| range.as_ref().map_or_else(|| intro.clone(), |range| range.what.clone()));
    view! {
        <div class="bytes" class:alone=!has_json>
            {wrong}
            <div class="bytes-head">
                <p class="bytes-what" data-path=maybe(move || path.get())>{text(what)}</p>
                <button type="button" on:click=act(copy)>{said::COPY_HEX}</button>
            </div>
            <div
                class="bytes-rows mono scroll"
                class:tall=tall
                role="slider"
                tabindex="0"
                aria-label=said::BYTES
                aria-orientation="vertical"
                aria-valuemin="1"
                aria-valuemax=count.to_string()
                aria-valuenow=text(move || (chosen.get().unwrap_or_default() + 1).to_string())
                aria-valuetext=maybe(move || said_of(chosen.get().unwrap_or_default()))
                title=said::KEYS
                node_ref=scroller
                on:scroll=move |_| {
                    if let Some(element) = scroller.get_untracked() {
                        scroll.set(f64::from(element.scroll_top()));
                    }
                }
                on:focus=act(move |_: web_sys::FocusEvent| {
                    if chosen.get_untracked().is_none() {
                        chosen.set(Some(0));
                    }
                })
                on:keydown=step
                on:mouseover=act(move |event: MouseEvent| pointed.set(range_at(&event)))
                on:mouseleave=act(move |_: MouseEvent| pointed.set(None))
                on:click=act(move |event: MouseEvent| {
                    if let Some(range) = range_at(&event) {
                        chosen.set(Some(range));
                    }
                })
            >
                {rows(explained, extent, scroll, height)}
            </div>
            {tree}
        </div>
    }
    .part()
}

/// The rows that can be seen.
fn rows(
    explained: StoredValue<Explained>,
    shown: Memo<(usize, usize)>,
    scroll: RwSignal<f64>,
    height: f64,
) -> Part {
    let count = explained.with_value(|explained| explained.rows.len());
    // They are never higher than the page's window, so that their own height need not be known.
    let seen = dom::window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(1000.0);
    let window = Memo::new(move |_| Table { rows: count, height, open: None }.window(scroll.get(), seen));
    view! {
        <div
            style:padding-top=text(move || pixels(window.get().above))
            style:padding-bottom=text(move || pixels(window.get().below))
        >
            {each(
                move || {
                    let Window { first, end, .. } = window.get();
                    (first as u64..end as u64).collect()
                },
                move |row| explained.with_value(|explained| line(explained, row as usize, shown)),
            )}
        </div>
    }
    .part()
}

/// A row: where it is, its bytes, and what begins in it, or else the text that they are.
fn line(explained: &Explained, row: usize, shown: Memo<(usize, usize)>) -> Part {
    let Some(row) = explained.rows.get(row) else { return ().part() };
    // Bytes are lit with all that is around them, words only with what they say.
    let lit = |range: usize, alone: bool| {
        let Range { start, end, .. } = explained.ranges[range];
        flag(move || {
            let (from, to) = shown.get();
            if alone { (from, to) == (start, end) } else { from <= start && end <= to }
        })
    };
    let mut from = row.start;
    let pieces = row.pieces.iter().map(|(range, to)| {
        let bytes = explained.bytes.get(from..*to).unwrap_or_default();
        let space = if from > row.start { " " } else { "" };
        from = *to;
        let class = ["byte ", &explained.ranges[*range].kind].concat();
        view! { {space}<span class=class class:lit=lit(*range, false) data-range=range.to_string()>{hex(bytes)}</span> }.part()
    });
    let pieces = pieces.collect_view();
    let says = row.of.filter(|of| !explained.ranges[*of].kind.is_empty()).map(|of| {
        let Range { label, kind, depth, .. } = &explained.ranges[of];
        let words = if label.is_empty() { kind } else { label };
        let indent = (*depth).min(8).to_string();
        view! { <span class="says" style=("--depth", indent) class:lit=lit(of, true) data-range=of.to_string()>{words.clone()}</span> }.part()
    });
    let says = says
        .unwrap_or_else(|| view! { <span class="says text">{ascii(explained.of_row(row))}</span> }.part());
    view! {
        <div class="row-of-bytes">
            <span class="offset">{offset(row.start)}</span>
            <span class="hex">{pieces}</span>
            {says}
        </div>
    }
    .part()
}

/// The range that a pointer is at.
fn range_at(event: &MouseEvent) -> Option<usize> {
    let element: Element = event.target()?.dyn_into().ok()?;
    element.closest("[data-range]").ok()??.get_attribute("data-range")?.parse().ok()
}

fn pixels(number: f64) -> String {
    [&(number as i64).to_string(), "px"].concat()
}
