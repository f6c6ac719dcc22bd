//! A policy on trial: what it is tried with, and what came of it.

use apiserver::inspect::{Considered, Found};
use leptos::prelude::*;

use super::outcome::{Outcome, Verdict};
use super::steps::{self, Mark, Row};
use super::{Bound, Kind, example};
use crate::change::trial::show_difference;
use crate::cluster::trace::Outcome as Became;
use crate::cluster::{Request, Which};
use crate::request::form::METHODS;
use crate::response::{status, warnings};
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::change;
use crate::ui::messages::policy as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::ui::version::Version;
use crate::why::view as why;

/// How many requests of the history are offered.
const OFFERED: usize = 15;

/// The policy that is on trial.
pub(crate) fn show(page: Page) -> Part {
    let tried = page.change.policy;
    let head = move || {
        tried.outcome.with(|outcome| match outcome {
            Some(Ok(Outcome { request: Some(request), at, with, .. })) => {
                Some(show_head(request, *at, with.code))
            }
            _ => None,
        })
    };
    let outcome = move || {
        tried.outcome.with(|outcome| match outcome {
            None => view! { <p class="quiet" role="status">{words::WAIT}</p> }.part(),
            Some(Err(why)) => view! { <p class="message">{why.clone()}</p> }.part(),
            Some(Ok(outcome)) => show_outcome(page, outcome),
        })
    };
    view! {
        <div class="answer-head" data-policy-trial="">
            <span class="status trial">{words::TRIAL}</span>
            <span class="figure">{change::TRIED}</span>
            {live(head)}
        </div>
        <div class="panel scroll tried" role="group" tabindex="0" aria-label=words::TRIAL>
            {with(page)}
            {live(outcome)}
        </div>
    }
    .part()
}

fn show_head(request: &Request, at: u64, code: u16) -> Part {
    let asked = [&request.method, " ", &request.target].concat();
    view! {
        <span class="status" class:bad={code >= 400}>{answered(code)}</span>
        <span class="figure">{words::AGAINST}" "<Version version=at.to_string() /></span>
        <span class="asked mono">{asked}</span>
    }
    .part()
}

fn answered(code: u16) -> String {
    [&code.to_string(), " ", status::words(code)].concat()
}

/// What it is tried with: request, binding and parameters.
fn with(page: Page) -> Part {
    let tried = page.change.policy;
    let sent = Memo::new(move |_| offered(page));
    let by_hand = move || {
        let chosen = tried.chosen.get();
        chosen.is_none_or(|id| sent.with(|sent| sent.iter().all(|(known, _)| *known != id)))
    };
    let found = move |look: fn(&Outcome) -> Vec<String>| {
        tried.outcome.with(|outcome| outcome.as_ref()?.as_ref().ok().map(look)).unwrap_or_default()
    };
    let stored = Memo::new(move |_| !found(|outcome| outcome.stored.clone()).is_empty());
    let params = Memo::new(move |_| {
        found(|outcome| match &outcome.params {
            // That which is chosen comes first.
            Some(names) => [std::slice::from_ref(&outcome.chosen), names].concat(),
            None => Vec::new(),
        })
    });
    let bound = move || match tried.bound.get() {
        Bound::Either if stored.get() => Bound::Stored,
        Bound::Either => Bound::MadeUp,
        bound => bound,
    };
    let choose_binding = move |name: &str| {
        let known = Bound::ALL.iter().find(|(_, known)| *known == name);
        let bound = known.map(|(bound, _)| *bound).unwrap_or_default();
        if bound == Bound::Written && tried.binding.with_untracked(String::is_empty) {
            tried.binding.set(tried.bound_now());
        }
        tried.bound.set(bound);
    };
    view! {
        <div class="tried-with" role="group" aria-label=words::WITH>
            <label>
                <span>{words::REQUEST}</span>
                <select on:change=act(move |event| tried.chosen.set(event_target_value(&event).parse().ok()))>
                    {live(move || {
                        let chosen = tried.chosen.get();
                        let options = sent.get().into_iter().map(|(id, name)| {
                            view! { <option value=id.to_string() selected={chosen == Some(id)}>{name}</option> }.part()
                        });
                        view! {
                            <option value="" selected=by_hand()>{words::BY_HAND}</option>
                            {options.collect_view()}
                        }
                    })}
                </select>
            </label>
            <label>
                <span>{words::BINDING}</span>
                <select on:change=act(move |event| choose_binding(&event_target_value(&event)))>
                    {live(move || {
                        let there = |bound: &Bound| *bound != Bound::Stored || stored.get();
                        let options = Bound::ALL.into_iter().filter(|(bound, _)| there(bound));
                        let now = bound();
                        options
                            .map(|(bound, name)| {
                                view! { <option value=name selected={bound == now}>{words::bound(bound)}</option> }.part()
                            })
                            .collect_view()
                    })}
                </select>
            </label>
            {live(move || (!params.with(Vec::is_empty)).then(|| choose_params(page, params)))}
            <div class="by-hand" hidden=flag(move || !by_hand())>{write_request(page)}</div>
            <textarea
                class="binding"
                rows="7"
                spellcheck="false"
                aria-label=words::BINDING_BODY
                hidden=flag(move || tried.bound.get() != Bound::Written)
                prop:value=text(move || tried.binding.get())
                on:input=act(move |event| tried.binding.set(event_target_value(&event)))
            ></textarea>
        </div>
    }
    .part()
}

