//! A table of things with a sign and a word each, which is a few lines each where there is no room for a table.

use json_tree::Value;
use leptos::prelude::*;

use crate::ui::part::{IntoPart, Part};

/// More characters of a value than this are not shown.
const LONGEST: usize = 200;

/// A row: its class, sign and word, what it is of, and what else there is to tell.
pub(crate) type Row = (&'static str, (&'static str, &'static str), Vec<Part>);

/// The table. The first column is that of signs and words, the second that of what the rows are of.
pub(crate) fn table(caption: &'static str, columns: &[&'static str], rows: Vec<Row>) -> Part {
    let heads = columns.iter().map(|name| view! { <th scope="col">{*name}</th> }.part());
    let rows = rows.into_iter().map(|(class, (sign, word), cells)| {
        let cells = cells.into_iter().enumerate().map(|(at, cell)| match at {
            0 => view! { <th scope="row">{cell}</th> }.part(),
            _ => view! { <td data-label=columns.get(at + 1).copied()>{cell}</td> }.part(),
        });
        let cells: Vec<Part> = cells.collect();
        view! {
            <tr class=class>
                <td><span class="sign" aria-hidden="true">{sign}</span>{word}</td>
                {cells}
            </tr>
        }
        .part()
    });
    let (heads, rows): (Vec<Part>, Vec<Part>) = (heads.collect(), rows.collect());
    view! {
        <table class="changes">
            <caption class="unseen">{caption}</caption>
            <thead>
                <tr>{heads}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .part()
}

/// A value on a line; nothing where there is none.
pub(crate) fn show_value(value: Option<&Value>) -> Part {
    let Some(value) = value else { return ().part() };
    let class = match value {
        Value::String(_) => "j-text",
        Value::Number(_) => "j-number",
        _ => "j-word",
    };
    let text = value.to_string();
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    view! { <code class=class>{shown}</code> }.part()
}
