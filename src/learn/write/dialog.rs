//! The dialog in which a document or a lesson is made of what was sent.

use document::draft::{CHINESE, Draft, ENGLISH};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::done::{self, Row};
use super::share;
use crate::kept::export;
use crate::learn::{lessons, source};
use crate::model::watch::short;
use crate::shell::help::opens_with;
use crate::state::{Dialog, Page, address, pinned};
use crate::ui::messages;
use crate::ui::messages::lesson::Language;
use crate::ui::messages::write as words;
use crate::ui::part::{IntoPart, Part, act, each, flag, text};
use crate::widgets::check::check;

/// The choices in the dialog. A handle: all copies are the same.
#[derive(Clone, Copy)]
struct Choice {
    page: Page,
    rows: RwSignal<Vec<Row>>,
    is_lesson: RwSignal<bool>,
    title: RwSignal<String>,
    about: RwSignal<String>,
    only_used: RwSignal<bool>,
    /// The row that was clicked last.
    last: RwSignal<usize>,
    said: RwSignal<String>,
}

/// Shows the dialog, while it is open.
pub(crate) fn show() -> Part {
    let page = expect_context::<Page>();
    let node = NodeRef::<html::Dialog>::new();
    let choice = Choice {
        page,
        rows: RwSignal::new(Vec::new()),
        is_lesson: RwSignal::new(false),
        title: RwSignal::new(String::new()),
        about: RwSignal::new(String::new()),
        only_used: RwSignal::new(true),
        last: RwSignal::new(0),
        said: RwSignal::new(String::new()),
    };
    opens_with(node, page, Dialog::Draft);
    Effect::new(move |_| {
        if page.dialog.get() == Some(Dialog::Draft) {
            begin(choice);
        }
    });
    let is_empty = flag(move || !choice.rows.with(|rows| rows.iter().any(|row| row.is_taken)));
    view! {
        <dialog node_ref=node class="draft" aria-labelledby="draft-title" on:close=act(move |_| {
            if page.dialog.get_untracked() == Some(Dialog::Draft) {
                page.dialog.set(None);
            }
        })>
            <h2 id="draft-title">{words::TITLE}</h2>
            <p class="quiet">{words::ABOUT}</p>
            {about(choice)}
            {requests(choice)}
            {check(words::ONLY_USED, "", choice.only_used)}
            <p class="bad" role="alert">{text(move || choice.said.get())}</p>
            <div class="draft-tools">
                <button type="button" class="primary" title=words::OPEN_ABOUT disabled=is_empty on:click=act(move |_| write(choice, open))>
                    {words::OPEN}
                </button>
                <button type="button" disabled=is_empty on:click=act(move |_| write(choice, save))>{words::SAVE}</button>
                <button type="button" title=words::COPY_ABOUT disabled=is_empty on:click=act(move |_| write(choice, copy))>
                    {words::COPY}
                </button>
                <form method="dialog">
                    <button>{messages::CLOSE}</button>
                </form>
            </div>
        </dialog>
    }
    .part()
}

/// Begins with what was sent, or with what was recorded.
fn begin(choice: Choice) {
    let from = choice.page.teaches.try_update(Option::take).flatten();
    let words = lessons::language().words();
    choice.rows.set(done::rows(choice.page, &pinned::remembered(), from.unwrap_or_default()));
    choice.is_lesson.set(from.is_some());
    choice.title.set(words.written.to_owned());
    choice.about.set(String::new());
    choice.said.set(String::new());
}

/// Shows what it becomes, and what it is called.
fn about(choice: Choice) -> Part {
    let kind = move |lesson: bool, name: &'static str, about: &'static str| {
        view! {
            <label class="check" title=about>
                <input
                    type="radio"
                    name="draft-kind"
                    prop:checked=flag(move || choice.is_lesson.get() == lesson)
                    on:change=act(move |_| choice.is_lesson.set(lesson))
                />
                {name}
            </label>
        }
        .part()
    };
    let said = move || if choice.is_lesson.get() { words::LESSON_ABOUT } else { words::DOCUMENT_ABOUT };
    view! {
        <fieldset class="draft-kind">
            <legend class="unseen">{words::KIND}</legend>
            {kind(false, words::DOCUMENT, words::DOCUMENT_ABOUT)}
            {kind(true, words::LESSON, words::LESSON_ABOUT)}
        </fieldset>
        <p class="quiet">{text(said)}</p>
        <div class="draft-names">
            <label>
                <span>{words::NAME}</span>
                <input
                    type="text"
                    autofocus=true
                    prop:value=text(move || choice.title.get())
                    on:input=act(move |event| choice.title.set(event_target_value(&event)))
                />
            </label>
            <label hidden=flag(move || !choice.is_lesson.get())>
                <span>{words::PURPOSE}</span>
                <input
                    type="text"
                    placeholder=words::PURPOSE_HINT
                    prop:value=text(move || choice.about.get())
                    on:input=act(move |event| choice.about.set(event_target_value(&event)))
                />
            </label>
        </div>
    }
    .part()
}