/// The choice of parameters; the first of `names` is the one that is chosen.
fn choose_params(page: Page, names: Memo<Vec<String>>) -> Part {
    let tried = page.change.policy;
    let names = names.get();
    let chosen = names.first().cloned().unwrap_or_default();
    let options = names.into_iter().skip(1).map(|name| {
        view! { <option value=name.clone() selected={name == chosen}>{name.clone()}</option> }.part()
    });
    view! {
        <label>
            <span>{words::PARAMS}</span>
            <select on:change=act(move |event| tried.params.set(Some(event_target_value(&event))))>
                <option value="">{words::NO_PARAMS}</option>
                {options.collect_view()}
            </select>
        </label>
    }
    .part()
}

/// The request that is written by hand.
fn write_request(page: Page) -> Part {
    let tried = page.change.policy;
    let change = move |change: &dyn Fn(&mut Request)| {
        tried.written.update(|request| {
            change(request);
            example::retype(request);
        });
    };
    view! {
        <div class="line">
            <select
                class="method mono"
                aria-label=words::METHOD
                prop:value=text(move || tried.written.with(|request| request.method.clone()))
                on:change=act(move |event| change(&|request| request.method = event_target_value(&event)))
            >
                {METHODS.iter().skip(1).map(|method| view! { <option>{*method}</option> }).collect_view()}
            </select>
            <input
                class="mono"
                type="text"
                autocomplete="off"
                spellcheck="false"
                aria-label=words::PATH
                prop:value=text(move || tried.written.with(|request| request.target.clone()))
                on:input=act(move |event| change(&|request| request.target = event_target_value(&event)))
            />
        </div>
        <textarea
            rows="9"
            spellcheck="false"
            aria-label=words::BODY
            prop:value=text(move || tried.written.with(|request| request.body.clone()))
            on:input=act(move |event| change(&|request| request.body = event_target_value(&event)))
        ></textarea>
    }
    .part()
}

/// The writes of the history that policies may be asked about, newest first.
fn offered(page: Page) -> Vec<(u64, String)> {
    let mut seen: Vec<Request> = Vec::new();
    page.read(|model| {
        let mut offered = Vec::new();
        for exchange in model.trace.newest() {
            let request = &exchange.request;
            let here = exchange.cluster == Which::ThisTab && example::may_concern(request);
            if offered.len() == OFFERED || !here || seen.contains(request) {
                continue;
            }
            let code = match &exchange.outcome {
                Became::Answered(reply) => reply.status,
                Became::Pending | Became::Failed(_) => 0,
            };
            seen.push(request.clone());
            offered.push((exchange.id, words::sent(&[&request.method, " ", &request.target].concat(), code)));
        }
        offered
    })
}

