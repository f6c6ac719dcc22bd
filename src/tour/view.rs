//! The card of the tour, beside the place that it points at, and the welcome of who comes for the first time.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{KeyboardEvent, UiEvent};

use super::steps::STEPS;
use super::{LEFT, again, begin, go, leave, take_back};
use crate::cluster::host::Host;
use crate::model::views::View;
use crate::state::Page;
use crate::state::views;
use crate::ui::dom;
use crate::ui::messages::tour as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};

/// The space between the card and the place that it points at, in pixels.
const GAP: f64 = 12.0;
/// The width of a pane that has room for the welcome, in pixels.
const ROOM: f64 = 300.0;
/// How long the page takes to show a place that was hidden, in milliseconds.
const SETTLED: i32 = 80;

/// The card.
#[component]
pub(crate) fn TourCard() -> impl IntoView {
    let page = expect_context::<Page>();
    let (at, acts) = (page.tour.at, page.tour.acts);
    let card = NodeRef::<html::Section>::new();
    let (left, top) = (RwSignal::new(0.0), RwSignal::new(0.0));
    let place = move || {
        let Some(step) = at.get_untracked().and_then(|at| STEPS.get(at)) else { return };
        let (Some(card), Some(place)) = (card.get_untracked(), dom::by_id(step.place.id())) else { return };
        let screen = (document().document_element())
            .map(|root| (f64::from(root.client_width()), f64::from(root.client_height())));
        let rect = place.get_bounding_client_rect();
        let target = Rect { left: rect.left(), top: rect.top(), width: rect.width(), height: rect.height() };
        let size = (f64::from(card.offset_width()), f64::from(card.offset_height()));
        let (x, y) = beside(target, size, screen.unwrap_or_default());
        left.set(x);
        top.set(y);
    };
    Effect::new(move |before: Option<bool>| {
        let is_there = at.get().is_some();
        acts.track();
        page.narrow.track();
        spawn_local(async move {
            // It must not be seen at the place of the last step.
            place();
            dom::sleep(SETTLED).await;
            if at.try_get_untracked().flatten().is_some() {
                place();
                if before != Some(true) {
                    dom::focus("tour-next");
                }
            }
        });
        is_there
    });
    dom::listen("resize", move |_: UiEvent| place());
    let step = move || at.get().and_then(|at| STEPS.get(at));
    let key = move |event: KeyboardEvent| match event.key().as_str() {
        "Escape" => leave(page),
        "ArrowRight" if !is_last(page) => turn(page, 1),
        "ArrowLeft" => turn(page, -1),
        _ => {}
    };
    view! {
        <section
            node_ref=card
            class="tour"
            role="dialog"
            aria-labelledby="tour-title"
            aria-describedby="tour-text"
            hidden=flag(move || at.with(Option::is_none))
            style=("left", move || format!("{}px", left.get()))
            style=("top", move || format!("{}px", top.get()))
            on:keydown=key
        >
            <p class="tour-head">
                <span>{text(move || words::number(at.get().unwrap_or_default() + 1, STEPS.len()))}</span>
                <button type="button" class="icon" aria-label=words::STOP title=words::STOP on:click=act(move |_| leave(page))>
                    "✕"
                </button>
            </p>
            <div aria-live="polite">
                <h2 id="tour-title">{text(move || step().map_or(words::NAME, |step| step.title).to_owned())}</h2>
                <p id="tour-text">{text(move || step().map(|step| step.text).unwrap_or_default().to_owned())}</p>
            </div>
            {tools(page)}
        </section>
    }
    .part()
}

/// Returns whether the tour is at its last step.
fn is_last(page: Page) -> bool {
    page.tour.at.get().is_some_and(|at| at + 1 == STEPS.len())
}

/// Moves the tour by `by` steps. After the last one, it ends.
fn turn(page: Page, by: isize) {
    let to = page.tour.at.get_untracked().and_then(|at| at.checked_add_signed(by));
    match to {
        Some(to) if to == STEPS.len() => leave(page),
        Some(to) => go(page, to),
        None => {}
    }
}

/// Shows the buttons of the card.
fn tools(page: Page) -> Part {
    view! {
        <div class="tour-tools">
            <button
                type="button"
                disabled=flag(move || page.tour.at.get().unwrap_or_default() == 0)
                on:click=act(move |_| turn(page, -1))
            >
                {words::BACK}
            </button>
            <button type="button" disabled=flag(move || page.tour.acts.get()) on:click=act(move |_| again(page))>
                {words::AGAIN}
            </button>
            <span class="space"></span>
            <button
                type="button"
                title=words::UNDO_ABOUT
                hidden=flag(move || !is_last(page))
                disabled=flag(move || page.tour.acts.get())
                on:click=act(move |_| take_back(page))
            >
                {words::UNDO}
            </button>
            <button type="button" id="tour-next" class="primary" on:click=act(move |_| turn(page, 1))>
                {text(move || if is_last(page) { words::FINISH } else { words::NEXT }.to_owned())}
            </button>
        </div>
    }
    .part()
}

