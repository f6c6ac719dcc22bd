//! One row of the log.

use leptos::prelude::*;

use crate::model::messages::rails as messages;
use crate::model::timeline::tracks::{Mark, Rail};
use crate::model::watch::{EventLook, EventType};
use crate::timeline::rails::cells::Cells;
use crate::timeline::rails::log::{Log, px, row_id};
use crate::timeline::rails::opened::Opened;
use crate::timeline::rails::rows::Row;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, flag, live, maybe, text};
use crate::widgets::version::Version;

/// The row whose first revision is `from`, and what is open below it.
#[component]
pub(crate) fn LogRow(log: Log, from: u64) -> impl IntoView {
    let cells = Memo::new(move |_| log.cells(from));
    let row = untrack(|| cells.with(|cells| cells.as_ref().map(|cells| cells.row)));
    let get =
        move |look: fn(&Cells) -> String| cells.with(|cells| cells.as_ref().map(look).unwrap_or_default());
    let is_open = move || log.open.get() == Some(from);
    let chosen = move || log.page.at.get().is_some_and(|at| log.holds(from, at));
    let version = StoredValue::new(from.to_string());
    let lit = move || log.page.lit.with(|lit| version.with_value(|version| lit.as_ref() == Some(version)));
    // The row may be gone when the focus leaves it.
    let light = move |on: bool| log.page.light(if on { version.try_get_value() } else { None });
    let tabs = move || if log.stop() == from { "0" } else { "-1" };
    let bottom = move || px(log.bottom(from));
    let index = move || log.index(from).to_string();
    let rest = live(move || cells.with(|cells| cells.as_ref().map(show_rest)));
    match row {
        Some(Row::Write(revision)) => view! {
            <div
                class="log-row"
                role="row"
                aria-rowindex=text(index)
                class:open=flag(is_open)
                class:chosen=flag(chosen)
                class:lit=flag(lit)
                style:bottom=text(bottom)
                on:pointerenter=act(move |_| light(true))
                on:pointerleave=act(move |_| light(false))
            >
                <span role="cell" class="log-rv">
                    <button
                        type="button"
                        class="log-button"
                        id=row_id(from)
                        tabindex=text(tabs)
                        aria-label=text(move || get(said))
                        aria-expanded=text(move || is_open().to_string())
                        aria-current=maybe(move || chosen().then_some("true"))
                        on:focus=act(move |_| light(true))
                        on:blur=act(move |_| light(false))
                        on:click=act(move |_| log.toggle(revision))
                    >
                        <Version version=revision.to_string() />
                    </button>
                </span>
                {live(move || cells.with(|cells| cells.as_ref().map(show_write)))}
                {rest}
            </div>
            {live(move || is_open().then(|| view! { <Below log=log revision=revision /> }))}
        }
        .part(),
        Some(Row::Folded { .. }) => view! {
            <div class="log-row folded" role="row" aria-rowindex=text(index) class:chosen=flag(chosen) style:bottom=text(bottom)>
                <span role="cell" class="log-wide" aria-colspan="5">
                    <button
                        type="button"
                        class="log-button"
                        id=row_id(from)
                        tabindex=text(tabs)
                        aria-expanded="false"
                        on:click=act(move |_| log.unfold(from))
                    >
                        <span aria-hidden="true">"~ "</span>
                        {text(move || get(|cells| match cells.row {
                            Row::Folded { count, .. } => messages::folded(count),
                            _ => String::new(),
                        }))}
                    </button>
                </span>
                {rest}
            </div>
        }
        .part(),
        Some(Row::Compacted(_)) => view! {
            <div class="log-row compacted" role="row" aria-rowindex=text(index) style:bottom=text(bottom)>
                <span role="cell" class="log-wide" aria-colspan="5">
                    {text(move || get(|cells| match cells.row {
                        Row::Compacted(floor) => messages::compacted(floor),
                        _ => String::new(),
                    }))}
                </span>
                {rest}
            </div>
        }
        .part(),
        None => ().part(),
    }
}

/// Shows what is open below a row.
#[component]
fn Below(log: Log, revision: u64) -> impl IntoView {
    let node = NodeRef::new();
    log.measure(node, move |height| {
        let _ = log.below.try_set(height.1);
    });
    view! {
        <div
            class="log-below"
            role="row"
            aria-rowindex=text(move || (log.index(revision) + 1).to_string())
            style:bottom=text(move || px(log.foot(revision)))
        >
            <div role="cell" aria-colspan="7" node_ref=node class="log-opened" aria-label=messages::details(revision)>
                <Opened revision=revision />
            </div>
        </div>
    }
    .part()
}

/// A row in one sentence.
fn said(cells: &Cells) -> String {
    let Cells { verb, change, object, manager, marks, .. } = cells;
    let mut said = messages::row(cells.row.from(), verb, *change, object, manager);
    for mark in marks {
        said.push_str(". ");
        said.push_str(&messages::mark_about(mark));
    }
    said
}

fn show_write(cells: &Cells) -> Part {
    let Cells { time, change, verb, object, manager, .. } = cells;
    view! {
        <span role="cell" class="log-time">{time.clone()}</span>
        <span role="cell" class=["log-verb ", change.class()].concat()>
            <span class="shape" aria-hidden="true">{change.shape()}</span>
            <span class="log-letter" aria-hidden="true">{letter(*change)}</span>
            <span class="log-word">{*verb}</span>
            {(*verb != change.name()).then(|| view! { <span class="unseen">" "{change.name()}</span> }.part())}
        </span>
        <span role="cell" class="log-object" title=object.clone()>{object.clone()}</span>
        <span role="cell" class="log-manager" title=manager.clone()>{manager.clone()}</span>
    }
    .part()
}

fn show_rest(cells: &Cells) -> Part {
    let rails = cells.rails.iter().map(|(letter, rail)| show_rail(letter, *rail)).collect_view();
    let marks = cells.marks.iter().map(show_mark).collect_view();
    view! {
        <span role="cell" class="log-rails">{rails}</span>
        <span role="cell" class="log-marks">{marks}</span>
    }
    .part()
}

/// `A`, `M`, `D`, ...
fn letter(event: EventType) -> &'static str {
    event.name().get(..1).unwrap_or_default()
}

fn show_rail(watch: &str, rail: Rail) -> Part {
    let (class, event) = match rail {
        Rail::None => ("rail", None),
        Rail::Open => ("rail open", None),
        Rail::Filtered => ("rail filtered", None),
        Rail::Coming => ("rail coming", None),
        Rail::Sent(EventType::Added) => ("rail open added", Some(EventType::Added)),
        Rail::Sent(EventType::Deleted) => ("rail open deleted", Some(EventType::Deleted)),
        Rail::Sent(event) => ("rail open modified", Some(event)),
    };
    view! {
        <span class=class>
            <span aria-hidden="true">{event.map(letter)}</span>
            <span class="unseen">{messages::rail(watch, rail)}</span>
        </span>
    }
    .part()
}

fn show_mark(mark: &Mark) -> Part {
    let class = match mark {
        Mark::Head => "log-mark head",
        Mark::Seen(_) => "log-mark seen",
        Mark::Bookmark(_) => "log-mark bookmark",
        Mark::Pins(_) => "log-mark pin",
        Mark::Cache { .. } => "log-mark cache",
    };
    view! {
        <span class=class title=messages::mark_about(mark)>
            <span aria-hidden="true">{messages::mark(mark)}</span>
            <span class="unseen">{messages::mark_about(mark)}". "</span>
        </span>
    }
    .part()
}
