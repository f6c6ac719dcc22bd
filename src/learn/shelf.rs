//! The lessons and documents that can be opened.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::host::Host;
use crate::learn::lessons::{self, Listed, Section};
use crate::learn::source;
use crate::state::{Dialog, Page, address};
use crate::ui::dom;
use crate::ui::messages::learn as words;
use crate::ui::messages::lesson::Language;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};

/// Shows which documents can be opened; `why` the one that was asked for could not.
pub(crate) fn show(page: Page, why: Option<String>) -> Part {
    let (url, pasted, said) =
        (RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(why));
    let is_tab = page.host.with_value(|host| *host == Host::Tab);
    let keep = move |name: &str, text: &str| match source::keep(name, text) {
        Ok(source) => address::open(Some(&source)),
        Err(why) => said.set(Some(why)),
    };
    let chosen = move |event: web_sys::Event| {
        let Some(file) = dom::chosen_file(&event) else { return };
        spawn_local(async move {
            let bytes = dom::read_file(&file).await.unwrap_or_default();
            match std::str::from_utf8(&bytes) {
                Ok(text) if !text.contains('\0') => keep(&file.name(), text),
                _ => said.set(Some(words::no_text(&file.name()))),
            }
        });
    };
    let open_url = move || {
        let url = url.get_untracked().trim().to_owned();
        if !url.is_empty() {
            address::open(Some(&url));
        }
    };
    let owns = source::OWNS.into_iter().map(|name| {
        let (title, about) = words::own(name);
        view! {
            <li>
                <button type="button" class="learn-own" on:click=act(move |_| address::open(Some(&source::own(name, lessons::language()))))>
                    <strong>{title}</strong>
                    <span>{about}</span>
                </button>
            </li>
        }
        .part()
    });
    view! {
        <div class="learn-head"><h2 id="learn-title">{words::TITLE}</h2></div>
        <div class="learn-shelf scroll" tabindex="0">
            {(!is_tab).then(|| view! { <p>{words::IN_TAB}</p> }.part())}
            <p class="browse-refusal" role="alert" hidden=flag(move || said.with(Option::is_none))>{live(move || said.get())}</p>
            {all_lessons()}
            <h3>{words::DOCUMENTS}</h3>
            <p>{words::ABOUT}</p>
            <ul class="learn-owns">{owns.collect_view()}</ul>
            <h3>{words::ANY}</h3>
            <p>{words::ANY_ABOUT}</p>
            <form class="learn-open" on:submit=act(move |event: web_sys::SubmitEvent| {
                event.prevent_default();
                open_url();
            })>
                <input
                    type="text"
                    inputmode="url"
                    aria-label=words::URL
                    placeholder=words::URL_HINT
                    prop:value=text(move || url.get())
                    on:input=act(move |event| url.set(event_target_value(&event)))
                />
                <button type="submit" class="primary">{words::OPEN_URL}</button>
                <label class="file">
                    {words::FILE}
                    <input type="file" class="unseen" accept=".md,.markdown,.txt,text/*" on:change=act(chosen) />
                </label>
            </form>
            <textarea
                rows="6"
                aria-label=words::PASTE
                placeholder=words::PASTE
                prop:value=text(move || pasted.get())
                on:input=act(move |event| pasted.set(event_target_value(&event)))
            ></textarea>
            <p>
                <button
                    type="button"
                    disabled=flag(move || pasted.with(|text| text.trim().is_empty()))
                    on:click=act(move |_| keep(words::PASTED_NAME, &pasted.get_untracked()))
                >
                    {words::OPEN_PASTED}
                </button>
                " "
                {is_tab.then(|| view! {
                    <button type="button" title=words::WRITE_ABOUT on:click=act(move |_| page.dialog.set(Some(Dialog::Draft)))>
                        {words::WRITE}
                    </button>
                }.part())}
            </p>
        </div>
    }
    .part()
}

/// Shows the lessons, in a language that can be chosen.
fn all_lessons() -> Part {
    let (list, language) = (lessons::load(), lessons::languages());
    let choose = move |event: web_sys::Event| {
        if let Some(chosen) = Language::of(&event_target_value(&event)) {
            lessons::choose(chosen);
        }
    };
    let options = Language::ALL.into_iter().map(|one| {
        view! { <option value=one.code() selected=flag(move || language.get() == one)>{one.name()}</option> }.part()
    });
    let options = options.collect_view();
    let count = move || {
        list.with(|list| {
            let sections = list.as_ref()?.as_ref()?;
            let all = sections.iter().flat_map(Section::lessons);
            let (done, all) = all
                .fold((0, 0), |(done, all), one| (done + usize::from(lessons::is_done(one.name())), all + 1));
            Some(language.get().words().lessons(done, all))
        })
    };
    let shown = move || {
        let words = language.get().words();
        list.with(|list| match list {
            None => ().part(),
            Some(None) => view! { <p>{words.not_listed}</p> }.part(),
            Some(Some(sections)) => {
                sections.iter().map(|section| section_of(section, language.get())).collect_view().part()
            }
        })
    };
    view! {
        <div class="lessons-head" lang=text(move || language.get().code())>
            <h3>{text(move || language.get().words().title)}</h3>
            <span>{live(count)}</span>
            <select translate="no" aria-label=text(move || language.get().words().language) on:change=act(choose)>{options}</select>
        </div>
        <p lang=text(move || language.get().code())>{text(move || language.get().words().about)}</p>
        <div class="lessons" lang=text(move || language.get().code())>{live(shown)}</div>
    }
    .part()
}

fn section_of(section: &Section, language: Language) -> Part {
    let rows = section.lessons().map(|lesson| row(lesson, language)).collect_view();
    view! {
        <section>
            <h4>{section.title(language)}</h4>
            <ul class="learn-owns">{rows}</ul>
        </section>
    }
    .part()
}

fn row(lesson: Listed<'_>, language: Language) -> Part {
    let (title, about) = lesson.words(language);
    let source = lesson.source(language);
    let done = lessons::is_done(lesson.name())
        .then(|| view! { <em class="lesson-done">{language.words().done}</em> }.part());
    view! {
        <li>
            <button type="button" class="learn-own" on:click=act(move |_| address::open(Some(&source)))>
                <strong>{title}{done}</strong>
                <span>{about}</span>
            </button>
        </li>
    }
    .part()
}
