//! The answer pane.

use crate::ui::part::{IntoPart, Part, act, live, text};
use apiserver::inspect::Source;
use leptos::prelude::*;

use crate::cluster::Which;
use crate::cluster::trace::{Exchange, Outcome, Reply};
use crate::response::fold::Document;
use crate::response::status::{self, Status};
use crate::response::tree::Tree;
use crate::state::{Page, Shown};
use crate::ui::tabs::{Tab, Tabs};
use crate::ui::version::Version;
use crate::ui::{dom, messages};
use crate::watches::model::{Event, Row};

/// More of a text than this is not shown raw, in bytes.
const RAW: usize = 200_000;

/// The tabs: the body, the headers, and the body as it came.
const TABS: &[Tab] = &[
    ("tab-body", messages::TAB_BODY),
    ("tab-headers", messages::TAB_HEADERS),
    ("tab-raw", messages::TAB_RAW),
];
const BODY: usize = 0;
const HEADERS: usize = 1;

/// What came back.
#[component]
pub(crate) fn Answer() -> impl IntoView {
    let page = expect_context::<Page>();
    let tab = RwSignal::new(BODY);
    let content = move || match page.shown.get() {
        Shown::Nothing => quiet(messages::ANSWER_EMPTY),
        Shown::Exchange(id, _) => {
            let exchange = untrack(|| page.read(|model| model.trace.get(id).cloned()));
            exchange.map_or_else(|| quiet(messages::ANSWER_DROPPED), |exchange| show_exchange(&exchange, tab))
        }
        Shown::Event(watch, row) => {
            let event = untrack(|| {
                page.watch(watch, |watch| match watch.rows.iter().find(|(number, _)| *number == row) {
                    Some((_, Row::Event(event))) => Some((watch.letter(), event.clone())),
                    _ => None,
                })
            });
            match event.flatten() {
                Some((letter, event)) => show_event(&letter, &event),
                None => quiet(messages::ANSWER_DROPPED),
            }
        }
    };
    view! {
        <h2 id="answer-title" class="unseen">{messages::ANSWER}</h2>
        {live(content)}
    }
    .part()
}

fn quiet(text: &'static str) -> Part {
    view! { <p class="quiet">{text}</p> }.part()
}

fn show_exchange(exchange: &Exchange, tab: RwSignal<usize>) -> Part {
    let asked = format!("{} {}", exchange.request.method, exchange.request.target);
    match &exchange.outcome {
        Outcome::Pending => view! {
            <div class="answer-head">
                <span class="status">{messages::ANSWER_WAITING}</span>
                <span class="asked mono">{asked}</span>
            </div>
        }
        .part(),
        Outcome::Failed(why) => {
            let what_to_do = match exchange.cluster {
                Which::ThisTab => messages::NO_ANSWER_HERE,
                Which::Remote => messages::NO_ANSWER_REMOTE,
            };
            view! {
                <div class="answer-head">
                    <span class="status bad">{messages::NO_ANSWER}</span>
                    <span class="asked mono">{asked}</span>
                </div>
                <div class="failure" role="group" aria-label=messages::NO_ANSWER>
                    <p class="message">{why.clone()}</p>
                    <p>{what_to_do}</p>
                </div>
            }
            .part()
        }
        Outcome::Answered(reply) => show_reply(asked, reply, tab),
    }
}

fn show_reply(asked: String, reply: &Reply, tab: RwSignal<usize>) -> Part {
    let bad = reply.status >= 400;
    let failure = reply.body.as_deref().and_then(status::failure);
    let plain =
        (bad && failure.is_none()).then(|| reply.body.as_deref().map(String::from_utf8_lossy)).flatten();
    let words = match (&failure, plain) {
        (Some(status), _) => Some(show_failure(status)),
        (None, Some(text)) => {
            let status = Status::plain(reply.status, text.trim().chars().take(300).collect());
            Some(show_failure(&status))
        }
        (None, None) => None,
    };
    let (body, headers, size) = (reply.body.clone(), reply.headers.clone(), reply.size);
    let copied = reply.body.clone();
    let (streams, watch) = (reply.watch.is_some(), reply.watch.unwrap_or_default());
    let panel = move || match tab.get() {
        HEADERS => show_headers(&headers),
        _ if streams => view! { <Stream watch=watch /> }.part(),
        tab => match &body {
            None => quiet(messages::ANSWER_DROPPED),
            Some(text) if text.is_empty() => quiet(messages::ANSWER_EMPTY_BODY),
            Some(text) => match Document::parse(text).filter(|_| tab == BODY) {
                Some(document) => view! { <Tree document=document label=messages::ANSWER /> }.part(),
                None => show_raw(text),
            },
        },
    };
    view! {
        <div class="answer-head">
            <span class="status" class:bad=bad>
                {reply.status.to_string()}
                " "
                {status::words(reply.status)}
            </span>
            <span class="figure">{messages::time(reply.took)}</span>
            {(!streams).then(|| view! { <span class="figure">{messages::size(size)}</span> })}
            {reply.served.as_ref().and_then(|served| served.source).map(show_source)}
            <span class="asked mono">{asked}</span>
        </div>
        {words}
        <div class="tabs-line">
            <Tabs label=messages::ANSWER tabs=TABS chosen=tab />
            {copied.filter(|_| !streams).map(|text| view! { <Copy text=String::from_utf8_lossy(&text).into_owned() /> })}
        </div>
        <div class="panel scroll" role="tabpanel" tabindex="0" aria-labelledby=text(move || TABS[tab.get()].0)>
            {live(panel)}
        </div>
    }
    .part()
}

