//! A row of the waterfall.

use leptos::prelude::*;
use protocol::trace::Layer;

use crate::cluster::trace::Origin;
use crate::timeline::waterfall::opened::Opened;
use crate::timeline::waterfall::rows::{Row, State};
use crate::timeline::waterfall::stage::Stage;
use crate::ui::memo::Memo;
use crate::ui::messages::waterfall as said;
use crate::ui::messages::{self, others};
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::widgets::version::Version;

/// The id of a row's button.
pub(super) fn button(id: u64) -> String {
    ["request-", &id.to_string()].concat()
}

/// A request.
pub(super) fn line(stage: Stage, id: u64, stop: Memo<Option<u64>>) -> Part {
    let Some(row) = untrack(|| stage.row(id)) else { return ().part() };
    let came = Memo::new(move |_| stage.read(|rows| rows.get(id).map(|row| row.came)));
    let look = move |show: fn(&Row, Stage) -> Part| {
        came.get();
        untrack(|| stage.row(id)).map(|row| show(&row, stage))
    };
    let bad = move || {
        came.get();
        untrack(|| stage.row(id)).is_some_and(|row| row.came.bad())
    };
    let copy = (row.origin == Origin::Copy)
        .then(|| view! { <span class="by" title=said::BY_COPY_ABOUT>{said::BY_COPY}</span> });
    let other =
        row.agent.clone().map(|agent| view! { <span class="by" title=others::BY_OTHER_ABOUT>{agent}</span> });
    let (verb, label, titled) = (row.verb.clone(), row.label.clone(), row.label.clone());
    view! {
        <div
            role="row"
            class="exchange"
            class:bad=flag(bad)
            class:opening=flag(move || stage.open.get() == Some(id))
            aria-rowindex=text(move || (stage.read(|rows| rows.place(id)).unwrap_or_default() + 2).to_string())
        >
            <span role="cell" class="number">{(id + 1).to_string()}</span>
            <span role="cell" class="what">
                <button
                    type="button"
                    id=button(id)
                    tabindex=text(move || if stop.get() == Some(id) { "0" } else { "-1" })
                    aria-expanded=text(move || (stage.open.get() == Some(id)).to_string())
                    aria-describedby="waterfall-why"
                    title=titled
                    on:focus=act(move |_| stage.choose(id))
                    on:blur=act(move |_| stage.leave(id))
                    on:click=act(move |_| stage.toggle(id))
                >
                    <strong>{verb}</strong>
                    " "
                    {label}
                </button>
                {copy}
                {other}
            </span>
            <span role="cell" class="code">{live(move || look(code))}</span>
            <span role="cell" class="from">
                {asked(&row)}
                <span aria-hidden="true">" → "</span>
                {live(move || look(served))}
            </span>
            <span role="cell" class="size">{live(move || {
                stage.follow(id);
                look(size)
            })}</span>
            <span role="cell" class="took">{live(move || look(took))}</span>
            <span role="cell" class="when">
                <svg
                    aria-hidden="true"
                    data-open=text(move || came.get().is_some_and(|state| matches!(state, State::Open(_))).to_string())
                    data-events=text(move || stage.events(id).unwrap_or_default().to_string())
                    inner_html=text(move || stage.bar(id))
                ></svg>
                <span class="unseen">{text(move || stage.events(id).map(said::events).unwrap_or_default())}</span>
            </span>
        </div>
        {live(move || (stage.open.get() == Some(id)).then(|| view! { <Opened id=id stage=stage /> }))}
    }
    .part()
}

fn code(row: &Row, _: Stage) -> Part {
    match row.came {
        State::Pending => said::WAITING.part(),
        State::Failed => said::FAILED.part(),
        State::Done(code) | State::Open(code) | State::Over(code) => code.to_string().part(),
    }
}

fn asked(row: &Row) -> Part {
    let version = row.asked.revision().map(|revision| view! { " "<Version version=revision.to_string() /> });
    view! { <span class="asks">{row.asked.words()}{version}</span> }.part()
}

fn served(row: &Row, stage: Stage) -> Part {
    let server = row.server.filter(|_| untrack(|| stage.read(|rows| rows.servers())));
    let server = server.map(|server| view! { <span class="layer">{said::server(server)}</span> });
    let newest = row.wrote.last().map(u64::to_string);
    let what = match (newest, row.source) {
        (Some(revision), _) => {
            view! { <span class="layer">{said::WROTE}</span>" "<Version version=revision /> }.part()
        }
        (None, Some(source)) => {
            let layer = match source.layer {
                Layer::Store => said::LAYER_STORE,
                Layer::Cache => said::LAYER_CACHE,
                Layer::Snapshot => said::LAYER_SNAPSHOT,
            };
            let live = matches!(row.came, State::Open(_)).then(|| [", ", said::LIVE].concat());
            view! {
                <Version version=source.revision.to_string() />
                " "
                <span class="layer">{layer}{live}</span>
            }
            .part()
        }
        (None, None) => said::ASKED_NOTHING.part(),
    };
    view! { <span class="serves">{what}{server}</span> }.part()
}

fn size(row: &Row, stage: Stage) -> Part {
    let bytes = match row.came {
        State::Open(_) => untrack(|| {
            stage.page.read(|model| {
                let stream = model.trace.get(row.id).and_then(|exchange| exchange.stream.as_ref());
                stream.map(|stream| stream.bytes)
            })
        }),
        State::Done(_) | State::Over(_) => Some(row.size),
        State::Pending | State::Failed => None,
    };
    bytes.map(messages::size).part()
}

fn took(row: &Row, _: Stage) -> Part {
    row.came.code().map(|_| messages::time(row.took)).part()
}
