//! The Learn view: which documents there are, and the one that is open.

use document::lesson;
use leptos::html;
use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::chunk;
use crate::learn::reader::{Reader, Stands};
use crate::learn::{block, finish, lessons, link, source};
use crate::state::{Page, address};
use crate::ui::dom;
use crate::ui::later::later;
use crate::ui::messages::learn as words;
use crate::ui::messages::lesson::Language;
use crate::ui::messages::{present, write};
use crate::ui::part::{IntoPart, Part, act, flag, live, text};

/// The part of what is seen of a document that counts as read, from above.
const READ: f64 = 0.5;

/// The document that is open, or those that can be opened.
#[component]
pub(crate) fn Learn() -> impl IntoView {
    let page = expect_context::<Page>();
    if !address::is_open(page) {
        return shelf(page, None);
    }
    let source = address::source().unwrap_or_default();
    let read = RwSignal::new_local(None::<Result<Reader, String>>);
    let owner = Owner::current().unwrap_or_default();
    let asked = source.clone();
    spawn_local(async move {
        let text = source::text(&asked).await;
        let reader = owner.with(|| text.and_then(|text| Reader::read(page, &asked, &text, chunk::running)));
        if reader.is_err() {
            page.begin_for_document(None);
        }
        let _ = read.try_set(Some(reader));
    });
    view! {
        {live(move || match read.get() {
            None => view! { <p class="learn-wait" role="status">{words::LOADING}</p> }.part(),
            Some(Err(why)) => shelf(page, Some(why)),
            Some(Ok(reader)) => open(page, reader, source.clone()),
        })}
    }
    .part()
}

/// Shows what can be opened, once that is there; `why` the document that was asked for could not.
fn shelf(page: Page, why: Option<String>) -> Part {
    later(chunk::shelf, || ().part(), move |show| show(page, why.clone()))
}

/// Shows a document.
fn open(page: Page, reader: Reader, source: String) -> Part {
    let title = reader.document.with_value(|document| document.title.clone());
    let title = if title.is_empty() { source::name(&source).to_owned() } else { title };
    let headings = reader.document.with_value(|document| document.headings.clone());
    let options = headings
        .into_iter()
        .map(|(depth, id, text)| {
            let indent = if depth > 2 { "\u{a0}\u{a0}\u{a0}" } else { "" };
            view! { <option value=id>{[indent, &text].concat()}</option> }.part()
        })
        .collect_view();
    let chosen = move |event: web_sys::Event| {
        let id = event_target_value(&event);
        address::go_on_at(&id);
        link::go_to(&id);
    };
    let share = move |_| page.with(chunk::writing(), Box::new(move |writing| (writing.share)(reader)));
    let play = move |_| page.with(chunk::teaching(), Box::new(move |teaching| (teaching.play)(reader)));
    let steps = reader.document.with_value(|document| lesson::steps(&document.blocks).len());
    let is_lesson = steps > 0;
    let named = source::language(&source);
    let language = named.unwrap_or_else(lessons::language);
    let stands = move || match reader.stands.get() {
        Stands::Preparing => words::PREPARING.to_owned(),
        _ if is_lesson => language.words().steps(reader.done.get(), steps),
        _ => {
            let (all, ran, same) = reader.counts();
            words::counts(all, ran, same)
        }
    };
    let next = is_lesson.then(|| finish::next(reader, steps, &source));
    if is_lesson {
        let owner = Owner::current().unwrap_or_default();
        spawn_local(async move {
            if let Ok(teaching) = chunk::teaching().await {
                owner.with(|| (teaching.follow)(reader));
            }
        });
    }
    view! {
        <div class="learn-head" data-picture=text(move || reader.picture.get())>
            <button type="button" on:click=act(move |_| address::open(None))>{words::BACK}</button>
            <h2 id="learn-title">{title}</h2>
            <select aria-label=words::CONTENTS on:change=act(chosen)>
                <option value="">{words::CONTENTS}</option>
                {options}
            </select>
            <button
                type="button"
                class="primary"
                hidden=is_lesson
                disabled=flag(move || !reader.is_quiet())
                on:click=act(move |_| reader.run(untrack(|| reader.runnable(None))))
            >
                {words::RUN_ALL}
            </button>
            <button type="button" title=words::START_OVER_ABOUT on:click=act(move |_| reader.start_over())>{words::START_OVER}</button>
            <button type="button" class="learn-presents" title=present::PRESENT_ABOUT on:click=act(move |_| reader.presents.set(true))>{present::PRESENT}</button>
            <button type="button" title=write::EDIT_ABOUT aria-pressed=text(move || reader.edits.get().to_string()) on:click=act(move |_| reader.edits.update(|edits| *edits = !*edits))>{write::EDIT}</button>
            <button type="button" title=write::SHARE_ABOUT on:click=act(share)>{write::SHARE}</button>
            <button type="button" title=write::PLAY_ABOUT hidden=!is_lesson || named.is_some() disabled=flag(move || !reader.is_idle()) on:click=act(play)>{write::PLAY}</button>
            <span class="learn-counts" role="status">{text(stands)}</span>
        </div>
        <p class="browse-refusal" role="alert" hidden=flag(move || reader.failed.with(Option::is_none))>
            {live(move || reader.failed.get())}
        </p>
        {live(move || {
            let edits = reader.edits.get();
            edits.then(|| later(chunk::writing, || ().part(), move |writing| (writing.edit)(reader)))
        })}
        {text_of(page, reader, source, named)}
        {next}
        {live(move || {
            let presents = reader.presents.get();
            presents.then(|| later(chunk::teaching, || ().part(), move |teaching| (teaching.present)(reader)))
        })}
    }
    .part()
}