/// Shows the requests, of which some are taken.
fn requests(choice: Choice) -> Part {
    let rows = choice.rows;
    let keys = move || (0..rows.with(Vec::len) as u64).collect();
    let pick = move |name: &'static str, fits: fn(&Row) -> bool| {
        let pick = move |_| rows.update(|rows| rows.iter_mut().for_each(|row| row.is_taken = fits(row)));
        view! { <button type="button" on:click=act(pick)>{name}</button> }.part()
    };
    let counted =
        move || rows.with(|rows| words::taken(rows.iter().filter(|row| row.is_taken).count(), rows.len()));
    view! {
        <div class="draft-head">
            <h3 id="draft-requests">{words::REQUESTS}</h3>
            <span class="quiet" role="status">{text(counted)}</span>
            {pick(words::ALL, |_| true)}
            {pick(words::NONE, |_| false)}
            <span hidden=flag(move || !rows.with(|rows| rows.iter().any(|row| row.is_pinned)))>
                {pick(words::PINNED, |row| row.is_pinned)}
            </span>
        </div>
        <p class="quiet" hidden=flag(move || !rows.with(Vec::is_empty))>{words::NOT_SENT}</p>
        <ul class="draft-rows" aria-labelledby="draft-requests" title=words::RANGE>
            {each(keys, move |key| row(choice, key as usize))}
        </ul>
    }
    .part()
}

fn row(choice: Choice, at: usize) -> Part {
    let rows = choice.rows;
    let of = move |is: fn(&Row) -> bool| flag(move || rows.with(|rows| rows.get(at).is_some_and(is)));
    let told = move |tell: fn(&Row) -> String| {
        text(move || rows.with(|rows| rows.get(at).map(tell)).unwrap_or_default())
    };
    let take = move |event: web_sys::MouseEvent| {
        let first = if event.shift_key() { choice.last.get_untracked() } else { at };
        rows.update(|rows| {
            let taken = rows.get(at).is_some_and(|row| !row.is_taken);
            let range = first.min(at)..=first.max(at);
            rows.get_mut(range).into_iter().flatten().for_each(|row| row.is_taken = taken);
        });
        choice.last.set(at);
    };
    let turn = move |_| {
        rows.update(|rows| rows.get_mut(at).into_iter().for_each(|row| row.is_step = !row.is_step));
    };
    let is_step = of(|row| row.is_step);
    view! {
        <li>
            <label class="check">
                <input
                    type="checkbox"
                    aria-label=told(|row| [&row.request.method, " ", &row.request.target].concat())
                    prop:checked=of(|row| row.is_taken)
                    on:click=act(take)
                />
                <span class="method">{told(|row| row.request.method.clone())}</span>
                <span class="name mono">{told(|row| short(&row.request.target))}</span>
                <span class="code">{told(|row| if row.status == 0 { "–".to_owned() } else { row.status.to_string() })}</span>
            </label>
            <button
                type="button"
                hidden=flag(move || !choice.is_lesson.get())
                disabled=flag(move || !rows.with(|rows| rows.get(at).is_some_and(|row| row.is_taken)))
                aria-pressed=text(move || is_step.get().to_string())
                on:click=act(turn)
            >
                {words::STEP}
            </button>
        </li>
    }
    .part()
}

/// Writes the document, and does something with its file's name and its text.
fn write(choice: Choice, then: fn(Choice, &str, &str)) {
    spawn_local(async move {
        match written(choice).await {
            Ok((name, text)) => then(choice, &name, &text),
            Err(why) => choice.said.set(why),
        }
    });
}

async fn written(choice: Choice) -> Result<(String, String), String> {
    let mut rows = choice.rows.get_untracked();
    rows.retain(|row| row.is_taken);
    if rows.is_empty() {
        return Err(words::NOTHING.to_owned());
    }
    // A lesson in which nothing is to be done is none.
    if !rows.iter().any(|row| row.is_step) {
        rows.iter_mut().for_each(|row| row.is_step = true);
    }
    let language = lessons::language();
    let (done, revision) = done::done(choice.page, &rows);
    let objects = done::objects(choice.page, revision.unwrap_or(u64::MAX)).await?;
    let or = |text: String, other: &str| if text.trim().is_empty() { other.to_owned() } else { text };
    let title = or(choice.title.get_untracked(), language.words().written);
    let about = choice.is_lesson.get_untracked().then(|| or(choice.about.get_untracked(), &title));
    let name = [&file(&title), ".md"].concat();
    let words = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    let only_used = choice.only_used.get_untracked();
    Ok((name, Draft { title, about, revision, objects, only_used, done, words }.markdown()))
}

/// Returns the name of a file for a title.
fn file(title: &str) -> String {
    let parts = title.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let name = parts.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    if name.is_empty() { words::FILE.to_owned() } else { name }
}

fn open(choice: Choice, name: &str, text: &str) {
    match source::keep(name, text) {
        Ok(source) => address::open(Some(&source)),
        Err(why) => choice.said.set(why),
    }
}

fn save(choice: Choice, name: &str, text: &str) {
    export::save(name, text.as_bytes());
    choice.said.set(String::new());
}

fn copy(choice: Choice, name: &str, text: &str) {
    let (name, text) = (name.to_owned(), text.to_owned());
    spawn_local(async move {
        match share::copy_whole(&name, &text).await {
            Ok(()) => {
                choice.page.say(words::COPIED);
                choice.page.dialog.set(None);
            }
            Err(why) => choice.said.set(why),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let check = |title: &str, expected: &str| assert_eq!(file(title), expected);
        check("A conflict: two managers", "a-conflict-two-managers");
        check("冲突 1", "冲突-1");
        check("../..", words::FILE);
    }
}
