//! The requests as a table, each with its bar.

use std::time::Duration;

use leptos::html;
use leptos::leptos_dom::helpers::set_interval_with_handle;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, KeyboardEvent, ResizeObserver};

use crate::state::Page;
use crate::timeline::waterfall::axis::Zoom;
use crate::timeline::waterfall::line::{button, line};
use crate::timeline::waterfall::opened;
use crate::timeline::waterfall::stage::{Form, Stage};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::waterfall as said;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};
use crate::ui::window::Table;

/// How often time may move the bars, in milliseconds.
const BEAT: u64 = 250;
/// The height of the names of the columns, as the stylesheet has it.
const HEAD: f64 = 26.0;

/// The requests, oldest first.
#[component]
pub(crate) fn Waterfall() -> impl IntoView {
    let page = expect_context::<Page>();
    let stage = Stage::new(page);
    let scroller = NodeRef::<html::Div>::new();
    let (scroll, height) = (RwSignal::new(0.0_f64), RwSignal::new(0.0_f64));
    let extra = RwSignal::new(0.0_f64);
    measure(stage, scroller, height, extra);
    go(stage);
    let table = move || {
        let open = stage.open.get();
        let (rows, open) = stage.read(|rows| (rows.all().len(), open.and_then(|id| rows.place(id))));
        let open = open.map(|place| (place, extra.get()));
        Table { rows, height: stage.form.get().row(), open }
    };
    let window = Memo::new(move |_| table().window(scroll.get(), height.get()));
    let ids = Memo::new(move |_| {
        let window = window.get();
        stage.read(|rows| rows.all().range(window.first..window.end).map(|row| row.id).collect::<Vec<_>>())
    });
    // One row can be reached by Tab: the chosen one, or the last of those that are there.
    let stop = Memo::new(move |_| {
        let chosen = stage.chosen.get();
        ids.with(|ids| chosen.filter(|id| ids.contains(id)).or(ids.last().copied()))
    });
    let at_end = StoredValue::new(true);
    let scrolled = move |_| {
        if let Some(element) = scroller.get_untracked() {
            let (top, seen) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
            at_end.set_value(top + seen >= f64::from(element.scroll_height()) - 4.0);
            scroll.set(top);
        }
    };
    Effect::new(move || {
        stage.read(|rows| rows.all().back().map(|row| row.id));
        height.track();
        stage.form.track();
        // What is open stays where it is.
        if at_end.get_value() && stage.open.with_untracked(Option::is_none) {
            request_animation_frame(move || {
                if let Some(element) = scroller.try_get_untracked().flatten() {
                    element.set_scroll_top(element.scroll_height());
                }
            });
        }
    });
    let reveal = move |place: usize| {
        let seen = height.get_untracked() - HEAD;
        let to = untrack(table).reveal(place, scroll.get_untracked(), seen);
        if let Some(element) = scroller.try_get_untracked().flatten().filter(|_| to != scroll.get_untracked())
        {
            element.set_scroll_top(to as i32);
            scroll.set(to);
        }
    };
    Effect::new(move || {
        let opened = extra.get() > 0.0;
        let place = stage.open.get().and_then(|id| untrack(|| stage.read(|rows| rows.place(id))));
        if let Some(place) = place.filter(|_| opened) {
            reveal(place);
        }
    });
    let step = move |event: KeyboardEvent| {
        let on_row = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlElement>().ok())
            .is_some_and(|element| element.id().starts_with("request-"));
        let place = stage.chosen.get_untracked().and_then(|id| untrack(|| stage.read(|rows| rows.place(id))));
        let (Some(place), true) = (place, on_row) else { return };
        let last = untrack(table).rows.saturating_sub(1);
        let next = match event.key().as_str() {
            "ArrowDown" => (place + 1).min(last),
            "ArrowUp" => place.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        reveal(next);
        if let Some(id) = untrack(|| stage.read(|rows| rows.all().get(next).map(|row| row.id))) {
            stage.chosen.set(Some(id));
            dom::focus_soon(button(id));
        }
    };
    let empty = move || stage.read(|rows| rows.all().is_empty());
    view! {
        <p class="quiet" hidden=flag(move || !empty())>{said::EMPTY}</p>
        <div
            class=text(move || ["waterfall scroll ", stage.form.get().class()].concat())
            hidden=flag(empty)
            role="table"
            aria-label=said::TABLE
            aria-rowcount=text(move || (stage.read(|rows| rows.all().len()) + 1).to_string())
            node_ref=scroller
            on:scroll=scrolled
            on:keydown=step
        >
            <div role="rowgroup" class="titles">
                <div role="row" class="exchange" aria-rowindex="1">
                    <span role="columnheader" class="number">{said::COLUMN_NUMBER}</span>
                    <span role="columnheader" class="what">{said::COLUMN_REQUEST}</span>
                    <span role="columnheader" class="code">{said::COLUMN_STATUS}</span>
                    <span role="columnheader" class="from">{said::COLUMN_ASKED}</span>
                    <span role="columnheader" class="size">{said::COLUMN_SIZE}</span>
                    <span role="columnheader" class="took">{said::COLUMN_TOOK}</span>
                    <span role="columnheader" class="when axis" id=AXIS>
                        <span class="unseen">{said::COLUMN_BAR}</span>
                        {live(move || axis(stage))}
                    </span>
                </div>
            </div>
            <div
                role="rowgroup"
                style:padding-top=text(move || pixels(window.get().above))
                style:padding-bottom=text(move || pixels(window.get().below))
            >
                {each(move || ids.get(), move |id| line(stage, id, stop))}
            </div>
        </div>
        <Foot stage=stage />
    }
    .part()
}

