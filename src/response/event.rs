//! An event of a watch that somebody has chosen, where a response stands otherwise.

use bytes::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::{Request, Which, documents};
use crate::model::watch::{Event, EventLook, Row};
use crate::response::bytes::view as in_bytes;
use crate::response::fold::Document;
use crate::response::raw::show_raw;
use crate::response::table::{self, Table};
use crate::response::tree::Tree;
use crate::state::Page;
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part, live, quiet};
use crate::why::view as why;
use crate::widgets::version::Version;

/// An event, and the watch that it came from.
struct Chosen {
    letter: String,
    cluster: Which,
    /// The request that the watch was opened with, as the page opened it.
    request: Request,
    event: std::sync::Arc<Event>,
    /// The table that it brought, if it did.
    table: Option<Table>,
}

/// Shows a row of a watch.
pub(crate) fn show(page: Page, watch: u64, row: u64) -> Part {
    let chosen = untrack(|| {
        page.watch(watch, |watch| {
            let (_, Row::Event(event)) = watch.rows.iter().find(|(number, _)| *number == row)? else {
                return None;
            };
            // Only the first of a watch's tables has its columns.
            let events = watch.rows.iter().filter_map(|(_, row)| match row {
                Row::Event(event) => Some(event.text.as_slice()),
                Row::Note(_) => None,
            });
            Some(Chosen {
                letter: watch.letter(),
                cluster: watch.cluster,
                request: Request { target: watch.target.clone(), ..watch.request.clone() },
                event: event.clone(),
                table: table::of_event(&event.text, events),
            })
        })
    });
    chosen
        .flatten()
        .map_or_else(|| quiet(messages::ANSWER_DROPPED), |chosen| show_chosen(page, watch, chosen))
}

fn show_chosen(page: Page, watch: u64, chosen: Chosen) -> Part {
    let Chosen { letter, cluster, request, event, table } = chosen;
    let words = match event.status.as_deref() {
        Some(status) => why::of_event(page, cluster, request.clone(), status.clone()),
        None => why::of_selection(page, cluster, watch, &event).part(),
    };
    let text = Bytes::from(event.text.clone());
    let sent = RwSignal::new(None::<Bytes>);
    if request.header("Accept").is_some_and(documents::is_binary) {
        let (embedded, line) = (page.embedded(), event.text.clone());
        spawn_local(async move {
            let bytes = embedded.sent(&request, line).await;
            // Something else may be shown by then.
            let _ = sent.try_set(bytes);
        });
    }
    let body = live(move || match (sent.get(), Document::parse(&text)) {
        (Some(bytes), _) => {
            let intro = messages::sent(bytes.len());
            in_bytes::show(documents::stream_of(&bytes), bytes, Some(text.clone()), intro)
        }
        (None, Some(document)) => view! {
            {table.clone().map(table::show)}
            <Tree document=document label=messages::ANSWER />
        }
        .part(),
        (None, None) => show_raw(&text),
    });
    view! {
        <div class="answer-head">
            <span class=format!("event-type {}", event.kind.class())>{event.kind.name()}</span>
            {(!event.version.is_empty()).then(|| view! { <Version version=event.version.clone() /> })}
            <span class="asked">{messages::watch_title(&letter)}</span>
        </div>
        {words}
        <div class="panel scroll">{body}</div>
    }
    .part()
}
