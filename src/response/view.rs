//! The answer pane.

use ::bytes::Bytes;
use apimachinery::target;
use leptos::prelude::*;
use protocol::trace::Source;

use super::chunk::{self, Explanations};
use super::raw::show_raw;
use super::tree::{Finder, Handle};
use crate::access::view as decided;
use crate::change::going;
use crate::cluster::status::{self, Status};
use crate::cluster::trace::{Exchange, Origin, Outcome, Reply};
use crate::cluster::{Which, documents};
use crate::explore::offer;
use crate::model::views::View;
use crate::response::fold::Document;
use crate::response::table::{self, Table};
use crate::response::tree::Tree;
use crate::state::past;
use crate::state::{Page, Shown};
use crate::timeline::past::view as then;
use crate::ui::later::{later, soon};
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, flag, live, maybe, quiet, text};
use crate::ui::tabs::{Tab, Tabs};
use crate::ui::{dom, messages, warnings};
use crate::widgets::version::Version;

/// The length from which a text is read in a turn of its own, in bytes.
const LONG: usize = 1_000_000;

/// The tabs: the body, who owns its fields, the body against another one, its bytes, what else it could be, the headers, and the body
/// as it came.
const TABS: &[Tab] = &[
    ("tab-body", messages::TAB_BODY),
    ("tab-owners", messages::TAB_OWNERS),
    ("tab-difference", messages::TAB_DIFFERENCE),
    ("tab-bytes", messages::TAB_BYTES),
    ("tab-representations", messages::TAB_REPRESENTATIONS),
    ("tab-headers", messages::TAB_HEADERS),
    ("tab-raw", messages::TAB_RAW),
];
const BODY: usize = 0;
/// The tab of the field managers: who owns what.
pub(crate) const OWNERS: usize = 1;
const DIFFERENCE: usize = 2;
const BYTES: usize = 3;
const REPRESENTATIONS: usize = 4;
const HEADERS: usize = 5;

/// Shows the response.
#[component]
pub(crate) fn Answer() -> impl IntoView {
    let page = expect_context::<Page>();
    let tab = page.change.tab;
    provide_context(Finder(find));
    let content = move || match page.shown.get() {
        Shown::Nothing => quiet(messages::ANSWER_EMPTY),
        Shown::Exchange(id, _) => {
            let exchange = untrack(|| page.read(|model| model.trace.get(id).cloned()));
            exchange.map_or_else(|| quiet(messages::ANSWER_DROPPED), |exchange| show_at(page, exchange, tab))
        }
        Shown::Trial => {
            let tried = untrack(|| page.change.trial.get());
            match tried {
                Some(tried) => explained(move |known| (known.trial)(page, &tried)),
                None => quiet(messages::ANSWER_EMPTY),
            }
        }
        Shown::Policy => explained(move |known| (known.policy)(page)),
        Shown::Manifest => later(page.chunks().more, || ().part(), move |more| (more.manifest)(page)),
        Shown::Event(watch, row) => explained(move |known| (known.event)(page, watch, row)),
    };
    view! {
        <h2 id="answer-title" class="unseen">{messages::ANSWER}</h2>
        {live(content)}
    }
    .part()
}

/// Shows what is seldom shown. Its code is loaded when it is first needed.
fn explained(show: impl Fn(Explanations) -> Part + Send + 'static) -> Part {
    later(chunk::explanations, || ().part(), show)
}

fn find(tree: Handle) -> Part {
    later(chunk::explanations, || ().part(), move |known| (known.find)(tree))
}

fn of_answer(page: Page, exchange: &Exchange, status: Status) -> Part {
    let exchange = exchange.clone();
    explained(move |known| (known.of_answer)(page, &exchange, status.clone()))
}

fn of_bytes(content_type: String, bytes: Bytes, json: Option<Bytes>, intro: String) -> Part {
    explained(move |known| (known.bytes)(&content_type, bytes.clone(), json.clone(), intro.clone()))
}

