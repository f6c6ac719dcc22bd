//! The watches as a strip: a line each, with the newest event.

use leptos::prelude::*;
use web_sys::ScrollIntoViewOptions;

use crate::model::messages;
use crate::model::past;
use crate::model::views::View;
use crate::model::watch::EventLook as _;
use crate::model::watch::{Connection, EventType, Note, Row, Watch, hue_class, short};
use crate::state::{Page, views};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::views as words;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};
use crate::watches::view::{label, watched};

/// The watches, newest first.
#[component]
pub(crate) fn Strip() -> impl IntoView {
    let page = expect_context::<Page>();
    let watches = Memo::new(move |_| page.watches());
    view! {
        <p class="quiet" hidden=flag(move || watches.with(|watches| !watches.is_empty()))>{messages::WATCHES_EMPTY}</p>
        <div class="scroll strip">
            {each(move || watches.get().into_iter().rev().collect(), move |id| line(page, id))}
        </div>
    }
    .part()
}

/// The parts of a watch that are shown in its line.
#[derive(Clone, PartialEq)]
struct Seen {
    letter: String,
    target: String,
    open: bool,
    /// The number of the row that is shown.
    newest: Option<u64>,
}

impl Seen {
    fn of(watch: &Watch, at: Option<u64>) -> Self {
        // Runs in every frame for every watch, and only the two newest rows matter.
        let rows = match at {
            None => watch.rows.iter().rev().take(2).map(|(number, _)| *number).collect(),
            Some(_) => past::rows(&watch.rows, at).0,
        };
        let has_ended = |number| matches!(watch.row_of(number), Some(Row::Note(Note::Ended)));
        let is_error = |number| matches!(watch.row_of(number), Some(Row::Event(event)) if event.kind == EventType::Error);
        // That a watch has ended after an ERROR says less than the ERROR.
        let newest = match rows.as_slice() {
            [note, error, ..] if has_ended(*note) && is_error(*error) => Some(*error),
            rows => rows.first().copied(),
        };
        Self {
            letter: watch.letter(),
            target: short(&watch.target),
            open: watch.connection == Connection::Open,
            newest,
        }
    }
}

/// A watch in a line, which leads to it.
fn line(page: Page, id: u64) -> Part {
    let seen = Memo::new(move |_| {
        let at = page.at.get();
        watched(page, id, |watch| Seen::of(watch, at))
    });
    let said = move |look: fn(&Seen) -> String| seen.with(|seen| seen.as_ref().map(look).unwrap_or_default());
    let newest = Memo::new(move |_| seen.with(|seen| seen.as_ref()?.newest));
    let event = move || {
        let Some(number) = newest.get() else {
            return seen
                .with(|seen| seen.as_ref().is_some_and(|seen| seen.open))
                .then(|| view! { <span class="quiet">{words::NOTHING_YET}</span> }.part());
        };
        let row = untrack(|| page.watch(id, |watch| watch.row_of(number).cloned()));
        Some(match row.flatten()? {
            Row::Event(event) => {
                let class = ["event ", event.kind.class()].concat();
                view! { <span class=class>{label(&event)}</span> }.part()
            }
            Row::Note(note) => view! { <span class="quiet name">{messages::note(&note)}</span> }.part(),
        })
    };
    let open = move |_| {
        views::choose(page, View::Watches);
        request_animation_frame(move || {
            if let Some(title) = dom::by_id(&format!("watch-{id}")) {
                title.scroll_into_view_with_scroll_into_view_options(&ScrollIntoViewOptions::new());
            }
        });
    };
    view! {
        <button
            type="button"
            class="row"
            class:closed=flag(move || seen.with(|seen| seen.as_ref().is_some_and(|seen| !seen.open)))
            title=words::OPEN_WATCH
            on:click=act(open)
        >
            <span class=["letter ", hue_class(id)].concat()>{text(move || said(|seen| seen.letter.clone()))}</span>
            <span class="mono target">{text(move || said(|seen| seen.target.clone()))}</span>
            {live(event)}
        </button>
    }
    .part()
}
