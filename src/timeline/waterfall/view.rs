//! The requests as a table, each with its bar.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

use crate::state::Page;
use crate::timeline::waterfall::axis::Zoom;
use crate::timeline::waterfall::line::line;
use crate::timeline::waterfall::opened;
use crate::timeline::waterfall::scrolling::Scrolling;
use crate::timeline::waterfall::stage::{Form, Stage};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::waterfall as said;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};

/// How often time may move the bars, in milliseconds.
const BEAT: u64 = 250;

/// The requests, oldest first.
#[component]
pub(crate) fn Waterfall() -> impl IntoView {
    let page = expect_context::<Page>();
    let stage = Stage::new(page);
    let scrolling = Scrolling::new(stage);
    measure(scrolling);
    go(stage);
    let window = Memo::new(move |_| scrolling.table().window(scrolling.scroll.get(), scrolling.height.get()));
    let ids = Memo::new(move |_| {
        let window = window.get();
        stage.read(|rows| rows.all().range(window.first..window.end).map(|row| row.id).collect::<Vec<_>>())
    });
    // One row can be reached by Tab: the chosen one, or the last of those that are there.
    let stop = Memo::new(move |_| {
        let chosen = stage.chosen.get();
        ids.with(|ids| chosen.filter(|id| ids.contains(id)).or(ids.last().copied()))
    });
    scrolling.follow();
    let empty = move || stage.read(|rows| rows.all().is_empty());
    view! {
        <p class="quiet" hidden=flag(move || !empty())>{said::EMPTY}</p>
        <div
            class=text(move || ["waterfall scroll ", stage.form.get().class()].concat())
            hidden=flag(empty)
            role="table"
            aria-label=said::TABLE
            aria-rowcount=text(move || (stage.read(|rows| rows.all().len()) + 1).to_string())
            node_ref=scrolling.scroller
            on:scroll=move |_| scrolling.scrolled()
            on:keydown=move |event| scrolling.step(&event)
        >
            {titles(stage)}
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

/// Shows the names of the columns.
fn titles(stage: Stage) -> Part {
    view! {
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
        let still = stage.zoom.get_untracked().until.is_some();
        if !still && untrack(|| stage.read(|rows| rows.moves())) {
            now.set(dom::monotonic());
        }
    };
    dom::every_while_seen(Duration::from_millis(BEAT), beat);
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
fn measure(scrolling: Scrolling) {
    let Scrolling { stage, scroller, height, extra, .. } = scrolling;
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