/// Shows the text of a document, with its blocks in their places.
fn text_of(page: Page, reader: Reader, source: String, language: Option<Language>) -> Part {
    let node = NodeRef::<html::Article>::new();
    node.on_load(move |article| {
        let owner = Owner::current().unwrap_or_default();
        reader.document.with_value(|document| {
            // It is made of Markdown by `document::markdown`, which lets no markup of the document through.
            article.set_inner_html(&document.html);
            for (number, content) in document.blocks.iter().enumerate() {
                let selector = format!("[data-block=\"{number}\"]");
                let place = article.query_selector(&selector).ok().flatten();
                let Some(place) = place.and_then(|place| place.dyn_into::<HtmlElement>().ok()) else {
                    continue;
                };
                let _ = place.set_attribute("translate", "yes");
                let shown = owner.with(|| block::show(page, reader, number, content));
                mount_to(place, move || shown).forget();
            }
        });
        let go_on = || address::place().into_iter().for_each(|id| link::go_to(&id));
        go_on();
        dom::listen("popstate", move |_: web_sys::Event| go_on());
    });
    view! {
        <article
            class="learn-text scroll"
            lang=language.map(Language::code)
            translate="no"
            tabindex="0"
            aria-labelledby="learn-title"
            hidden=flag(move || reader.edits.get())
            node_ref=node
            on:click=act(move |event| link::follow(&event, &source))
            on:scroll=act(move |_: web_sys::Event| {
                if let Some(article) = node.get_untracked() {
                    reader.follow(read(&article).into_iter());
                }
            })
        ></article>
    }
    .part()
}

/// Returns the numbers of the blocks that begin in the upper part of what is seen, or before.
fn read(article: &HtmlElement) -> Vec<usize> {
    let end = article.get_bounding_client_rect().top() + f64::from(article.client_height()) * READ;
    let Ok(places) = article.query_selector_all("[data-block]") else { return Vec::new() };
    let places = (0..places.length()).filter_map(|at| places.get(at)?.dyn_into::<HtmlElement>().ok());
    let places = places.take_while(|place| place.get_bounding_client_rect().top() < end);
    places.filter_map(|place| place.get_attribute("data-block")?.parse().ok()).collect()
}