/// The id of the axis.
const AXIS: &str = "waterfall-axis";

fn pixels(number: f64) -> String {
    [&(number as i64).to_string(), "px"].concat()
}

/// The moments that are named.
fn axis(stage: Stage) -> Part {
    let scale = stage.scale.get();
    let (ticks, apart) = scale.ticks();
    let names = ticks.into_iter().map(|tick| {
        let left = pixels(scale.x(tick as f64));
        view! { <span class="moment" aria-hidden="true" style:left=left>{said::moment(tick, apart)}</span> }
    });
    names.collect_view().part()
}

/// The sentence of the row that is chosen, and what changes the time that is shown.
#[component]
fn Foot(stage: Stage) -> impl IntoView {
    let sentence = move || {
        let (chosen, open) = (stage.chosen.get(), stage.open.get());
        let found = stage.read(|rows| {
            let row = chosen.and_then(|id| rows.get(id)).or(rows.all().back())?;
            // An open row says it itself.
            (open != Some(row.id)).then(|| [&said::number(row.id), " ", &row.sentence].concat())
        });
        found.unwrap_or_default()
    };
    let zoom = stage.zoom;
    let step = move |wider: bool| {
        let (first, last) = untrack(|| stage.times());
        zoom.update(|zoom| *zoom = zoom.step(wider, first, last));
    };
    view! {
        <div class="waterfall-foot">
            <p id="waterfall-why" class="why">{text(sentence)}</p>
            <button
                type="button"
                title=said::FOLLOW_ABOUT
                hidden=flag(move || zoom.get().until.is_none())
                on:click=act(move |_| zoom.update(|zoom| zoom.until = None))
            >
                {said::FOLLOW}
            </button>
            <button type="button" class="icon" aria-label=said::NARROWER title=said::NARROWER on:click=act(move |_| step(false))>
                "−"
            </button>
            <button type="button" class="icon" aria-label=said::WIDER title=said::WIDER on:click=act(move |_| step(true))>
                "+"
            </button>
            <button
                type="button"
                title=said::FIT_ABOUT
                aria-pressed=text(move || zoom.get().fits().to_string())
                on:click=act(move |_| zoom.set(Zoom::FIT))
            >
                {said::FIT}
            </button>
        </div>
    }
    .part()
}

/// Lets time pass: at most every [`BEAT`], only while something is under way and seen, and with less motion only when
/// something has happened.
fn go(stage: Stage) {
    let calm = dom::window()
        .match_media("(prefers-reduced-motion: reduce)")
        .ok()
        .flatten()
        .is_some_and(|query| query.matches());
    let now = stage.now;
    Effect::new(move || {
        stage.page.tick.track();
        let passed = dom::monotonic() - now.get_untracked();
        if calm && passed > 0.0 || passed >= BEAT as f64 {
            now.set(dom::monotonic());
        }
    });
    if calm {
        return;
    }
    let beat = move || {
        let still = stage.zoom.get_untracked().until.is_some() || dom::document().hidden();
        if !still && untrack(|| stage.read(|rows| rows.moves())) {
            now.set(dom::monotonic());
        }
    };
    if let Ok(handle) = set_interval_with_handle(beat, Duration::from_millis(BEAT)) {
        on_cleanup(move || handle.clear());
    }
}

/// An observer of sizes, connected for as long as it is kept.
struct Observed {
    observer: ResizeObserver,
    _changed: Closure<dyn FnMut()>,
}

impl Drop for Observed {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Keeps the sizes that the table has: its own, the axis's, and that of what an open row shows.
fn measure(stage: Stage, scroller: NodeRef<html::Div>, height: RwSignal<f64>, extra: RwSignal<f64>) {
    let observed = StoredValue::new_local(None::<Observed>);
    let look = move || {
        let Some(element) = scroller.try_get_untracked().flatten() else { return };
        let width = f64::from(element.client_width());
        // What is hidden has no size, and need not be laid out for it.
        if width <= 0.0 {
            return;
        }
        let form = Form::of(width);
        if stage.form.get_untracked() != form {
            stage.form.set(form);
        }
        let axis = dom::by_id(AXIS).map_or(0.0, |axis| f64::from(axis.client_width()));
        let opened = dom::by_id(opened::ID).map_or(0.0, |opened| f64::from(opened.offset_height()));
        for (known, found) in
            [(height, f64::from(element.client_height())), (stage.width, axis), (extra, opened)]
        {
            if known.get_untracked() != found {
                known.set(found);
            }
        }
    };
    Effect::new(move || {
        let Some(element) = scroller.get() else { return };
        let changed = Closure::<dyn FnMut()>::new(look);
        if let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) {
            observer.observe(&element);
            dom::by_id(AXIS).into_iter().for_each(|axis| observer.observe(&axis));
            observed.set_value(Some(Observed { observer, _changed: changed }));
        }
    });
    Effect::new(move || {
        stage.open.track();
        request_animation_frame(move || {
            observed.try_with_value(|observed| {
                let opened = dom::by_id(opened::ID);
                if let (Some(observed), Some(opened)) = (observed, &opened) {
                    observed.observer.observe(opened);
                }
            });
            look();
        });
    });
}