fn show_outcome(page: Page, outcome: &Outcome) -> Part {
    let verdict = outcome.verdict();
    let (code, failure) = match verdict {
        Verdict::Refused => (outcome.policy.code, &outcome.policy.failure),
        _ => (outcome.with.code, &outcome.with.failure),
    };
    let (sign, sentence) = words::verdict(verdict, &answered(code));
    let failure = outcome.unbound.as_ref().or(failure.as_ref());
    let why = match verdict {
        Verdict::Refused => {
            let policy = &outcome.policy;
            failure.map(|status| why::of_trial(page, Which::ThisTab, policy.request.clone(), status.clone()))
        }
        _ => failure.map(|status| view! { <p class="message">{status.message.clone()}</p> }.part()),
    };
    let several = outcome.considered.windows(2).any(|pair| pair[0].object != pair[1].object);
    let considered: Vec<Part> =
        outcome.considered.iter().map(|one| show_considered(outcome, one, several)).collect();
    let (before, after) = (&outcome.with.before, &outcome.with.after);
    let changed = (outcome.kind == Kind::Mutating && outcome.changes() > 0).then(|| {
        view! { <h3>{words::DIFFERENCE}</h3> {show_difference(before, after)} }
    });
    let others = outcome.others.iter().map(|one| {
        view! { <li>{words::other(&one.policy, &one.binding, &one.action, &one.message)}</li> }.part()
    });
    let others = (!outcome.others.is_empty()).then(|| {
        view! { <h3>{words::OTHERS}</h3> <ul>{others.collect_view()}</ul> }
    });
    view! {
        <p class="verdict" data-verdict=verdict.name()>
            <span class="sign" aria-hidden="true">{sign}</span>
            {sentence}
        </p>
        {why}
        {warnings::show(&outcome.policy.headers)}
        {warnings::show(&outcome.with.headers)}
        {considered}
        {changed}
        {others}
    }
    .part()
}

fn show_considered(outcome: &Outcome, considered: &Considered, several: bool) -> Part {
    let Considered { binding, params, object, found, .. } = considered;
    let title = words::by(binding, params, several.then_some(object));
    let told = match found {
        Found::Unmatched(mismatch) => {
            let told = words::mismatch(mismatch).into_iter().map(|line| view! { <li>{line}</li> }.part());
            view! { <ul class="mismatch">{told.collect_view()}</ul> }.part()
        }
        Found::Unusable(why) => view! { <p class="message">{words::UNUSABLE}" "{why.clone()}</p> }.part(),
        Found::NoParams => view! { <p>{words::NOT_BOUND}</p> }.part(),
        Found::Asked(steps) => {
            let rows = steps::rows(&outcome.policy.after, steps).into_iter();
            let rows = rows.map(|row| show_row(row, outcome.kind)).collect_view();
            let heads = words::COLUMNS.map(|name| view! { <th scope="col">{name}</th> }.part());
            view! {
                <table class="changes">
                    <caption class="unseen">{words::STEPS}</caption>
                    <thead>
                        <tr>{heads.into_iter().collect_view()}</tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            }
            .part()
        }
    };
    view! { <section class="considered"><h3>{title}</h3>{told}</section> }.part()
}

fn show_row(row: Row, kind: Kind) -> Part {
    let Row { mark, place, name, expression, told } = row;
    let mutates = kind == Kind::Mutating && place.starts_with("mutations");
    let (sign, word) = words::mark(mark, mutates);
    let class = match mark {
        Mark::Good => "good",
        Mark::Bad => "bad",
        Mark::Error => "error",
        Mark::Value => "value",
    };
    let [_, at, text, says] = words::COLUMNS;
    let told =
        if mark == Mark::Value || mutates { view! { <code>{told}</code> }.part() } else { told.part() };
    view! {
        <tr class=class>
            <td><span class="sign" aria-hidden="true">{sign}</span>{word}</td>
            <th scope="row" data-label=at><code>{place}</code>" "{name}</th>
            <td data-label=text><code>{expression}</code></td>
            <td data-label=says>{told}</td>
        </tr>
    }
    .part()
}
