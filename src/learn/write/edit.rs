//! The text of a document, to be changed.

use document::lesson::Problem;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::share;
use crate::kept::export;
use crate::learn::reader::Reader;
use crate::learn::source;
use crate::state::address;
use crate::ui::dom;
use crate::ui::messages::learn;
use crate::ui::messages::write as words;
use crate::ui::part::{IntoPart, Part, act, each, flag, text};

/// How long nothing is typed before the text is looked at, in milliseconds.
const PAUSE: i32 = 300;

/// Shows the text of a document in a field.
pub(crate) fn show(reader: Reader) -> Part {
    let source = reader.source.get_value();
    let (before, now) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let (problems, said) = (RwSignal::new(Vec::<Problem>::new()), RwSignal::new(String::new()));
    let node = NodeRef::<html::Textarea>::new();
    let look = move || problems.set(now.with_untracked(|text| found(reader, text)));
    {
        let source = source.clone();
        spawn_local(async move {
            match source::text(&source).await {
                Ok(text) => {
                    before.set(text.clone());
                    now.set(text);
                    look();
                    if let Some(field) = node.get_untracked() {
                        let _ = field.focus();
                        let _ = field.set_selection_range(0, 0);
                    }
                }
                Err(why) => said.set(why),
            }
        });
    }
    let typed = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        now.set(text.clone());
        spawn_local(async move {
            dom::sleep(PAUSE).await;
            if now.try_with_untracked(|now| *now == text) == Some(true) {
                look();
            }
        });
    };
    let (shown, carried) = (source.clone(), source.clone());
    let open = move || {
        if now.with_untracked(|now| before.with_untracked(|before| now == before)) {
            return reader.edits.set(false);
        }
        match source::keep_again(&shown, &now.get_untracked()) {
            Ok(source) => address::open(Some(&source)),
            Err(why) => said.set(why),
        }
    };
    let by_key = open.clone();
    let save = move |_| export::save(source::name(&source), now.get_untracked().as_bytes());
    let copy = move |_| {
        let name = source::name(&carried).to_owned();
        spawn_local(async move {
            let copied = share::copy_whole(&name, &now.get_untracked()).await;
            said.set(copied.err().unwrap_or_else(|| words::COPIED.to_owned()));
        });
    };
    let keys = move || (0..problems.with(Vec::len) as u64).collect();
    let problem = move |key: u64| {
        let of = move || problems.with(|all| all.get(key as usize).cloned());
        let told =
            move || of().map(|problem| words::problem(problem.line, &problem.text)).unwrap_or_default();
        let go = move |_| {
            if let (Some(problem), Some(field)) = (untrack(of), node.get_untracked()) {
                let (from, to) = now.with_untracked(|text| place(text, problem.line));
                let _ = field.focus();
                let _ = field.set_selection_range(from, to);
            }
        };
        view! { <li><button type="button" on:click=act(go)>{text(told)}</button></li> }.part()
    };
    view! {
        <div class="learn-edit">
            <textarea
                node_ref=node
                spellcheck="false"
                autocapitalize="off"
                wrap="off"
                aria-label=words::TEXT
                prop:value=text(move || now.get())
                on:input=act(typed)
                on:keydown=act(move |event: web_sys::KeyboardEvent| {
                    if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                        event.prevent_default();
                        event.stop_propagation();
                        by_key();
                    }
                })
            ></textarea>
            <div class="learn-problems" role="status">
                <p class="quiet" hidden=flag(move || problems.with(|all| !all.is_empty()))>{words::RIGHT}</p>
                <ul>{each(keys, problem)}</ul>
                <p>{text(move || said.get())}</p>
            </div>
            <div class="learn-tools">
                <button type="button" class="primary" title=words::SHOW_ABOUT on:click=act(move |_| open())>{words::SHOW}</button>
                <button type="button" on:click=act(save)>{words::SAVE}</button>
                <button type="button" title=words::COPY_ABOUT on:click=act(copy)>{words::COPY}</button>
                <button type="button" on:click=act(move |_| reader.edits.set(false))>{words::DISCARD}</button>
            </div>
        </div>
    }
    .part()
}

/// Returns what of a document cannot be read.
fn found(reader: Reader, text: &str) -> Vec<Problem> {
    let Some(document) = (reader.parse)(text) else {
        return vec![Problem { line: 1, text: learn::TOO_LARGE.to_owned() }];
    };
    let running = reader.running.get_untracked();
    running.map(|running| (running.problems)(document)).unwrap_or_default()
}

/// Returns where a line begins and ends, in the units of a field's selection (UTF-16).
fn place(text: &str, line: usize) -> (u32, u32) {
    let units = |text: &str| text.encode_utf16().count() as u32;
    let mut begin = 0;
    for (number, content) in text.split('\n').enumerate() {
        let length = units(content);
        if number + 1 == line.max(1) {
            return (begin, begin + length);
        }
        begin += length + 1;
    }
    (begin, begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_field() {
        let text = "a\n𝔸é\n\nb";
        assert_eq!(
            [0, 1, 2, 3, 4, 9].map(|line| place(text, line)),
            [(0, 1), (0, 1), (2, 5), (6, 6), (7, 8), (9, 9)]
        );
    }
}
