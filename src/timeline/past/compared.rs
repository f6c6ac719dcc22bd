//! Two versions of an object laid over each other, line by line, with who manages what.

use crate::ui::part::{IntoPart, Part};
use leptos::prelude::*;
use serde_json::Value;

use crate::timeline::rails::diff::{Delta, between};
use crate::timeline::rails::lines::{Line, Piece, Sign, Token, lines};
use crate::timeline::rails::ownership::{self, Manager, Owners};
use crate::ui::messages::past as words;

/// The lines of `new`, with what has changed since `old`; without an `old` nothing has.
pub(crate) fn compared(old: Option<&Value>, new: &Value) -> Part {
    let delta = match old {
        Some(old) => between(Some(old), Some(new)),
        None => Some(Delta::Same(new.clone())),
    };
    let managers = ownership::managers(new);
    let pieces = delta.map(|delta| lines(&delta, &Owners::of(new))).unwrap_or_default();
    let legend = managers.iter().map(|manager| {
        view! { <li><b>{manager.letter.to_string()}</b>" "{manager.name.clone()}" "{manager.operation.clone()}</li> }
    });
    let legend = (!managers.is_empty())
        .then(|| view! { <ul class="owners" aria-label=words::OWNERS>{legend.collect_view()}</ul> });
    let shown = pieces.iter().map(|piece| show_piece(piece, &managers)).collect_view();
    (legend, view! { <div class="compared mono">{shown}</div> }).part()
}

fn show_piece(piece: &Piece, managers: &[Manager]) -> Part {
    match piece {
        Piece::Line(line) => show_line(line, managers),
        Piece::Unchanged(_, lines) => show_fold(words::unchanged(lines.len()), lines, managers),
        Piece::Managed(_, _, lines) => show_fold(words::MANAGED.to_owned(), lines, managers),
    }
}

fn show_fold(label: String, lines: &[Line], managers: &[Manager]) -> Part {
    let lines = lines.iter().map(|line| show_line(line, managers)).collect_view();
    view! { <details><summary>{label}</summary>{lines}</details> }.part()
}

fn show_line(line: &Line, managers: &[Manager]) -> Part {
    let (class, sign) = match line.sign {
        Sign::Same => ("", " "),
        Sign::Added => ("added", "+"),
        Sign::Removed => ("removed", "−"),
        Sign::Changed => ("changed", "~"),
    };
    let letters: String =
        line.owners.iter().filter_map(|at| managers.get(*at)).map(|manager| manager.letter).take(2).collect();
    let key = line.key.as_ref().map(|key| {
        let key = [&Value::from(key.as_str()).to_string(), ": "].concat();
        view! { <span class="j-key">{key}</span> }
    });
    let old = line.old.as_ref().map(|old| view! { <del>{token(old)}</del>" " });
    let comma = if line.comma { "," } else { "" };
    view! {
        <div class=["line-of ", class].concat()>
            <span class="letters">{letters}</span>
            <span class="sign">{sign}</span>
            <span class="what-of" style:padding-left=[&line.depth.to_string(), "em"].concat()>
                {key}
                {old}
                {token(&line.token)}
                {comma}
            </span>
        </div>
    }
    .part()
}

fn token(token: &Token) -> String {
    match token {
        Token::Bracket(bracket) => (*bracket).to_owned(),
        Token::Plain(value) => value.to_string(),
    }
}
