//! The outcome of a dry run, laid over the object as it is.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run>.

use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::status;
use crate::model::change::difference::{Changed, Difference, Fate, difference};
use crate::model::change::trial::Trial;
use crate::model::messages::change as words;
use crate::model::messages::rails;
use crate::model::timeline::ownership::Manager;
use crate::state::Page;
use crate::ui::changes::{self, Row, show_value};
use crate::ui::part::{IntoPart, Part, act, quiet};
use crate::ui::warnings;
use crate::why::view as why;
use crate::widgets::difference::{owner_class, show_legend};

/// More fields than this are not shown.
const MOST: usize = 300;

/// The outcome of a dry run.
pub(crate) fn show(page: Page, trial: &Trial) -> Part {
    let Trial { cluster, request, code, headers, before, after, failure } = trial;
    let asked = [&request.method, " ", &request.target].concat();
    let code = [&code.to_string(), " ", status::words(*code)].concat();
    let bad = failure.is_some();
    let told = match failure {
        Some(failure) => why::of_trial(page, *cluster, request.clone(), failure.clone()),
        None => show_change(before, after),
    };
    let again = request.clone();
    view! {
        <div class="answer-head" data-trial="">
            <span class="status trial">{words::TRIAL}</span>
            <span class="status" class:bad=bad>{code}</span>
            <span class="figure">{words::TRIED}</span>
            <span class="asked mono">{asked}</span>
            {(!bad).then(|| view! {
                <button type="button" class="primary" on:click=act(move |_| page.resend(again.clone()))>
                    {words::SEND}
                </button>
            }.part())}
        </div>
        {warnings::show(headers)}
        {told}
    }
    .part()
}

fn show_change(before: &Value, after: &Value) -> Part {
    if after.is_null() {
        return quiet(words::GONE);
    }
    if let Some(Value::Array(items)) = after.get("items").filter(|_| before.is_null()) {
        return show_gone(items);
    }
    let inside = show_difference(before, after);
    view! {
        <div class="panel scroll" role="group" tabindex="0" aria-label=words::WOULD_CHANGE>
            {inside}
        </div>
    }
    .part()
}

/// The fields of an object that would be another way.
pub(crate) fn show_difference(before: &Value, after: &Value) -> Part {
    let Difference { managers, fields } = difference(before, after);
    if fields.is_empty() {
        return quiet(words::NOTHING);
    }
    let passed = fields.iter().filter(|field| field.fate == Fate::Passed).count();
    let said = words::would(fields.len() - passed, passed);
    let cut = fields.len().saturating_sub(MOST);
    let rows = fields.iter().take(MOST).map(|field| row(field, &managers)).collect();
    let columns = [words::WHAT, words::FIELD, words::NOW, words::THEN, words::OWNERS];
    view! {
        <p class="said">{said}</p>
        {(!managers.is_empty()).then(|| show_legend(&managers))}
        {changes::table(words::WOULD_CHANGE, &columns, rows)}
        {(cut > 0).then(|| view! { <p class="quiet">{rails::rest(cut)}</p> }.part())}
    }
    .part()
}

/// The objects of a collection that would be deleted.
fn show_gone(items: &[Value]) -> Part {
    let names = items.iter().take(MOST).map(|item| {
        let name = item.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        view! { <li><code>{name.to_owned()}</code></li> }.part()
    });
    view! {
        <div class="panel scroll" role="group" tabindex="0" aria-label=words::WOULD_CHANGE>
            <p class="said">{words::would_go(items.len())}</p>
            <ul>{names.collect_view()}</ul>
        </div>
    }
    .part()
}

fn row(field: &Changed, managers: &[Manager]) -> Row {
    let Changed { fate, path, old, new, before, after } = field;
    let then = match fate {
        Fate::Passed => view! { <span class="figure">{words::SAME}</span> }.part(),
        _ => show_value(new.as_ref()),
    };
    let owners = match before == after || before.is_empty() || *fate == Fate::Removed {
        true if *fate == Fate::Removed => show_owners(before, managers),
        true => show_owners(after, managers),
        false => (show_owners(before, managers), " → ", show_owners(after, managers)).part(),
    };
    let class = match fate {
        Fate::Added => "plus",
        Fate::Removed => "minus",
        Fate::Changed => "swap",
        Fate::Passed => "passed",
    };
    let path = view! { <code>{path.clone()}</code> }.part();
    (class, words::fate(*fate), vec![path, show_value(old.as_ref()), then, owners])
}

fn show_owners(places: &[usize], managers: &[Manager]) -> Part {
    if places.is_empty() {
        return view! { <span class="figure">{words::NOBODY}</span> }.part();
    }
    let owners = places.iter().filter_map(|at| Some((*at, managers.get(*at)?))).map(|(at, manager)| {
        view! {
            <span class="owned-by" title=rails::manager(manager)>
                <span class=owner_class(at) aria-hidden="true">{manager.letter.to_string()}</span>
                " "
                {manager.name.clone()}
            </span>
        }
        .part()
    });
    owners.collect_view().part()
}
