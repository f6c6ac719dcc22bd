//! The webhooks that were called for a request: what each was sent, and what it said.

use std::sync::Arc;

use leptos::prelude::*;

use super::raw::show_raw;
use super::tree::Tree;
use crate::cluster::webhooks::{Called, Calls};
use crate::model::messages::webhooks as words;
use crate::model::webhook::Verdict;
use crate::response::fold::Document;
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part, live};

/// Shows the calls of webhooks for a request.
pub(crate) fn show(calls: &Calls) -> Part {
    let rows = calls.first.iter().map(|called| show_call(Arc::clone(called))).collect_view();
    let more = (calls.more > 0).then(|| view! { <p class="quiet">{words::more(calls.more)}</p> });
    view! {
        <section class="webhooks" aria-label=words::TITLE>
            {rows}
            {more}
        </section>
    }
    .part()
}

/// A call in a line, which opens.
fn show_call(called: Arc<Called>) -> Part {
    let verdict = Verdict::of(called.result.as_ref());
    let (kind, name, why) = words::verdict(&verdict);
    // Its timeout says nothing new.
    let url = called.url.split(['?']).next().unwrap_or_default();
    let url = url.strip_prefix("https://").unwrap_or(url).to_owned();
    let took = messages::time(called.took);
    let opened = RwSignal::new(false);
    let documents = move || opened.get().then(|| show_documents(&called));
    view! {
        <details
            data-verdict=kind
            on:toggle=move |_| opened.set(true)
        >
            <summary>
                <strong>{name}</strong>
                " "
                <code>{url}</code>
                " "
                <span class="figure">{took}</span>
                " "
                <span class="webhook-why">{why}</span>
            </summary>
            {live(documents)}
        </details>
    }
    .part()
}

/// The response, what the function has logged, and the review that was sent.
fn show_documents(called: &Called) -> Part {
    let back = called.result.as_ref().filter(|result| result.failed.is_none());
    let lines = back.filter(|result| !result.lines.is_empty()).map(|result| {
        view! {
            <h4>{words::LOGGED}</h4>
            <pre class="raw">{result.lines.join("\n")}</pre>
        }
    });
    let back = back.map(|result| {
        view! {
            <div>
                {lines}
                <h4>{words::received(result.status)}</h4>
                {document(result.body.as_bytes(), words::RECEIVED)}
            </div>
        }
    });
    view! {
        <div class="webhook-documents">
            {back}
            <div>
                <h4>{words::SENT}</h4>
                {document(&called.review, words::SENT)}
            </div>
        </div>
    }
    .part()
}

fn document(bytes: &[u8], label: &'static str) -> Part {
    match Document::parse(bytes) {
        Some(document) => view! { <Tree document=document label=label /> }.part(),
        None => show_raw(bytes),
    }
}
