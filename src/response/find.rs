//! Finding in the tree of a document, in all of it and not only in what is drawn.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::response::fold::{Document, PAGE, Row, Token};
use crate::response::tree::{Handle, reveal, row_id};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::find as words;
use crate::ui::part::{IntoPart, Part, act, flag, text};

/// The id of the field.
const FIELD: &str = "find-in-response";

/// Shows the field and the way through what it finds.
pub(crate) fn show(tree: Handle) -> Part {
    let wanted = RwSignal::new(String::new());
    let found = Memo::new(move |_| {
        wanted.with(|wanted| tree.document.with_value(|document| places(document, wanted)))
    });
    let at = RwSignal::new(0_usize);
    let go = move |by: isize| {
        let many = found.with_untracked(Vec::len) as isize;
        if many == 0 {
            return;
        }
        let next = (at.get_untracked() as isize + by).rem_euclid(many) as usize;
        at.set(next);
        found.with_untracked(|found| found.get(next).copied()).into_iter().for_each(|row| jump(tree, row));
    };
    // The first one comes into view while somebody types.
    Effect::new(move |_| {
        let first = found.with(|found| found.first().copied());
        at.set(0);
        match first {
            Some(first) => jump(tree, first),
            None => tree.found.set(None),
        }
    });
    let close = move || {
        tree.found.set(None);
        tree.finds.set(false);
        dom::focus_soon(row_id(tree.active.get_untracked()));
    };
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Enter" => go(if event.shift_key() { -1 } else { 1 }),
            "Escape" => close(),
            _ => return,
        }
        event.stop_propagation();
    };
    let said = move || {
        let many = found.with(Vec::len);
        wanted.with(|wanted| words::found(wanted, at.get() + 1, many))
    };
    dom::focus_soon(FIELD);
    let none = move || found.with(Vec::is_empty);
    let step = move |about: &'static str, sign: &'static str, by: isize| {
        view! {
            <button type="button" class="icon" aria-label=about title=about disabled=flag(none) on:click=act(move |_| go(by))>
                {sign}
            </button>
        }
    };
    view! {
        <div class="finding" role="search" on:keydown=key>
            <input
                id=FIELD
                type="search"
                aria-label=words::LABEL
                placeholder=words::LABEL
                on:input=move |event| wanted.set(event_target_value(&event))
            />
            <span class="quiet" role="status">{text(said)}</span>
            {step(words::PREVIOUS, "↑", -1)}
            {step(words::NEXT, "↓", 1)}
            <button type="button" class="icon" aria-label=words::CLOSE title=words::CLOSE on:click=act(move |_| close())>"✕"</button>
        </div>
    }
    .part()
}

/// Returns the rows that have a text in their name or value, whatever the case.
fn places(document: &Document, wanted: &str) -> Vec<usize> {
    let wanted = wanted.trim().to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let has = |text: &str| text.to_lowercase().contains(&wanted);
    let fits = |row: &Row| {
        let value = match &row.token {
            Token::Text(text) | Token::Number(text) => has(text),
            Token::Word(word) => has(word),
            Token::Open { .. } | Token::Close { .. } => false,
        };
        value || row.key.as_deref().is_some_and(has)
    };
    document.rows.iter().enumerate().filter(|(_, row)| fits(row)).map(|(at, _)| at).collect()
}

/// Brings a row into view, and lights it up.
fn jump(tree: Handle, row: usize) {
    let around: Vec<usize> = tree.document.with_value(|document| {
        std::iter::successors(document.parent(row), |parent| document.parent(*parent)).collect()
    });
    if tree.folded.with_untracked(|folded| around.iter().any(|parent| folded.contains(parent))) {
        tree.folded.update(|folded| folded.retain(|at| !around.contains(at)));
    }
    let visible =
        tree.folded.with_untracked(|folded| tree.document.with_value(|document| document.visible(folded)));
    let place = visible.binary_search(&row).unwrap_or_default();
    let (from, limit) = (tree.from.get_untracked(), tree.limit.get_untracked());
    if !(from..from + limit).contains(&place) {
        tree.from.set(place.saturating_sub(PAGE / 2));
        tree.limit.set(PAGE);
    }
    tree.active.set(row);
    tree.found.set(Some(row));
    reveal(row);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_found_whatever_the_case() {
        let document =
            Document::parse(br#"{"kind": "Pod", "items": [{"name": "a-pod"}, 12, true]}"#).unwrap();
        let check =
            |wanted: &str, expected: &[usize]| assert_eq!(places(&document, wanted), expected, "{wanted}");
        check("pod", &[1, 4]);
        check("NAME", &[4]);
        check("12", &[6]);
        check("tru", &[7]);
        check("{", &[]);
        check(" ", &[]);
        check("none", &[]);
    }
}
