//! An object that is being deleted: what it waits for, and the buttons that take it away.

use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::model::change::deletion::{Deletion, at_once, finalized, without};
use crate::model::messages::change as words;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::part::{IntoPart, Part, act};

/// Reports whether the object in a response body may be being deleted.
pub(crate) fn may_be(body: &[u8]) -> bool {
    contains(body, b"\"deletionTimestamp\"")
}

/// How far the deletion of what was answered is; `None` if nobody deletes it.
pub(crate) fn show(page: Page, request: &Request, body: &[u8]) -> Option<Part> {
    of_object(page, request, &serde_json::from_slice(body).ok()?)
}

/// How far the deletion of an object is, which `request` is about.
pub(crate) fn of_object(page: Page, request: &Request, object: &Value) -> Option<Part> {
    let deletion = Deletion::of(object)?;
    let finalizers = deletion.finalizers.iter().enumerate().map(|(at, finalizer)| {
        item(page, finalizer, words::REMOVE, without(request, &deletion.finalizers, at))
    });
    let finalizers: Vec<Part> = finalizers.collect();
    let own = deletion
        .spec_finalizers
        .iter()
        .map(|finalizer| item(page, finalizer, words::FINALIZE, finalized(request, object, finalizer)));
    let own: Vec<Part> = own.collect();
    let grace = deletion.grace.map(|seconds| {
        let button =
            at_once(request).map(|request| button(page, words::END_NOW.to_owned(), words::END_NOW, request));
        view! { <p>{words::grace(seconds)}" "{button}</p> }.part()
    });
    let over = deletion.is_over().then_some(words::LAST_GONE);
    let waits = (!finalizers.is_empty()).then(|| words::waits(finalizers.len()));
    let phase = (!deletion.phase.is_empty()).then(|| words::phase(&deletion.phase));
    let section = view! {
        <section class="going" aria-label=words::GOING>
            <h3>{words::GOING}</h3>
            <p>{words::marked(&deletion.since)}" "{waits}{over}</p>
            {phase.map(|phase| view! { <p>{phase}</p> }.part())}
            {grace}
            {list(words::ITS_FINALIZERS, finalizers)}
            {list(words::SPEC_FINALIZERS, own)}
            {conditions(&deletion.conditions)}
        </section>
    };
    Some(section.part())
}

fn list(title: &'static str, items: Vec<Part>) -> Option<Part> {
    (!items.is_empty()).then(|| {
        view! {
            <h4>{title}</h4>
            <ul class="finalizers" aria-label=title>{items.into_iter().collect_view()}</ul>
        }
        .part()
    })
}

fn item(page: Page, finalizer: &str, label: &'static str, request: Option<Request>) -> Part {
    let known = words::FINALIZERS.iter().find(|(name, _)| *name == finalizer);
    let about = known.map_or(words::ANY_FINALIZER, |(_, about)| about);
    let button = request.map(|request| button(page, words::remove(finalizer), label, request));
    view! {
        <li>
            <code>{finalizer.to_owned()}</code>
            <span class="figure">{about}</span>
            {button}
        </li>
    }
    .part()
}

fn button(page: Page, said: String, label: &'static str, request: Request) -> Part {
    view! {
        <button
            type="button"
            class="small"
            aria-label=said
            on:click=act(move |_| {
                page.fill_and_send(&request);
                // The button that was pressed is gone.
                dom::focus_soon("answer");
            })
        >
            {label}
        </button>
    }
    .part()
}

fn conditions(conditions: &[[String; 3]]) -> Option<Part> {
    let rows = conditions.iter().map(|condition| {
        let [name, status, message] = condition.clone();
        view! {
            <tr>
                <th scope="row"><code>{name}</code></th>
                <td>{status}</td>
                <td>{message}</td>
            </tr>
        }
        .part()
    });
    let heads = [words::CONDITION, words::CONDITION_STATUS, words::CONDITION_MESSAGE];
    (!conditions.is_empty()).then(|| {
        view! {
            <table class="conditions">
                <caption>{words::CONDITIONS}</caption>
                <thead>
                    <tr>{heads.map(|name| view! { <th scope="col">{name}</th> }.part()).into_iter().collect_view()}</tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
        .part()
    })
}

/// So that not every answer is read once more.
fn contains(body: &[u8], word: &[u8]) -> bool {
    body.windows(word.len()).any(|bytes| bytes == word)
}