/// Where the cluster read an answer from.
fn show_source(source: Source) -> Part {
    view! { <span class="figure">{messages::read_from(source.layer)}" "<Version version=source.revision.to_string() /></span> }.part()
}

/// What there is to say about an answer that is a watch's stream.
#[component]
fn Stream(watch: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let failure = Memo::new(move |_| {
        page.watch(watch, |watch| {
            watch.rows.iter().rev().find_map(|(_, row)| match row {
                Row::Event(event) => event.status.clone(),
                Row::Note(_) => None,
            })
        })
        .flatten()
    });
    view! {
        <p class="quiet">{messages::ANSWER_STREAM}</p>
        {live(move || failure.get().as_deref().map(show_failure))}
    }
    .part()
}

/// A failure in words: what happened, why, and what to do.
pub(crate) fn show_failure(status: &Status) -> Part {
    let causes = status
        .details
        .causes
        .iter()
        .map(|cause| {
            let field = (!cause.field.is_empty()).then(|| view! { <code>{cause.field.clone()}</code>": " });
            view! { <li>{field}{cause.message.clone()}</li> }
        })
        .collect_view();
    let advice = messages::advice(&status.reason, status.code);
    let retry = status.details.retry_after_seconds;
    view! {
        <div class="failure" role="group" aria-label=status::words(status.code)>
            <p class="message">
                {(!status.reason.is_empty()).then(|| view! { <strong>{status.reason.clone()}</strong>" " })}
                {status.message.clone()}
            </p>
            {(!status.details.causes.is_empty()).then(|| view! { <ul>{causes}</ul> })}
            <p class="advice">
                {advice}
                {(retry > 0).then(|| format!(" {}", messages::retry_after(retry)))}
            </p>
        </div>
    }
    .part()
}

fn show_event(letter: &str, event: &Event) -> Part {
    let body = match Document::parse(&event.text) {
        Some(document) => view! { <Tree document=document label=messages::ANSWER /> }.part(),
        None => show_raw(&event.text),
    };
    view! {
        <div class="answer-head">
            <span class=format!("event-type {}", event.kind.class())>{event.kind.name()}</span>
            {(!event.version.is_empty()).then(|| view! { <Version version=event.version.clone() /> })}
            <span class="asked">{messages::watch_title(letter)}</span>
        </div>
        {event.status.as_deref().map(show_failure)}
        <div class="panel scroll">{body}</div>
    }
    .part()
}

fn show_headers(headers: &[(String, String)]) -> Part {
    let rows = headers
        .iter()
        .map(|(name, value)| {
            view! {
                <tr>
                    <th scope="row">{name.clone()}</th>
                    <td>{value.clone()}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="mono">
            <thead>
                <tr>
                    <th scope="col">{messages::HEADER_NAME}</th>
                    <th scope="col">{messages::HEADER_VALUE}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .part()
}

fn show_raw(bytes: &[u8]) -> Part {
    let head = &bytes[..bytes.len().min(RAW)];
    let cut = bytes.len() - head.len();
    let rest = (cut > 0).then(|| view! { <p class="quiet">"… "{messages::size(cut)}</p> });
    match std::str::from_utf8(bytes) {
        Ok(_) => view! { <pre class="raw">{String::from_utf8_lossy(head).into_owned()}</pre>{rest} }.part(),
        Err(_) => {
            let hex: String = head.chunks(16).map(hex_line).collect();
            view! {
                <p class="quiet">{messages::ANSWER_BINARY}</p>
                <pre class="raw">{hex}</pre>
                {rest}
            }
            .part()
        }
    }
}

fn hex_line(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let text: String =
        bytes.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '·' }).collect();
    format!("{:<48} {text}\n", hex.join(" "))
}

#[component]
fn Copy(text: String) -> impl IntoView {
    let page = expect_context::<Page>();
    let text = StoredValue::new(text);
    view! {
        <button
            type="button"
            on:click=act(move |_| {
                text.with_value(|text| dom::copy(text));
                page.say(messages::COPIED);
            })
        >
            {messages::COPY}
        </button>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_as_a_hex_dump() {
        assert_eq!(hex_line(b"k8s\0\xff"), format!("{:<48} k8s··\n", "6b 38 73 00 ff"));
    }
}
