//! The end of a lesson: what comes next.

use leptos::prelude::*;

use crate::learn::lessons;
use crate::learn::reader::Reader;
use crate::state::address;
use crate::ui::part::{IntoPart, Part, act, flag, live};

/// Shows, when all steps of a lesson are done, which one comes next.
pub(super) fn next(reader: Reader, steps: usize, source: &str) -> Part {
    let Some((language, name)) = lessons::named(source) else { return ().part() };
    let (list, name) = (lessons::load(), name.to_owned());
    let next = move || {
        list.with(|list| {
            let all = list.as_ref()?.as_ref()?.iter().flat_map(lessons::Section::lessons);
            let next = all.skip_while(|lesson| lesson.name() != name).nth(1)?;
            let ((title, _), source) = (next.words(language), next.source(language));
            let label = [language.words().next, ": ", &title].concat();
            let open = act(move |_| address::open(Some(&source)));
            Some(view! { <button type="button" class="primary" on:click=open>{label}</button> }.part())
        })
    };
    let words = language.words();
    view! {
        <div class="lesson-end" lang=language.code() hidden=flag(move || reader.done.get() < steps)>
            <p>{words.finished}</p>
            {live(next)}
        </div>
    }
    .part()
}
