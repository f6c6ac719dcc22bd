//! A policy on trial: what it is tried with, and what came of it.

use leptos::prelude::*;
use protocol::trace::{Considered, Found};

use crate::change::trial::show_difference;
use crate::cluster::Which;
use crate::cluster::trace::Outcome as Became;
use crate::model::messages::change;
use crate::model::messages::policy as words;
use crate::model::policy::outcome::Outcome;
use crate::model::policy::steps::{self, Mark, Row};
use crate::model::policy::{Kind, MADE_UP, NO_PARAMS, STORED, Tried, WRITTEN, example};
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, flag, live, quiet, text};
use crate::ui::{changes, warnings};
use crate::why::view as why;
use crate::widgets::version::Version;

/// How many requests of the history are offered.
const OFFERED: usize = 15;

/// An option of a choice: its value, its label, and whether it is the chosen one.
type Choice = (String, String, bool);

/// The policy that is on trial.
pub(crate) fn show(page: Page) -> Part {
    page.follow_policy();
    let told = page.change.policy.told;
    let outcome = move || {
        told.track();
        untrack(|| page.read(|model| show_told(page, model.tried.as_ref())))
    };
    view! {
        <div class="answer-head" data-policy-trial="">
            <span class="status trial">{words::TRIAL}</span>
            <span class="figure">{change::TRIED}</span>
        </div>
        <div class="panel scroll tried" role="group" tabindex="0" aria-label=words::TRIAL>
            {with(page)}
            {live(outcome)}
        </div>
    }
    .part()
}

/// Returns the controls for what the policy is tried with: request, binding and parameters.
fn with(page: Page) -> Part {
    let tried = page.change.policy;
    let Tried { chosen, bound, binding, params, told, .. } = tried;
    let sent = Memo::new(move |_| offered(page));
    let by_hand = move || {
        let chosen = chosen.get().map(|id| id.to_string());
        chosen.is_none_or(|id| sent.with(|sent| sent.iter().all(|(known, _)| *known != id)))
    };
    // What is told of by the outcome: the bindings that there are, and the parameters, the chosen one first.
    let known = Memo::new(move |_| {
        told.track();
        untrack(|| {
            page.read(|model| match &model.tried {
                Some(Ok(outcome)) => {
                    let names = outcome.params.clone().map(|names| (outcome.chosen.clone(), names));
                    (outcome.stored, names)
                }
                _ => (false, None),
            })
        })
    });
    let requests = move || {
        let id = chosen.get().map(|id| id.to_string());
        let first = (String::new(), words::BY_HAND.to_owned(), by_hand());
        let sent = sent.get().into_iter();
        let sent = sent.map(|(known, name)| (known.clone(), name, id.as_ref() == Some(&known)));
        std::iter::once(first).chain(sent).collect()
    };
    let bindings = move || {
        let stored = known.get().0;
        let now = bound.get();
        let now = match now.as_str() {
            "" if stored => STORED,
            "" => MADE_UP,
            now => now,
        };
        let there = words::BOUND.into_iter().filter(|(name, _)| stored || *name != STORED);
        there.map(|(name, told)| (name.to_owned(), told.to_owned(), name == now)).collect()
    };
    let choose_binding = move |name: String| {
        if name == WRITTEN && binding.with_untracked(String::is_empty) {
            binding.set(bound_now(page));
        }
        bound.set(name);
    };
    let names = move || {
        let (chosen, names) = known.get().1.unwrap_or_default();
        let none = (NO_PARAMS.to_owned(), words::NO_PARAMS.to_owned(), chosen.is_empty());
        let names = names.into_iter().map(|name| (name.clone(), name.clone(), name == chosen));
        std::iter::once(none).chain(names).collect()
    };
    view! {
        <div class="lab-tools" role="group" aria-label=words::WITH>
            {choice(words::REQUEST, Box::new(requests), Box::new(move |id| chosen.set(id.parse().ok())), flag(|| true))}
            {choice(words::BINDING, Box::new(bindings), Box::new(choose_binding), flag(|| true))}
            {choice(
                words::PARAMS,
                Box::new(names),
                Box::new(move |name| params.set(name)),
                flag(move || known.get().1.is_some()),
            )}
            <details hidden=flag(move || !by_hand())>
                <summary>{words::EDIT}</summary>
                {area(words::BODY, 14, tried.text, flag(|| true))}
            </details>
            {area(words::BINDING_BODY, 7, binding, flag(move || bound.with(|bound| bound == WRITTEN)))}
        </div>
    }
    .part()
}

/// The binding that it was tried with last, to be edited.
fn bound_now(page: Page) -> String {
    let spec = untrack(|| {
        page.read(|model| {
            model.tried.as_ref()?.as_ref().ok()?.bindings.first().map(|binding| binding["spec"].clone())
        })
    });
    spec.and_then(|spec| serde_json::to_string_pretty(&spec).ok()).unwrap_or_default()
}

