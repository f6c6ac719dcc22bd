//! An opened row of the waterfall: the sentence, what was sent and came back, and what can be done with it.

use bytes::Bytes;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::trace::{Exchange, Outcome};
use crate::model::request::command::curl;
use crate::timeline::waterfall::stage::Stage;
use crate::ui::memo::Memo;
use crate::ui::messages::waterfall as said;
use crate::ui::part::{IntoPart, Part, act, live};
use crate::ui::{dom, messages};
use crate::widgets::compare::{self, Comparison};

/// The id of the open row's panel.
pub(super) const ID: &str = "request-opened";

/// The content that an open row shows beneath itself.
#[component]
pub(super) fn Opened(id: u64, stage: Stage) -> impl IntoView {
    let came = Memo::new(move |_| stage.read(|rows| rows.get(id).map(|row| row.came)));
    let comparison = RwSignal::new(Comparison::No);
    let content = move || {
        came.get();
        let row = untrack(|| stage.row(id))?;
        let exchange = stage.exchange(id)?;
        let copied = exchange.request.clone();
        let again = exchange.request.clone();
        let page = stage.page;
        let body = json(&exchange).map(|body| (exchange.request.clone(), body));
        let compare = body.map(|(request, body)| {
            let measure = act(move |_| compare::measure(page, comparison, request.clone(), body.clone()));
            view! { <button type="button" on:click=measure>{said::COMPARE}</button> }
        });
        Some(view! {
            <p class="why">{row.sentence}</p>
            <div class="does">
                <button type="button" on:click=act(move |_| stage.show(id))>{said::SHOW_ANSWER}</button>
                <button type="button" on:click=act(move |_| page.resend(again.clone()))>{said::SEND_AGAIN}</button>
                <button
                    type="button"
                    on:click=act(move |_| {
                        dom::copy(&curl(&copied));
                        page.say(messages::COPIED);
                    })
                >
                    {said::CURL}
                </button>
                {compare}
            </div>
            {live(move || compare::show(&comparison.get(), None))}
            <div class="both">
                {sent(&exchange.request)}
                {came_back(&exchange)}
            </div>
        })
    };
    view! {
        <div role="row" class="opened" id=ID>
            <div role="cell" aria-colspan="7">{live(content)}</div>
        </div>
    }
    .part()
}

/// The body of an answer that can be written in another media type, as far as can be told from here.
fn json(exchange: &Exchange) -> Option<Bytes> {
    let Outcome::Answered(reply) = &exchange.outcome else { return None };
    reply.body.clone().filter(|body| exchange.stream.is_none() && body.first() == Some(&b'{'))
}

fn sent(request: &Request) -> Part {
    let first = [&request.method, " ", &request.target].concat();
    let size = request.bytes().len();
    let body = (size > 0).then(|| messages::size(size));
    headers(said::SENT, first, &request.headers, body)
}

fn came_back(exchange: &Exchange) -> Part {
    match &exchange.outcome {
        Outcome::Answered(reply) => {
            let status =
                [&reply.status.to_string(), " ", crate::cluster::status::words(reply.status)].concat();
            let size = exchange.stream.as_ref().map_or(reply.size, |stream| stream.bytes);
            headers(said::CAME, status, &reply.headers, Some(messages::size(size)))
        }
        Outcome::Failed(why) => headers(said::CAME, why.clone(), &[], None),
        Outcome::Pending => headers(said::CAME, said::WAITING.to_owned(), &[], None),
    }
}

fn headers(title: &'static str, first: String, headers: &[(String, String)], size: Option<String>) -> Part {
    let lines = headers.iter().map(|(name, value)| {
        view! { <li><span class="figure">{name.clone()}": "</span>{value.clone()}</li> }
    });
    view! {
        <div>
            <h3>{title}</h3>
            <ul class="mono">
                <li>{first}</li>
                {lines.collect_view()}
                <li class="figure">{size}</li>
            </ul>
        </div>
    }
    .part()
}