/// An exchange, as it would have gone at the revision that the page shows.
fn show_at(page: Page, mut exchange: Exchange, tab: RwSignal<usize>) -> Part {
    let head = match page.at.get() {
        Some(at) => {
            let (known, standing) = past::known(page, &exchange, at);
            exchange = known;
            standing.map(|standing| then::banner(page, standing, at))
        }
        None => then::unkept(page),
    };
    (head, show_exchange(page, &exchange, tab)).part()
}

fn show_exchange(page: Page, exchange: &Exchange, tab: RwSignal<usize>) -> Part {
    let asked = format!("{} {}", exchange.request.method, exchange.request.target);
    match &exchange.outcome {
        Outcome::Pending => {
            let (id, begun) = (exchange.id, exchange.sent_at);
            view! {
                <div class="answer-head">
                    <span class="status">{messages::ANSWER_WAITING}</span>
                    {explained(move |known| (known.waiting)(page, id, begun))}
                    <span class="asked mono">{asked}</span>
                </div>
            }
            .part()
        }
        Outcome::Failed(told) => view! {
            <div class="answer-head">
                <span class="status bad">{messages::NO_ANSWER}</span>
                <span class="asked mono">{asked}</span>
            </div>
            {of_answer(page, exchange, Status::plain(0, told.clone()))}
        }
        .part(),
        Outcome::Answered(reply) => show_reply(page, asked, exchange, reply, tab),
    }
}

