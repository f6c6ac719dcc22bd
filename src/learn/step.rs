//! The blocks of a lesson: questions, and the field and the check of each step.

use document::block::Content;
use document::lesson::{Question, Step};
use leptos::html;
use leptos::prelude::*;

use super::lesson;
use super::reader::Reader;
use crate::ui::dom;
use crate::ui::messages::lesson::Words;
use crate::ui::part::{IntoPart, Part, act, flag, live, maybe, text};

/// Shows a block that only lessons have. Hints and solutions stand at the step's field, and attempts are for who tests the lesson.
pub(crate) fn show(reader: Reader, number: usize) -> Part {
    let words = lesson::language(reader).words();
    reader.document.with_value(|document| {
        let Some(block) = document.blocks.get(number) else { return ().part() };
        match block.content {
            Content::Question => match Question::read(block) {
                Ok(asked) => question(words, asked),
                Err(problem) => broken(words, &problem.text),
            },
            Content::Check => {
                let steps = lesson::steps(reader);
                match steps.into_iter().enumerate().find(|(_, step)| step.check == number) {
                    Some((place, step)) => field(reader, words, place, &step),
                    None => ().part(),
                }
            }
            _ => ().part(),
        }
    })
}

fn broken(words: &'static Words, why: &str) -> Part {
    view! { <p class="learn-why">{words.broken(why)}</p> }.part()
}

/// Shows a question. Whoever has chosen sees what is right, and why.
fn question(words: &'static Words, question: Question) -> Part {
    let chosen = RwSignal::new(None::<usize>);
    let Question { text: asked, choices, explanation } = question;
    let rights: Vec<bool> = choices.iter().map(|choice| choice.right).collect();
    let choices = choices.into_iter().enumerate().map(|(number, choice)| {
        let right = choice.right;
        let state = move || {
            let chosen = chosen.get()?;
            match right {
                true => Some("right"),
                false if chosen == number => Some("wrong"),
                false => None,
            }
        };
        view! {
            <li>
                <button
                    type="button"
                    data-state=maybe(state)
                    aria-pressed=text(move || (chosen.get() == Some(number)).to_string())
                    on:click=act(move |_| chosen.set(Some(number)))
                >
                    {inline(&choice.text)}
                </button>
            </li>
        }
        .part()
    });
    let choices = choices.collect_view();
    let verdict = live(move || {
        let right = *rights.get(chosen.get()?)?;
        let said = if right { words.right } else { words.wrong };
        Some(view! { <p><strong>{said}</strong>" "{inline(&explanation)}</p> }.part())
    });
    view! {
        <div class="lesson-question">
            <p>{inline(&asked)}</p>
            <ul>{choices}</ul>
            <div role="status">{verdict}</div>
        </div>
    }
    .part()
}

/// Shows the field of a step, in which the reader writes what is to be run, and what its check tells.
fn field(reader: Reader, words: &'static Words, place: usize, step: &Step) -> Part {
    let number = step.check;
    let written = RwSignal::new(String::new());
    let (done, current) = (move || reader.done.get() > place, move || reader.done.get() == place);
    let runs = move || reader.is_running(number);
    let send = move || {
        let text = written.get_untracked();
        if !text.trim().is_empty()
            && let Some(running) = reader.running.get_untracked()
        {
            (running.write)(reader, number, text);
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            event.stop_propagation();
            send();
        }
    };
    let lines = move || written.with(|text| text.lines().count().clamp(2, 16) + 1);
    let hints = texts(reader, &step.hints).into_iter().map(|hint| {
        view! { <details><summary>{words.hint}</summary><p>{inline(hint.trim())}</p></details> }.part()
    });
    let hints = hints.collect_view();
    let solution = (!step.solutions.is_empty()).then(|| solution(reader, words, step));
    let came = live(move || {
        let show = reader.running.get()?.show_folded;
        reader.ran.with(|ran| ran.get(&number).map(|ran| show(reader.page, ran)))
    });
    let told = move || if current() { reader.told.get() } else { None };
    let is_last = place + 1 == lesson::steps(reader).len();
    let untold = move || reader.untold.get() && (current() || is_last && done());
    let node = NodeRef::<html::Div>::new();
    stay(node, done);
    view! {
        <div
            class="lesson-step"
            tabindex="-1"
            node_ref=node
            data-state=text(move || if done() { "done" } else if current() { "current" } else { "locked" })
        >
            <p class="lesson-done" hidden=flag(move || !done())>{words.done}</p>
            <p class="lesson-locked" hidden=flag(move || done() || current())>{words.locked}</p>
            <div hidden=flag(move || !current())>
                <textarea
                    rows=text(move || lines().to_string())
                    spellcheck="false"
                    autocapitalize="off"
                    aria-label=words.field
                    placeholder=words.field_hint
                    prop:value=text(move || written.get())
                    on:input=act(move |event| written.set(event_target_value(&event)))
                    on:keydown=act(keys)
                ></textarea>
                <div class="learn-tools">
                    <button
                        type="button"
                        class="primary"
                        disabled=flag(move || !reader.is_idle() || written.with(|text| text.trim().is_empty()))
                        on:click=act(move |_| send())
                    >
                        {text(move || if runs() { words.runs } else { words.run })}
                    </button>
                </div>
                {hints}
                {solution}
            </div>
            <p class="lesson-told" role="status">
                {live(move || told().map(|told| inline(&told)))}
            </p>
            {came}
            {live(move || untold().then(|| view! { <p class="lesson-untold">{words.untold}</p> }.part()))}
        </div>
    }
    .part()
}

/// Shows the solution of a step, and the button that runs it.
fn solution(reader: Reader, words: &'static Words, step: &Step) -> Part {
    let (number, blocks) = (step.check, step.solutions.clone());
    let shown = texts(reader, &blocks).into_iter();
    let shown = shown.map(|text| view! { <pre tabindex="0">{text.trim_end().to_owned()}</pre> }.part());
    let shown = shown.collect_view();
    view! {
        <details>
            <summary>{words.solution}</summary>
            {shown}
            <button
                type="button"
                disabled=flag(move || !reader.is_idle())
                on:click=act(move |_| {
                    if let Some(running) = reader.running.get_untracked() {
                        (running.solve)(reader, number, blocks.clone());
                    }
                })
            >
                {words.run_solution}
            </button>
        </details>
    }
    .part()
}

/// Moves the focus to the step when its field is removed because the step is done.
fn stay(node: NodeRef<html::Div>, done: impl Fn() -> bool + 'static) {
    Effect::new(move |before: Option<bool>| {
        let done = done();
        let focused = dom::document().active_element();
        let step = node.get_untracked();
        if let Some(step) =
            step.filter(|step| done && before == Some(false) && step.contains(focused.as_deref()))
        {
            let _ = step.focus();
        }
        done
    });
}

/// Returns the texts of blocks.
fn texts(reader: Reader, numbers: &[usize]) -> Vec<String> {
    reader.document.with_value(|document| {
        let blocks = numbers.iter().filter_map(|number| document.blocks.get(*number));
        blocks.map(|block| block.text.clone()).collect()
    })
}

/// Shows a text in which what stands between backticks is code.
fn inline(text: &str) -> Part {
    let parts = text.split('`').enumerate().map(|(number, part)| {
        let part = part.to_owned();
        if number % 2 == 1 { view! { <code>{part}</code> }.part() } else { view! { {part} }.part() }
    });
    parts.collect_view().part()
}