/// One sentence and three ways in, until somebody takes one.
#[component]
pub(crate) fn Welcome() -> impl IntoView {
    let page = expect_context::<Page>();
    let is_new = dom::remembered(LEFT).is_none()
        && page.host.with_value(|host| *host == Host::Tab)
        && !page.goes_on.get_untracked();
    let open = RwSignal::new(is_new);
    let close = move || {
        open.set(false);
        dom::remember(LEFT, "seen");
    };
    // Whoever looks around or works already needs none, and it must not lie over what they look at.
    let first = page.view.get_untracked();
    Effect::new(move |_| {
        let acts = page.view.get() != first || page.tour.at.with(Option::is_some) || page.has_sent_now();
        if open.get() && acts {
            close();
        }
    });
    // In the pane of the request, where nothing stands yet, it lies over nothing.
    let spot: RwSignal<Option<Spot>> = RwSignal::new(None);
    let place = move || {
        let pane = dom::by_id("request").filter(|_| !page.narrow.get_untracked());
        let screen = document().document_element().map_or(0.0, |root| f64::from(root.client_height()));
        spot.set(pane.map(|pane| pane.get_bounding_client_rect()).filter(|rect| rect.width() >= ROOM).map(
            |rect| Spot {
                left: rect.left() + GAP,
                bottom: screen - rect.bottom() + GAP,
                width: rect.width() - 2.0 * GAP,
            },
        ));
    };
    place();
    dom::listen("resize", move |_: UiEvent| place());
    let pixels = move |of: fn(&Spot) -> f64| {
        move || spot.with(|spot| spot.as_ref().map(|spot| format!("{}px", of(spot))).unwrap_or_default())
    };
    live(move || {
        open.get().then(|| {
            view! {
                <section
                    class="welcome"
                    aria-label=words::NAME
                    style=("left", pixels(|spot| spot.left))
                    style=("bottom", pixels(|spot| spot.bottom))
                    style=("width", pixels(|spot| spot.width))
                    style=("translate", move || if spot.with(Option::is_some) { "none" } else { "" })
                >
                    <p>{words::WELCOME}</p>
                    <div class="tour-tools">
                        <button type="button" class="primary" on:click=act(move |_| {
                            close();
                            begin(page);
                        })>{words::TAKE}</button>
                        <button type="button" on:click=act(move |_| {
                            close();
                            views::turn(page, View::Request);
                            dom::focus_soon("path");
                        })>{words::SEND}</button>
                        <button type="button" on:click=act(move |_| {
                            close();
                            views::choose(page, View::Learn);
                        })>{words::READ}</button>
                        <button type="button" class="icon" aria-label=words::DISMISS title=words::DISMISS on:click=act(move |_| close())>
                            "✕"
                        </button>
                    </div>
                </section>
            }
            .part()
        })
    })
    .part()
}

/// The place of the welcome, in pixels from the left and from the bottom of the screen.
#[derive(Clone, Copy)]
struct Spot {
    left: f64,
    bottom: f64,
    width: f64,
}

/// A place on the screen, in pixels.
#[derive(Clone, Copy)]
struct Rect {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// Returns where a card of a size has room beside a place of a screen: above or below what is wide, at the left or the right of what
/// is high, or the other way round; in it, where there is none.
fn beside(place: Rect, (width, height): (f64, f64), screen: (f64, f64)) -> (f64, f64) {
    let within = |at: f64, size: f64, of: f64| at.min(of - size - GAP).max(GAP);
    let top = within(place.top, height, screen.1);
    let left = within(place.left, width, screen.0);
    let across = [(place.left - width - GAP, top), (place.left + place.width + GAP, top)];
    let along = [(left, place.top - height - GAP), (left, place.top + place.height + GAP)];
    let candidates =
        if place.width > place.height { [along, across].concat() } else { [across, along].concat() };
    let fits =
        |(x, y): &(f64, f64)| *x >= 0.0 && *y >= 0.0 && x + width <= screen.0 && y + height <= screen.1;
    let inside = (left, within(place.top + place.height - height - GAP, height, screen.1));
    candidates.into_iter().find(fits).unwrap_or(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_stands_where_there_is_room() {
        let check = |place: (f64, f64, f64, f64), screen: (f64, f64), expected: (f64, f64)| {
            let place = Rect { left: place.0, top: place.1, width: place.2, height: place.3 };
            assert_eq!(beside(place, (360.0, 200.0), screen), expected);
        };
        // On the right of the screen, on the left of it, at the bottom, at the top, and all of it.
        check((800.0, 40.0, 470.0, 500.0), (1280.0, 720.0), (428.0, 40.0));
        check((0.0, 40.0, 470.0, 500.0), (1280.0, 720.0), (482.0, 40.0));
        check((75.0, 555.0, 1200.0, 160.0), (1280.0, 720.0), (75.0, 343.0));
        check((75.0, 0.0, 1200.0, 160.0), (1280.0, 720.0), (75.0, 172.0));
        check((75.0, 555.0, 760.0, 160.0), (1280.0, 720.0), (75.0, 343.0));
        check((75.0, 100.0, 600.0, 500.0), (1280.0, 720.0), (687.0, 100.0));
        check((0.0, 0.0, 390.0, 800.0), (390.0, 844.0), (12.0, 588.0));
    }
}
