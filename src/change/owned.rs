//! An object as a tree of its fields, each with who owns it.
//! See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>.

use json_tree::Value;
use leptos::prelude::*;

use crate::model::change::walk::{self, Field};
use crate::model::messages::change as words;
use crate::model::messages::rails;
use crate::model::timeline::ownership::{self, Manager, Owners};
use crate::state::Page;
use crate::ui::changes::show_value;
use crate::ui::part::{IntoPart, Part, act, each, flag, quiet, text};
use crate::widgets::difference::{COLOURS, owner_class};

/// More fields than this are not shown.
const MOST: usize = 1500;

/// Shows which manager owns which fields of the object in a response body from `path`.
pub(crate) fn of_body(body: &[u8], path: &str) -> Part {
    of_object(&serde_json::from_slice(body).unwrap_or_default(), path)
}

/// Shows which manager owns which fields of the object at `path`.
pub(crate) fn of_object(object: &Value, path: &str) -> Part {
    if ownership::entries(object).is_empty() { quiet(words::NO_MANAGERS) } else { show(object, path) }
}

/// Shows which manager owns which fields of `object`, which is at `path`.
fn show(object: &Value, path: &str) -> Part {
    let managers = ownership::managers(object);
    let fields = walk::fields(object, &Owners::of(object));
    let nobody = managers.len();
    let only = RwSignal::new(None::<usize>);
    let unowned = fields.iter().any(|field| field.value.is_some() && field.owners.is_empty());
    let legend = managers.iter().enumerate().map(|(at, manager)| {
        let name = rails::manager(manager);
        key(at, Some((at, manager.letter)), [&name, " · ", &manager.api_version].concat(), only)
    });
    let legend: Vec<Part> =
        legend.chain(unowned.then(|| key(nobody, None, words::UNOWNED.to_owned(), only))).collect();
    let count = fields.len().min(MOST);
    let shown = StoredValue::new((fields, managers, path.to_owned()));
    let rows = each(
        move || (0..count as u64).collect(),
        move |at| {
            shown.with_value(|(fields, managers, path)| {
                let field = fields.get(at as usize);
                field.map(|field| row(field, managers, path, only)).part()
            })
        },
    );
    view! {
        <div class="ownership">
            <div class="own-legend" role="group" aria-label=words::ONLY>{legend.into_iter().collect_view()}</div>
            <ul class="own-rows mono" aria-label=words::FIELDS>{rows}</ul>
        </div>
    }
    .part()
}

/// One of the legend's buttons: it shows only the fields of who it stands for.
fn key(place: usize, letter: Option<(usize, char)>, label: String, only: RwSignal<Option<usize>>) -> Part {
    let letter = letter.map(|(at, letter)| {
        view! { <span class=[&owner_class(at), " own-", &(at % COLOURS).to_string()].concat()>{letter.to_string()}</span> }
            .part()
    });
    view! {
        <button
            type="button"
            aria-pressed=text(move || (only.get() == Some(place)).to_string())
            on:click=act(move |_| only.update(|only| *only = (*only != Some(place)).then_some(place)))
        >
            {letter}
            <span>{label}</span>
        </button>
    }
    .part()
}

fn row(field: &Field, managers: &[Manager], path: &str, only: RwSignal<Option<usize>>) -> Part {
    let page = expect_context::<Page>();
    let leaf = field.value.is_some();
    let owners = field.owners.clone();
    let mut class = "own-row".to_owned();
    let mut sides = owners.iter().map(|at| (at % COLOURS).to_string());
    if let Some(first) = sides.next() {
        class.push_str(&[" own-", &first].concat());
    }
    if let Some(second) = sides.next() {
        class.push_str(&[" shared with-", &second].concat());
    }
    let owned = || owners.iter().filter_map(|at| Some((*at, managers.get(*at)?)));
    let letters: Vec<Part> = owned()
        .map(|(at, manager)| view! { <span class=owner_class(at)>{manager.letter.to_string()}</span> }.part())
        .collect();
    let names: Vec<String> = owned().map(|(_, manager)| manager.name.clone()).collect();
    let said = match (names.is_empty(), leaf) {
        (false, _) => rails::managed_by(&names.join(", ")),
        (true, true) => [", ", words::UNOWNED].concat(),
        (true, false) => String::new(),
    };
    let title = names.join(", ");
    let nobody = managers.len();
    let mine = move |place: usize| owners.contains(&place) || place == nobody && owners.is_empty() && leaf;
    let dim = flag(move || only.get().is_some_and(|place| !mine(place)));
    let place = StoredValue::new((path.to_owned(), field.path.clone()));
    let ahead =
        move || page.change.ahead.with(|ahead| place.with_value(|(path, field)| ahead.has(path, field)));
    let bracket = match (&field.value, field.list) {
        (Some(_), _) | (None, false) => "",
        (None, true) => " [ ]",
    };
    view! {
        <li class=class class:dim=dim class:ahead=flag(ahead) style=("--depth", field.depth.to_string()) title=title>
            <span class="own-letters" aria-hidden="true">{letters.into_iter().collect_view()}</span>
            <span class="own-text">
                <span class="j-key">{field.name().to_owned()}</span>
                {bracket}
                {leaf.then_some(": ")}
                {show_value(field.value.as_ref())}
                <span class="unseen">{said}</span>
                <span class="own-ahead">{text(move || match (ahead(), page.form.forces()) { (true, false) => words::AHEAD_HERE, (true, true) => words::AHEAD_FORCED, _ => "" })}</span>
            </span>
        </li>
    }
    .part()
}
