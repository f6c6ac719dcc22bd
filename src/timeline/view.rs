//! The timeline pane: the ribbon, and the same as a table.

use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::cluster::Which;
use crate::state::Page;
use crate::timeline::details::Details;
use crate::timeline::ribbon::{self, Input, Lane, Mark, Picture, Track};
use crate::ui::messages;
use crate::ui::panes::{Separator, Side};
use crate::watches::model::EventType;

/// The widths that a revision may have, in pixels.
const STEPS: [f64; 4] = [8.0, 14.0, 26.0, 44.0];
/// From this width on a mark has its letter.
const LETTERED: f64 = 24.0;

/// Every write in revision order, and where the watches stand.
#[component]
pub(crate) fn Timeline() -> impl IntoView {
    let page = expect_context::<Page>();
    let size = RwSignal::new((0.0_f64, 0.0_f64));
    let zoom = RwSignal::new(2_usize);
    let until = RwSignal::new(None::<u64>);
    let cursor = page.at;
    let stage = NodeRef::<html::Div>::new();
    measure(stage, size);
    let step = move || STEPS[zoom.get().min(STEPS.len() - 1)];
    let picture = Memo::new(move |_| {
        let (head, floor) = page.revisions();
        let (writes, watches) = (page.writes(), page.cursors());
        ribbon::layout(&Input {
            writes: &writes,
            floor,
            head,
            until: until.get(),
            watches: &watches,
            width: size.get().0,
            height: size.get().1,
            step: step(),
        })
    });
    let head = move || page.revisions().0;
    let shift = move |by: i64| {
        let (first, last) = picture.with_untracked(|picture| picture.window);
        let to = last.saturating_add_signed(by * ((last - first + 1) as i64 * 2 / 3).max(1));
        until.set((to < untrack(head)).then_some(to.max(1)));
    };
    let choose = move |revision: u64| {
        cursor.set(Some(revision));
        page.light(Some(revision.to_string()));
        let (first, last) = picture.with_untracked(|picture| picture.window);
        if revision < first || revision > last {
            until.set((revision + 3 < untrack(head)).then_some(revision + 3));
        }
    };
    let chosen = move || cursor.get().unwrap_or_else(head).min(head());
    let said = move || {
        let revision = chosen();
        let write = page.writes().into_iter().find(|write| write.revision == revision);
        write.map_or_else(
            || revision.to_string(),
            |write| {
                messages::revision(
                    revision,
                    write.change.name(),
                    &crate::timeline::history::label(&write.object),
                )
            },
        )
    };
    let empty = Memo::new(move |_| page.writes().is_empty());
    view! {
        <div class="pane-head">
            <h2 id="timeline-title">{messages::TIMELINE}</h2>
            <label class="cursor">
                <span>{messages::TIMELINE_CURSOR}</span>
                <input
                    type="range"
                    step="1"
                    min=text(move || oldest(page).to_string())
                    max=text(move || head().max(1).to_string())
                    prop:value=text(move || chosen().to_string())
                    aria-valuetext=said
                    on:input=move |event| choose(event_target_value(&event).parse().unwrap_or(0))
                    on:blur=act(move |_| page.light(None))
                />
            </label>
            <output class="mono">{text(said)}</output>
            <span class="space"></span>
            <button type="button" class="icon" aria-label=messages::TIMELINE_EARLIER title=messages::TIMELINE_EARLIER on:click=act(move |_| shift(-1))>
                "‹"
            </button>
            <button type="button" class="icon" aria-label=messages::TIMELINE_LATER title=messages::TIMELINE_LATER on:click=act(move |_| shift(1))>
                "›"
            </button>
            <button
                type="button"
                aria-pressed=text(move || until.get().is_none().to_string())
                on:click=act(move |_| {
                    until.set(None);
                    cursor.set(None);
                })
            >
                {messages::TIMELINE_FOLLOW}
            </button>
            <button
                type="button"
                class="icon"
                aria-label=messages::TIMELINE_NARROWER
                title=messages::TIMELINE_NARROWER
                on:click=act(move |_| zoom.update(|zoom| *zoom = zoom.saturating_sub(1)))
            >
                "−"
            </button>
            <button
                type="button"
                class="icon"
                aria-label=messages::TIMELINE_WIDER
                title=messages::TIMELINE_WIDER
                on:click=act(move |_| zoom.update(|zoom| *zoom = (*zoom + 1).min(STEPS.len() - 1)))
            >
                "+"
            </button>
            <button
                type="button"
                hidden=flag(move || page.cluster.get() == Which::Remote)
                on:click=act(move |_| page.compact(untrack(chosen)))
            >
                {live(move || messages::compact_to(chosen()))}
            </button>
        </div>
        <p class="quiet" hidden=flag(move || !empty.get())>{messages::TIMELINE_EMPTY}</p>
        <div class="timeline-body">
        <div class="ribbon scroll" hidden=flag(move || empty.get()) tabindex="0" role="group" aria-labelledby="timeline-title">
            <div class="labels" aria-hidden="true">{live(move || picture.with(labels))}</div>
            <div class="stage" node_ref=stage>
                {live(move || picture.with(|picture| draw(picture, size.get().0, step(), page)))}
            </div>
        </div>
        <Separator side=Side::Details />
        <div class="details"><Details /></div>
        </div>
    }
    .part()
}

/// The oldest revision that is known.
fn oldest(page: Page) -> u64 {
    page.writes().first().map_or(1, |write| write.revision)
}

