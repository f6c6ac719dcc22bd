//! Scrolling in the table of requests: by hand, by keys, and to its end.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::timeline::waterfall::line::button;
use crate::timeline::waterfall::stage::Stage;
use crate::ui::dom;
use crate::ui::window::Table;

/// The height of the names of the columns, as the stylesheet has it.
const HEAD: f64 = 26.0;

/// The table's scroll position, and what changes it.
#[derive(Clone, Copy)]
pub(super) struct Scrolling {
    pub(super) stage: Stage,
    pub(super) scroller: NodeRef<html::Div>,
    pub(super) scroll: RwSignal<f64>,
    pub(super) height: RwSignal<f64>,
    /// The height of what is open.
    pub(super) extra: RwSignal<f64>,
    /// True while the last row is seen.
    at_end: StoredValue<bool>,
}

impl Scrolling {
    /// Makes the signals of a table that is at its end.
    pub(super) fn new(stage: Stage) -> Self {
        Self {
            stage,
            scroller: NodeRef::new(),
            scroll: RwSignal::new(0.0),
            height: RwSignal::new(0.0),
            extra: RwSignal::new(0.0),
            at_end: StoredValue::new(true),
        }
    }

    /// Returns the table, as far as its height depends on it.
    pub(super) fn table(self) -> Table {
        let open = self.stage.open.get();
        let (rows, open) = self.stage.read(|rows| (rows.all().len(), open.and_then(|id| rows.place(id))));
        let open = open.map(|place| (place, self.extra.get()));
        Table { rows, height: self.stage.form.get().row(), open }
    }

    /// Notes where somebody has scrolled to.
    pub(super) fn scrolled(self) {
        if let Some(element) = self.scroller.get_untracked() {
            let (top, seen) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
            self.at_end.set_value(top + seen >= f64::from(element.scroll_height()) - 4.0);
            self.scroll.set(top);
        }
    }

    /// Scrolls to the end when a request comes and the end was in view, and to a row that is opened.
    pub(super) fn follow(self) {
        let Self { stage, scroller, height, extra, at_end, .. } = self;
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
        Effect::new(move || {
            let opened = extra.get() > 0.0;
            let place = stage.open.get().and_then(|id| untrack(|| stage.read(|rows| rows.place(id))));
            if let Some(place) = place.filter(|_| opened) {
                self.reveal(place);
            }
        });
    }

    /// Scrolls as far as the row at a place is seen.
    fn reveal(self, place: usize) {
        let scroll = self.scroll.get_untracked();
        let seen = self.height.get_untracked() - HEAD;
        let to = untrack(|| self.table()).reveal(place, scroll, seen);
        if let Some(element) = self.scroller.try_get_untracked().flatten().filter(|_| to != scroll) {
            element.set_scroll_top(to as i32);
            self.scroll.set(to);
        }
    }

    /// Goes to another row by a key.
    pub(super) fn step(self, event: &KeyboardEvent) {
        let stage = self.stage;
        let on_row = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlElement>().ok())
            .is_some_and(|element| element.id().starts_with("request-"));
        let place = stage.chosen.get_untracked().and_then(|id| untrack(|| stage.read(|rows| rows.place(id))));
        let (Some(place), true) = (place, on_row) else { return };
        let last = untrack(|| self.table()).rows.saturating_sub(1);
        let next = match event.key().as_str() {
            "ArrowDown" => (place + 1).min(last),
            "ArrowUp" => place.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        self.reveal(next);
        if let Some(id) = untrack(|| stage.read(|rows| rows.all().get(next).map(|row| row.id))) {
            stage.chosen.set(Some(id));
            dom::focus_soon(button(id));
        }
    }
}
