//! The details that open below a row: what the write changed, which watches got it, and the request that made it.

use glass::Write;
use leptos::prelude::*;
use protocol::trace::RequestRecord;

use crate::cluster::{Which, status};
use crate::model::messages::rails as messages;
use crate::model::panes::Pane;
use crate::model::request::command::curl;
use crate::model::timeline::reason::{selector, why};
use crate::model::timeline::tracks::Track;
use crate::model::watch::{EventLook, EventType};
use crate::state::{Model, Page, Shown};
use crate::timeline::rails::cells;
use crate::timeline::rails::versions::{Versions, versions};
use crate::timeline::tabs;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages as words;
use crate::ui::part::{IntoPart, Part, act, live, quiet, text};
use crate::widgets::cause;
use crate::widgets::difference::Diff;

/// Shows the details of the write of a revision.
#[component]
pub(crate) fn Opened(revision: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let which = page.cluster.get_untracked();
    let found = untrack(|| {
        let (write, object, previous) = page.history(|history| {
            let write = history.write(revision)?;
            let object = history.object(write.object)?.known.clone();
            Some((write, object, history.previous(write.object, revision)))
        })?;
        let versions = page.read(|model| versions(model, which, write, previous, &object));
        let request = page.read(|model| {
            let exchange =
                cells::exchange(&model.trace, write.request).map(|(id, request)| (id, request.clone()));
            (cells::served(model, write.request), exchange)
        });
        Some((write, versions, request))
    });
    let Some((write, versions, (served, exchange))) = found else {
        return quiet(messages::BOTH_GONE);
    };
    let watches = Memo::new(move |_| page.read(|model| reasons(model, which, revision)));
    let at_here = move || page.at.get() == Some(revision);
    let known = exchange.as_ref().map(|(id, _)| *id);
    let request = StoredValue::new(exchange.map(|(_, request)| request));
    let show_request = move |_| {
        page.detail.set(tabs::REQUESTS);
        if let Some(exchange) = known {
            page.show(Shown::Exchange(exchange, false));
        }
    };
    view! {
        <div class="log-tools">
            <button
                type="button"
                aria-pressed=text(move || at_here().to_string())
                on:click=act(move |_| page.at.set((!untrack(at_here)).then_some(revision)))
            >
                {messages::SHOW_AT}
            </button>
            {(write.request > 0).then(|| view! {
                <button type="button" on:click=act(show_request)>{messages::SHOW_REQUEST}</button>
            }.part())}
            {known.is_some().then(|| view! {
                <button
                    type="button"
                    on:click=act(move |_| {
                        if let Some(request) = request.get_value() {
                            page.pane.set(Pane::Request);
                            page.fill_and_send(&request);
                        }
                    })
                >
                    {messages::SEND_AGAIN}
                </button>
                <button
                    type="button"
                    on:click=act(move |_| {
                        if let Some(request) = request.get_value() {
                            dom::copy(&curl(&request));
                            page.say(words::COPIED);
                        }
                    })
                >
                    {messages::COPY_CURL}
                </button>
            }.part())}
        </div>
        <h3>{messages::MADE_BY}</h3>
        {show_request_line(served.as_ref(), known.is_some())}
        {cause::of_write(page, revision)}
        <h3>{messages::WATCHES}</h3>
        {live(move || show_reasons(watches.get()))}
        <h3>{messages::CHANGED}</h3>
        {show_change(which, write, versions)}
    }
    .part()
}

/// Shows what each watch was sent, and why.
fn show_reasons(reasons: Vec<(Option<EventType>, String)>) -> Part {
    if reasons.is_empty() {
        return view! { <p>{messages::NO_WATCH}</p> }.part();
    }
    let reasons = reasons.into_iter().map(|(sent, reason)| {
        let (class, shape) = sent.map_or(("shape", "·"), |sent| (shape_class(sent), sent.shape()));
        view! { <li><span class=class aria-hidden="true">{shape}</span>" "{reason}</li> }.part()
    });
    view! { <ul class="log-reasons">{reasons.collect_view()}</ul> }.part()
}

fn shape_class(event: EventType) -> &'static str {
    match event {
        EventType::Added => "shape added",
        EventType::Modified => "shape modified",
        EventType::Deleted => "shape deleted",
        EventType::Bookmark => "shape bookmark",
        EventType::Error => "shape error",
    }
}

fn show_request_line(served: Option<&RequestRecord>, known: bool) -> Part {
    let Some(served) = served else { return view! { <p>{messages::NO_REQUEST}</p> }.part() };
    let code = [&served.code.to_string(), " ", status::words(served.code)].concat();
    let bad = served.code >= 400;
    view! {
        <p class="log-request">
            <code>{served.method.clone()}" "{served.uri.clone()}</code>
            " "
            <span class="code" class:bad=bad>{code}</span>
            " "
            <span class="figure">{served.manager.clone()}</span>
        </p>
        {(!known).then(|| view! { <p>{messages::NO_BODY}</p> }.part())}
    }
    .part()
}

fn show_change(which: Which, write: Write, versions: Versions) -> Part {
    let (no_old, no_new) = (versions.old_missing(write.change), versions.new_missing(write.change));
    let missing = match (which, no_old, no_new) {
        (_, false, false) => None,
        (Which::Remote, true, false) if versions.new.is_some() => Some(messages::REMOTE_OLD_GONE),
        (Which::Remote, ..) => Some(messages::REMOTE_GONE),
        (_, _, true) => Some(messages::BOTH_GONE),
        _ if write.change == EventType::Deleted => Some(messages::OLD_GONE_DELETED),
        _ => Some(messages::OLD_GONE),
    };
    let Versions { old, new } = versions;
    let old = old.filter(|_| !no_new);
    view! {
        {missing.map(|missing| view! { <p>{missing}</p> }.part())}
        <Diff old=old new=new whole=no_old />
    }
    .part()
}

/// Returns what each watch was sent of a write, and why, in words.
fn reasons(model: &Model, which: Which, revision: u64) -> Vec<(Option<EventType>, String)> {
    let watches = model.watches.iter().filter(|watch| watch.cluster == which);
    let reasons = watches.map(|watch| {
        let lane = model.lane(watch.id);
        let sent = lane.and_then(|lane| lane.at(revision)).and_then(|delivered| delivered.sent);
        let explanation = match which {
            Which::ThisTab => lane
                .and_then(|lane| lane.number)
                .and_then(|number| model.glass(which).explain(number, revision)),
            Which::Remote => None,
        };
        let track = Track::of(watch, lane);
        let (sent, reason) = why(&track, sent, explanation.as_ref(), revision);
        let selector = explanation.as_ref().map(selector).unwrap_or_default();
        (sent, messages::reason(&track.letter, sent, reason, &selector))
    });
    reasons.collect()
}