/// Keeps `size` at the width of `stage` and the height that there is for it.
fn measure(stage: NodeRef<html::Div>, size: RwSignal<(f64, f64)>) {
    Effect::new(move || {
        let Some(stage) = stage.get() else { return };
        let observed = stage.clone();
        let changed = Closure::<dyn FnMut()>::new(move || {
            let height = observed.parent_element().map_or(0, |ribbon| ribbon.client_height());
            let now = (f64::from(observed.client_width()), f64::from(height));
            // A hidden pane has no size, and need not be laid out for it.
            if now.0 > 0.0 && now != size.get_untracked() {
                size.set(now);
            }
        });
        // It lives as long as the page.
        if let Ok(observer) = web_sys::ResizeObserver::new(changed.into_js_value().unchecked_ref()) {
            observer.observe(&stage);
            stage.parent_element().into_iter().for_each(|ribbon| observer.observe(&ribbon));
        }
    });
}

fn labels(picture: &Picture) -> Part {
    let lanes = picture.lanes.iter().map(|lane| {
        let label = if lane.label.is_empty() { messages::TIMELINE_OTHERS.to_owned() } else { lane.label.clone() };
        view! { <span style:top=format!("{}px", lane.y - ribbon::LANE / 2.0) title=label.clone()>{label.clone()}</span> }
    });
    let tracks = picture.watches.iter().map(|track| {
        view! { <span class="watch-label" style:top=format!("{}px", track.y - ribbon::LANE / 2.0)>{messages::watch_title(&track.letter)}</span> }
    });
    (lanes.collect_view(), tracks.collect_view()).part()
}

fn draw(picture: &Picture, width: f64, step: f64, page: Page) -> Part {
    let height = picture.height;
    let ticks = picture.ticks.iter().map(|(x, revision)| {
        view! {
            <line class="tick" x1=x.to_string() x2=x.to_string() y1=ribbon::AXIS.to_string() y2=height.to_string() />
            <text class="tick" x=x.to_string() y="15">{revision.to_string()}</text>
        }
    });
    let compacted = (picture.compacted > 0.0).then(|| {
        view! {
            <rect class="compacted" x="0" y=ribbon::AXIS.to_string() width=picture.compacted.to_string() height=(height - ribbon::AXIS).to_string() />
            <line class="floor" x1=picture.compacted.to_string() x2=picture.compacted.to_string() y1="0" y2=height.to_string() />
        }
    });
    let lanes = picture.lanes.iter().map(|lane| draw_lane(lane, step, page)).collect_view();
    let tracks = picture.watches.iter().map(|track| draw_track(track, step, page)).collect_view();
    view! {
        <svg class="ribbon-picture" width=width.to_string() height=height.to_string() aria-hidden="true">
            <defs>
                <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <line class="hatch" x1="0" y1="0" x2="0" y2="6" />
                </pattern>
            </defs>
            {ticks.collect_view()}
            {compacted}
            {lanes}
            {tracks}
        </svg>
    }
    .part()
}

fn draw_lane(lane: &Lane, step: f64, page: Page) -> Part {
    let bars = lane.bars.iter().map(|(from, to, ends)| {
        view! {
            <line class="life" class:ends=*ends x1=from.to_string() x2=to.to_string() y1=lane.y.to_string() y2=lane.y.to_string() />
        }
    });
    let marks = lane.marks.iter().map(|mark| draw_mark(mark, lane.y, step, page));
    (bars.collect_view(), marks.collect_view()).part()
}

fn draw_track(track: &Track, step: f64, page: Page) -> Part {
    let Track { y, line: (from, to), open, marks, letter } = track;
    let pin = format!("M{to} {}v14m-6 -7h12", y - 7.0);
    let marks = marks.iter().map(|mark| {
        if mark.change == EventType::Bookmark {
            return draw_mark(mark, *y, step, page);
        }
        let lit = lights(page, mark.revision);
        view! { <circle class=format!("sent {}", mark.change.class()) class:lit=lit cx=mark.x.to_string() cy=y.to_string() r="4" /> }.part()
    });
    view! {
        <g class="track" class:closed=!open data-watch=letter.clone()>
            <line class="seen" x1=from.to_string() x2=to.to_string() y1=y.to_string() y2=y.to_string() />
            {marks.collect_view()}
            <path class="pin" d=pin />
        </g>
    }
    .part()
}

fn lights(page: Page, revision: u64) -> impl Fn() -> bool + Clone {
    let version = StoredValue::new(revision.to_string());
    move || page.lit.with(|lit| version.with_value(|version| lit.as_ref() == Some(version)))
}

fn draw_mark(mark: &Mark, y: f64, step: f64, page: Page) -> Part {
    let Mark { x, revision, change } = *mark;
    let lettered = step >= LETTERED;
    let scale = if lettered { 1.0 } else { (step / 26.0).max(0.35) };
    let shape = match change {
        EventType::Added => "M0 -11L11 8H-11Z",
        EventType::Modified => "M0 -9A9 9 0 0 1 0 9A9 9 0 0 1 0 -9Z",
        EventType::Deleted => "M-9 -9H-3L0 -7L3 -9H9V-3L7 0L9 3V9H3L0 7L-3 9H-9V3L-7 0L-9 -3Z",
        EventType::Bookmark => "M0 -11L11 0L0 11L-11 0Z",
        EventType::Error => "M-9 -9H9V9H-9Z",
    };
    let letter = change.name().chars().next().unwrap_or(' ').to_string();
    let drop = if change == EventType::Added { "6" } else { "4.5" };
    view! {
        <g
            class=format!("mark {}", change.class())
            class:lit=lights(page, revision)
            transform=format!("translate({x} {y}) scale({scale})")
            on:pointerenter=act(move |_| page.light(Some(revision.to_string())))
            on:pointerleave=act(move |_| page.light(None))
        >
            <path d=shape />
            {lettered.then(|| view! { <text y=drop>{letter}</text> })}
        </g>
    }
    .part()
}
