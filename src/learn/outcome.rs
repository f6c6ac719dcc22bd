//! The outcome of a block, below it.

use bytes::Bytes;
use document::compare::Difference;
use document::run::Sent;
use leptos::prelude::*;

use crate::cluster::status;
use crate::learn::reader::Ran;
use crate::state::{Page, Shown};
use crate::ui::messages::learn as words;
use crate::ui::part::{IntoPart, Part, act};

/// The most characters of a body that are shown here: the response pane has all of it.
const LONGEST: usize = 6_000;

/// Shows what came of a block.
pub(crate) fn show(page: Page, ran: &Ran) -> Part {
    show_with(page, ran, true)
}

/// Shows what came of a block, with the bodies of responses folded.
pub(crate) fn show_folded(page: Page, ran: &Ran) -> Part {
    show_with(page, ran, false)
}

fn show_with(page: Page, ran: &Ran, open: bool) -> Part {
    let outcome = &ran.outcome;
    let sent = outcome
        .sent
        .iter()
        .enumerate()
        .map(|(number, sent)| exchange(page, sent, ran.exchanges.get(number).copied(), open));
    let printed = outcome.printed.clone().filter(|printed| !printed.is_empty());
    view! {
        <div class="learn-outcome">
            {sent.collect_view()}
            {printed.map(|printed| view! { <pre class="learn-printed" tabindex="0">{printed}</pre> }.part())}
            {differences(&outcome.differences)}
            {outcome.failed.clone().map(|why| view! { <p class="bad" role="alert">{words::failed(&why)}</p> }.part())}
        </div>
    }
    .part()
}

fn exchange(page: Page, sent: &Sent, id: Option<u64>, open: bool) -> Part {
    let status = sent.response.status;
    let class = if status < 400 { "learn-status good" } else { "learn-status bad" };
    let line = [&sent.request.method, " ", &*sent.request.target].concat();
    let verdict = match (sent.documented, sent.differences.is_empty()) {
        (true, true) => view! { <span class="learn-same">{words::AS_DOCUMENTED}</span> }.part(),
        (true, false) => {
            view! { <span class="learn-differs">{words::differs(sent.differences.len())}</span> }.part()
        }
        _ => ().part(),
    };
    let shows = move |_| {
        if let Some(id) = id {
            page.show(Shown::Exchange(id, false));
        }
    };
    let notes = sent.notes.iter().map(|note| view! { <li>{note.to_string()}</li> }.part()).collect_view();
    let body = shown(&sent.request.body);
    let filled = sent.notes.iter().any(|note| matches!(note, document::run::Note::Filled));
    let request = (filled && !body.is_empty()).then(|| {
        view! {
            <details class="learn-body">
                <summary>{words::SENT_BODY}</summary>
                <pre tabindex="0">{body}</pre>
            </details>
        }
        .part()
    });
    view! {
        <div class="learn-sent">
            <p class="learn-line">
                <span class=class>{format!("{status} {}", status::words(status))}</span>
                <button type="button" class="link" title=words::SHOW on:click=act(shows)><code>{line}</code></button>
                {verdict}
            </p>
            {(!sent.notes.is_empty()).then(|| view! { <ul class="learn-notes">{notes}</ul> }.part())}
            {request}
            {differences(&sent.differences)}
            {response(sent, open)}
        </div>
    }
    .part()
}

/// Shows the body of a response, or the events of a watch so far.
fn response(sent: &Sent, open: bool) -> Part {
    let text = sent.body.iter().map(shown).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return ().part();
    }
    view! {
        <details class="learn-body" open=open>
            <summary>{words::RESPONSE_BODY}</summary>
            <pre tabindex="0">{text}</pre>
        </details>
    }
    .part()
}

fn differences(differences: &[Difference]) -> Part {
    if differences.is_empty() {
        return ().part();
    }
    let row = |difference: &Difference| {
        let Difference { at, documented, came, why } = difference.clone();
        let cell = |text: String| {
            if text.is_empty() {
                view! { <td class="quiet">{words::NOTHING}</td> }.part()
            } else {
                view! { <td><code>{text}</code></td> }.part()
            }
        };
        view! {
            <tr>
                <th scope="row"><code>{at}</code></th>
                {cell(documented)}
                {cell(came)}
            </tr>
            {why.map(|why| view! { <tr><td colspan="3" class="learn-why">{why.to_string()}</td></tr> }.part())}
        }
        .part()
    };
    view! {
        <table class="learn-differences">
            <thead>
                <tr><th scope="col">{words::PLACE}</th><th scope="col">{words::DOCUMENTED}</th><th scope="col">{words::CAME}</th></tr>
            </thead>
            <tbody>{differences.iter().map(row).collect_view()}</tbody>
        </table>
    }
    .part()
}

/// Returns a body as it is shown: JSON over several lines, its beginning alone if it is long.
fn shown(body: &Bytes) -> String {
    let Ok(text) = std::str::from_utf8(body) else { return words::bytes(body.len()) };
    if text.starts_with(['{', '[']) { indented(text) } else { cut(text.to_owned()) }
}

/// Writes JSON over several lines, up to [`LONGEST`]. What is long is not read whole to show its beginning.
fn indented(json: &str) -> String {
    let (mut out, mut depth, mut quoted, mut escaped) = (String::new(), 0_usize, false, false);
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if out.len() > LONGEST {
            out.push_str("\n…");
            return out;
        }
        let line = |depth: usize, out: &mut String| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match c {
            _ if quoted => {
                quoted = c != '"' || escaped;
                escaped = c == '\\' && !escaped;
                out.push(c);
            }
            '"' => {
                quoted = true;
                out.push(c);
            }
            '{' | '[' if chars.peek().is_some_and(|next| matches!(next, '}' | ']')) => {
                out.push(c);
                out.extend(chars.next());
            }
            '{' | '[' => {
                depth += 1;
                out.push(c);
                line(depth, &mut out);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(depth, &mut out);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(depth, &mut out);
            }
            ':' => out.push_str(": "),
            c if c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => [text.get(..at).unwrap_or_default(), "\n…"].concat(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_written_over_several_lines() {
        let check = |body: &'static str, expected: &str| assert_eq!(shown(&Bytes::from(body)), expected);
        check(
            r#"{"a":[1,{}],"b":"x,\"{y}"}"#,
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x,\\\"{y}\"\n}",
        );
        check("kind: Pod", "kind: Pod");
        check("{]}[", "{]\n}[\n  ");
        assert!(shown(&Bytes::from("[1,".repeat(100_000))).len() < 3 * LONGEST);
    }
}
