//! The changes between two versions of an object, and the managers of its fields: as JSON, line by line.

use json_tree::Value;
use leptos::prelude::*;

use crate::model::messages::rails as messages;
use crate::model::timeline::diff::{Delta, between};
use crate::model::timeline::lines::{Line, Piece, Sign, Token, lines};
use crate::model::timeline::ownership::{self, Manager, Owners};
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::widgets::version::Version;

/// More lines than this are not shown at once.
const PAGE: usize = 400;
/// More letters than this do not fit before a line.
const LETTERS: usize = 2;
/// How many colours managers have.
pub(crate) const COLOURS: usize = 6;

/// Two versions of an object laid over each other. Without an old one everything is new, without a new one everything
/// is gone.
#[component]
pub(crate) fn Diff(
    /// The older version.
    old: Option<Value>,
    /// The newer version.
    new: Option<Value>,
    /// True if the managers of the fields of the newer version are shown.
    #[prop(default = true)]
    owners: bool,
    /// True if there is nothing to compare with, so that no line has a sign.
    #[prop(default = false)]
    whole: bool,
) -> impl IntoView {
    let told = new.clone().filter(|_| owners);
    let delta = if whole { new.map(Delta::Same) } else { between(old, new) };
    let managers = told.as_ref().map(ownership::managers).unwrap_or_default();
    let owned = told.as_ref().map(Owners::of).unwrap_or_default();
    let pieces = delta.map(|delta| lines(&delta, &owned)).unwrap_or_default();
    let legend = (!managers.is_empty()).then(|| show_legend(&managers));
    view! {
        {legend}
        <div class="diff mono" class:owned=!managers.is_empty()>{show_pieces(pieces, &managers)}</div>
    }
    .part()
}

/// The managers, each with its letter.
pub(crate) fn show_legend(managers: &[Manager]) -> Part {
    let items = managers.iter().enumerate().map(|(at, manager)| {
        view! {
            <li>
                <span class=owner_class(at)>{manager.letter.to_string()}</span>
                " "
                {messages::manager(manager)}
            </li>
        }
        .part()
    });
    view! { <ul class="diff-legend" aria-label=messages::MANAGERS>{items.collect_view()}</ul> }.part()
}

/// The class of the letter that stands for the manager at this place.
pub(crate) fn owner_class(at: usize) -> String {
    ["owner owner-", &(at % COLOURS).to_string()].concat()
}

fn show_pieces(mut pieces: Vec<Piece>, managers: &[Manager]) -> Part {
    let rest = if pieces.len() > PAGE { pieces.split_off(PAGE) } else { Vec::new() };
    let shown = pieces.into_iter().map(|piece| match piece {
        Piece::Line(line) => show_line(line, managers),
        Piece::Unchanged(depth, lines) => {
            let label = messages::unchanged(lines.len());
            show_fold(depth, Sign::Same, label, lines.into_iter().map(Piece::Line).collect(), managers)
        }
        Piece::Managed(depth, sign, lines) => {
            let label = messages::managed(lines.len());
            show_fold(depth, sign, label, lines.into_iter().map(Piece::Line).collect(), managers)
        }
    });
    let shown = shown.collect_view();
    let rest =
        (!rest.is_empty()).then(|| show_fold(0, Sign::Same, messages::rest(rest.len()), rest, managers));
    (shown, rest).part()
}

/// Lines that are shown once they are asked for.
fn show_fold(depth: usize, sign: Sign, label: String, inside: Vec<Piece>, managers: &[Manager]) -> Part {
    let open = RwSignal::new(false);
    let inside = StoredValue::new((inside, managers.to_vec()));
    view! {
        <div class=line_class(sign) style=("--depth", depth.to_string())>
            <span class="owners"></span>
            {show_sign(sign)}
            <button
                type="button"
                class="diff-fold"
                aria-expanded=text(move || open.get().to_string())
                on:click=act(move |_| open.update(|open| *open = !*open))
            >
                <span aria-hidden="true">{text(move || if open.get() { "▾ " } else { "▸ " })}</span>
                {label}
            </button>
        </div>
        <div hidden=flag(move || !open.get())>
            {live(move || {
                open.get().then(|| inside.with_value(|(pieces, managers)| show_pieces(pieces.clone(), managers)))
            })}
        </div>
    }
    .part()
}

fn line_class(sign: Sign) -> &'static str {
    match sign {
        Sign::Same => "diff-line",
        Sign::Added => "diff-line plus",
        Sign::Removed => "diff-line minus",
        Sign::Changed => "diff-line swap",
    }
}

fn show_sign(sign: Sign) -> Part {
    view! {
        <span class="sign" aria-hidden="true">{messages::gutter(sign)}</span>
        <span class="unseen">{messages::sign(sign)}</span>
    }
    .part()
}

fn show_line(line: Line, managers: &[Manager]) -> Part {
    let Line { sign, depth, key, token, old, comma, owners } = line;
    let owned = owners.iter().filter_map(|at| Some((*at, managers.get(*at)?)));
    let letters = owned.clone().take(LETTERS).map(|(at, manager)| {
        view! { <span class=owner_class(at) title=messages::manager(manager)>{manager.letter.to_string()}</span> }.part()
    });
    let more = (owners.len() > LETTERS).then_some("+");
    let names: Vec<&str> = owned.map(|(_, manager)| manager.name.as_str()).collect();
    let names = (!names.is_empty()).then(|| messages::managed_by(&names.join(", ")));
    let version = key.as_deref() == Some("resourceVersion");
    let key = key.map(|key| view! { <span class="j-key">{quoted(&Value::String(key))}</span>": " }.part());
    let old = old.map(|old| view! { <del>{show_token(old, version)}</del>" → " }.part());
    view! {
        <div class=line_class(sign) style=("--depth", depth.to_string())>
            <span class="owners" aria-hidden="true">{letters.collect_view()}{more}</span>
            {show_sign(sign)}
            <span class="diff-text">{key}{old}{show_token(token, version)}{comma.then_some(",")}</span>
            {names.map(|names| view! { <span class="unseen">{names}</span> }.part())}
        </div>
    }
    .part()
}

fn show_token(token: Token, version: bool) -> Part {
    let value = match token {
        Token::Bracket(bracket) => return bracket.part(),
        Token::Plain(value) => value,
    };
    let class = match &value {
        Value::String(text) if version => return view! { "\""<Version version=text.clone() />"\"" }.part(),
        Value::String(_) => "j-text",
        Value::Number(_) => "j-number",
        _ => "j-word",
    };
    view! { <span class=class>{quoted(&value)}</span> }.part()
}

fn quoted(value: &Value) -> String {
    value.to_string()
}