fn show_reply(page: Page, asked: String, exchange: &Exchange, reply: &Reply, tab: RwSignal<usize>) -> Part {
    let bad = reply.status >= 400;
    // What is explained is what the body says, in whatever media type it came.
    let json = reply.json().map(|json| &json[..]);
    let failure = json.filter(|_| bad).and_then(status::failure);
    let failure = failure.or_else(|| {
        let text = String::from_utf8_lossy(reply.body.as_deref().filter(|_| bad)?);
        Some(Status::plain(reply.status, text.trim().chars().take(300).collect()))
    });
    let words = match failure {
        Some(status) => Some(of_answer(page, exchange, status)),
        None if exchange.request.method == "DELETE" => {
            let exchange = exchange.clone();
            reply
                .json()
                .cloned()
                .map(|json| explained(move |known| (known.of_deletion)(page, &exchange, &json).part()))
        }
        None => None,
    };
    let good = reply.json().filter(|_| !bad).cloned();
    let going = good.clone().filter(|json| going::may_be(json)).map(|json| {
        let request = exchange.request.clone();
        explained(move |known| (known.going)(page, &request, &json).part())
    });
    let next = (!bad).then(|| {
        let (request, json) = (exchange.request.clone(), reply.json().cloned());
        let served = reply.served.as_deref().filter(|_| exchange.cluster == Which::ThisTab);
        let wrote = served.and_then(|served| served.wrote.iter().min().copied());
        explained(move |known| (known.next)(page, &request, json.as_deref(), wrote))
    });
    let decided = decided::allowed(page, exchange).or_else(|| {
        decided::is_denied(exchange).then(|| {
            let exchange = exchange.clone();
            explained(move |known| (known.denied)(page, &exchange).part())
        })
    });
    let webhooks = (!exchange.webhooks.first.is_empty()).then(|| {
        let calls = exchange.webhooks.clone();
        explained(move |known| (known.webhooks)(&calls))
    });
    let offer = good.filter(|_| offer::may_be(&exchange.request));
    let offer = offer.map(|json| explained(move |known| (known.offer)(page, &json).part()));
    let path = target::split(&exchange.request.target).0;
    let (body, headers, size) = (reply.body.clone(), reply.headers.clone(), reply.size);
    let copied = reply.body.clone();
    let content_type = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let content_type = content_type.map(|(_, value)| value.clone()).unwrap_or_default();
    let table = reply.json().and_then(|json| Table::parse(json));
    let readable = reply.json().cloned();
    let request = exchange.request.clone();
    let warnings = warnings::show(&headers);
    let sent = request.encoded.as_ref().map(|encoded| {
        let media = request.header("Content-Type").unwrap_or_default();
        view! { <span class="figure">{messages::bytes::sent_as(&messages::size(encoded.len()), media)}</span> }
    });
    let theirs = exchange.origin == Origin::Other;
    let of = (
        exchange.request.method.clone(),
        target::split(&exchange.request.target),
        exchange.request.body.clone(),
    );
    // Whether the form has another request by now.
    let differs = Memo::new(move |_| {
        let now = page.form.watched();
        // Beside a document there is no form.
        let has_form = page.view.get() != View::Learn;
        !theirs && has_form && (now.method, target::split(&now.target), now.body) != of
    });
    let earlier = move || differs.get();
    let id = exchange.id;
    let (streams, watch) = (reply.watch.is_some(), reply.watch.unwrap_or_default());
    let panel = move || match tab.get() {
        HEADERS => show_headers(&headers),
        _ if streams => view! { <Stream watch=watch /> }.part(),
        tab => match &body {
            None if theirs => quiet(messages::others::BODY_UNKNOWN),
            None => quiet(messages::ANSWER_DROPPED),
            Some(text) if text.is_empty() => quiet(messages::ANSWER_EMPTY_BODY),
            Some(_) if tab == BODY && table.is_some() => table.clone().map(table::show).part(),
            Some(text) if tab == OWNERS => {
                let (body, path) = (readable.as_ref().unwrap_or(text).clone(), path.to_owned());
                explained(move |known| (known.owned)(&body, &path))
            }
            Some(_) if tab == DIFFERENCE => explained(move |known| (known.against)(page, id)),
            Some(_) if tab == REPRESENTATIONS => {
                let (request, readable) = (request.clone(), readable.clone());
                explained(move |known| (known.representations)(page, request.clone(), readable.clone()))
            }
            Some(text) if tab == BYTES || tab == BODY && documents::is_binary(&content_type) => {
                let binary = documents::is_binary(&content_type);
                let intro = if binary { messages::ANSWER_BINARY } else { messages::bytes::HINT };
                of_bytes(content_type.clone(), text.clone(), None, intro.to_owned())
            }
            // What takes long to read is read in a turn of its own.
            Some(text) if text.len() > LONG => {
                let text = text.clone();
                soon(|| quiet(messages::ANSWER_READING), move || show_text(&text, tab))
            }
            Some(text) => show_text(text, tab),
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
            {sent}
            <span
                class="asked mono"
                class:earlier=flag(earlier)
                data-earlier=messages::EARLIER
                title=maybe(move || earlier().then_some(messages::EARLIER_ABOUT))
            >
                {asked}
            </span>
        </div>
        {decided}
        {warnings}
        {words}
        {webhooks}
        {offer}
        {going}
        {next.map(|next| view! { <div class="next-place">{next}</div> })}
        <div class="tabs-line">
            <Tabs label=messages::ANSWER tabs=TABS chosen=tab />
            {copied.filter(|_| !streams).map(|text| view! { <Copy text=text /> })}
        </div>
        <div class="panel scroll" role="tabpanel" tabindex="0" aria-labelledby=text(move || TABS[tab.get()].0)>
            {live(panel)}
        </div>
    }
    .part()
}

/// A text as a tree that folds, or as it is.
fn show_text(text: &[u8], tab: usize) -> Part {
    match Document::parse(text).filter(|_| tab == BODY) {
        Some(document) => view! { <Tree document=document label=messages::ANSWER /> }.part(),
        None => show_raw(text),
    }
}

/// Shows the layer and the revision that the cluster read a response from.
fn show_source(source: Source) -> Part {
    view! { <span class="figure">{messages::read_from(source.layer)}" "<Version version=source.revision.to_string() /></span> }.part()
}

/// Shows the explanation of a response that is a watch's stream.
#[component]
fn Stream(watch: u64) -> impl IntoView {
    view! {
        <p class="quiet">{messages::ANSWER_STREAM}</p>
        {explained(move |known| (known.of_watch)(watch))}
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

#[component]
fn Copy(text: Bytes) -> impl IntoView {
    let page = expect_context::<Page>();
    let text = StoredValue::new(text);
    view! {
        <button
            type="button"
            on:click=act(move |_| {
                text.with_value(|text| dom::copy(&String::from_utf8_lossy(text)));
                page.say(messages::COPIED);
            })
        >
            {messages::COPY}
        </button>
    }
    .part()
}