/// One of a few.
fn choice(
    label: &'static str,
    choices: Box<dyn Fn() -> Vec<Choice> + Send>,
    choose: Box<dyn Fn(String)>,
    shown: Signal<bool>,
) -> Part {
    let options = move || {
        let options = choices().into_iter().map(|(value, name, chosen)| {
            view! { <option value=value selected=chosen>{name}</option> }.part()
        });
        options.collect::<Vec<Part>>()
    };
    view! {
        <label hidden=flag(move || !shown.get())>
            <span>{label}</span>
            <select on:change=act(move |event| choose(event_target_value(&event)))>{live(options)}</select>
        </label>
    }
    .part()
}

/// A text of a few lines.
fn area(label: &'static str, rows: u32, value: RwSignal<String>, shown: Signal<bool>) -> Part {
    view! {
        <textarea
            rows=rows.to_string()
            spellcheck="false"
            aria-label=label
            hidden=flag(move || !shown.get())
            prop:value=text(move || value.get())
            on:input=act(move |event| value.set(event_target_value(&event)))
        ></textarea>
    }
    .part()
}

/// The writes of the history that policies may be asked about, newest first, by their numbers.
fn offered(page: Page) -> Vec<(String, String)> {
    page.read(|model| {
        let mut offered: Vec<(String, String)> = Vec::new();
        for exchange in model.trace.newest() {
            let request = &exchange.request;
            let code = match &exchange.outcome {
                Became::Answered(reply) => reply.status,
                Became::Pending | Became::Failed(_) => continue,
            };
            let name = [&request.method, " ", &request.target, " · ", &code.to_string()].concat();
            let here = exchange.cluster == Which::ThisTab && example::may_concern(request);
            if offered.len() < OFFERED && here && offered.iter().all(|(_, known)| *known != name) {
                offered.push((exchange.id.to_string(), name));
            }
        }
        offered
    })
}

fn show_told(page: Page, told: Option<&Result<Outcome, String>>) -> Part {
    match told {
        None => quiet(words::WAIT),
        Some(Err(why)) => message(why),
        Some(Ok(outcome)) => show_outcome(page, outcome),
    }
}

fn message(text: &str) -> Part {
    view! { <p class="message">{text.to_owned()}</p> }.part()
}

fn title(text: String) -> Part {
    view! { <h3>{text}</h3> }.part()
}

fn list(lines: Vec<String>) -> Part {
    let lines = lines.into_iter().map(|line| view! { <li>{line}</li> }.part());
    view! { <ul>{lines.collect::<Vec<Part>>()}</ul> }.part()
}

fn show_outcome(page: Page, outcome: &Outcome) -> Part {
    let verdict = outcome.verdict();
    let (sign, name, sentence) = words::verdict(verdict, outcome.code());
    let met = outcome.request.as_ref().map(|request| {
        let asked = [&request.method, " ", &request.target].concat();
        view! {
            <p class="figure">
                <code>{asked}</code>
                {words::AGAINST}
                <Version version=outcome.at.to_string() />
            </p>
        }
    });
    let mut parts = Vec::new();
    match (&outcome.policy.failure, outcome.unbound.as_ref().or(outcome.with.failure.as_ref())) {
        (Some(status), _) => {
            let request = outcome.policy.request.clone();
            parts.push(why::of_trial(page, Which::ThisTab, request, status.clone()));
        }
        (None, Some(status)) => parts.push(message(&status.message)),
        (None, None) => {}
    }
    parts.extend(
        [&outcome.policy.headers, &outcome.with.headers].map(|headers| warnings::show(headers).part()),
    );
    let several = outcome.considered.windows(2).any(|pair| pair[0].object != pair[1].object);
    for considered in &outcome.considered {
        let Considered { binding, params, object, .. } = considered;
        parts.push(title(words::by(binding, params, several.then_some(object))));
        parts.push(show_considered(outcome, considered));
    }
    if outcome.changes() > 0 {
        parts.push(title(words::DIFFERENCE.to_owned()));
        parts.push(show_difference(&outcome.with.before, &outcome.with.after));
    }
    view! {
        <p class="verdict" data-verdict=name>
            <span class="sign" aria-hidden="true">{sign}</span>
            {sentence}
        </p>
        {met}
        {parts}
    }
    .part()
}

fn show_considered(outcome: &Outcome, considered: &Considered) -> Part {
    match &considered.found {
        Found::Unmatched(mismatch) => list(words::mismatch(mismatch)),
        Found::Unusable(why) => message(&[words::UNUSABLE, " ", why].concat()),
        Found::NoParams => message(words::NOT_BOUND),
        Found::Asked(steps) => {
            let rows = steps::rows(&outcome.policy.after, steps).into_iter();
            let rows = rows.map(|row| cells(row, outcome.kind == Kind::Mutating)).collect();
            changes::table(words::STEPS, &words::COLUMNS, rows)
        }
    }
}

fn cells(row: Row, mutates: bool) -> changes::Row {
    let Row { mark, place, name, expression, told } = row;
    let mutation = mutates && place.starts_with("mutations");
    let class = match mark {
        Mark::Good => "good",
        Mark::Bad | Mark::Error => "bad",
        Mark::Value => "",
    };
    let code = |text: String| view! { <code>{text}</code> }.part();
    let told = if mark == Mark::Value || mutation { code(told) } else { told.part() };
    let place = (code(place), " ", name).part();
    (class, words::mark(mark, mutation), vec![place, code(expression), told])
}
