//! A block of a document: its text, what can be done with it, and what came of it.

use document::block::{Block, Content, Role};
use document::http::Exchange;
use leptos::prelude::*;

use super::chunk;
use super::reader::{Reader, Stands};
use crate::cluster::Request;
use crate::state::Page;
use crate::ui::later::later;
use crate::ui::messages::learn as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, maybe, text};

/// Shows a block.
pub(crate) fn show(page: Page, reader: Reader, number: usize, block: &Block) -> Part {
    let source = block.text.trim_end_matches('\n').to_owned();
    let is_of_lesson = matches!(block.content, Content::Question | Content::Hint | Content::Check);
    if is_of_lesson || block.role != Role::Example {
        return later(chunk::teaching, || ().part(), move |teaching| (teaching.step)(reader, number));
    }
    if !block.runs() {
        let why = match &block.content {
            Content::Text(Some(why)) => Some(why.to_string()),
            Content::Response(_) => Some(words::RESPONSE.to_owned()),
            _ => None,
        };
        return view! {
            <pre tabindex="0"><code>{source}</code></pre>
            {why.map(|why| view! { <p class="learn-why">{why}</p> }.part())}
        }
        .part();
    }
    let runs = move || reader.stands.with(|stands| *stands == Stands::Running(number));
    let first = first_request(block);
    let tools = move || {
        if let Some(why) = reader.refused.with(|refused| refused.get(&number).cloned()) {
            return view! { <p class="learn-why">{why}</p> }.part();
        }
        let open = first.clone().map(|request| {
            view! {
                <button
                    type="button"
                    title=words::OPEN_ABOUT
                    on:click=act(move |_| page.open_request(&request))
                >
                    {words::OPEN}
                </button>
            }
            .part()
        });
        view! {
            <button
                type="button"
                class="primary"
                disabled=flag(move || !reader.is_quiet())
                on:click=act(move |_| reader.run(vec![number]))
            >
                {text(move || if runs() { words::RUNS } else { words::RUN })}
            </button>
            <button
                type="button"
                title=words::RUN_TO_ABOUT
                disabled=flag(move || !reader.is_quiet())
                on:click=act(move |_| reader.run(untrack(|| reader.runnable(Some(number)))))
            >
                {words::RUN_TO}
            </button>
            {open}
        }
        .part()
    };
    let came = live(move || {
        let show = reader.running.get()?.show;
        reader.ran.with(|ran| ran.get(&number).map(|ran| show(page, ran)))
    });
    view! {
        <div class="learn-block" data-runs=maybe(move || runs().then_some("true"))>
            <pre tabindex="0"><code>{source}</code></pre>
            <div class="learn-tools">{live(tools)}</div>
            {came}
        </div>
    }
    .part()
}

/// Returns the request that a block writes out, if it is one.
fn first_request(block: &Block) -> Option<Request> {
    let Content::Http(exchanges) = &block.content else { return None };
    let Exchange { method, target, headers, body, .. } = exchanges.first()?.clone();
    let prose = body.starts_with('…') || body.starts_with("...");
    let body = if prose { String::new() } else { body };
    Some(Request { method, target, headers, body, ..Request::default() })
}
