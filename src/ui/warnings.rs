//! The warnings in a response, as texts.
//! See <https://www.rfc-editor.org/rfc/rfc7234#section-5.5>.

use leptos::prelude::*;

use crate::ui::messages::bytes as said;
use crate::ui::part::{IntoPart, Part};

/// The texts of the warnings in an answer's headers, without codes, agents and dates.
pub(crate) fn warnings(headers: &[(String, String)]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for (name, value) in headers {
        if !name.eq_ignore_ascii_case("warning") {
            continue;
        }
        let mut rest = value.as_str();
        while let Some((text, behind)) = one(rest) {
            // Some are said twice, and once is enough.
            if !texts.contains(&text) {
                texts.push(text);
            }
            rest = behind;
        }
    }
    texts
}

/// The text of the first warning, and what is behind it: `299 agent "text" "date", 299 ...`.
fn one(value: &str) -> Option<(String, &str)> {
    let value = value.trim_start_matches([' ', ',']);
    let (code, rest) = value.split_once(' ')?;
    if code.len() != 3 || !code.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let (_agent, rest) = rest.split_once(' ')?;
    let (text, rest) = quoted(rest)?;
    let rest = quoted(rest).map_or(rest, |(_, behind)| behind);
    Some((text, rest))
}

/// Returns the text between quotation marks, and the rest of the value after them.
fn quoted(value: &str) -> Option<(String, &str)> {
    let value = value.trim_start_matches(' ').strip_prefix('"')?;
    let mut text = String::new();
    let mut letters = value.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((text, &value[at + 1..])),
            '\\' => text.push(letters.next()?.1),
            letter => text.push(letter),
        }
    }
    None
}

/// The warnings as a list, if there are any.
pub(crate) fn show(headers: &[(String, String)]) -> Option<Part> {
    let texts = warnings(headers);
    (!texts.is_empty()).then(|| {
        let texts = texts.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
        view! {
            <section class="warnings" aria-label=said::WARNINGS>
                <h3>{said::WARNINGS}</h3>
                <ul>{texts}</ul>
            </section>
        }
        .part()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], expected: &[&str]) {
        let headers: Vec<_> =
            values.iter().map(|value| ("Warning".to_owned(), (*value).to_owned())).collect();
        assert_eq!(warnings(&headers), expected, "{values:?}");
    }

    #[test]
    fn texts_come_without_code_and_agent() {
        check(&[r#"299 - "unknown field \"spec.x\"""#], &[r#"unknown field "spec.x""#]);
        check(&[r#"299 agent "a \\ b" "Wed, 21 Oct 2015 07:28:00 GMT", 299 - "b""#], &["a \\ b", "b"]);
        check(&[r#"299 - "a""#, r#"299 - "b""#, r#"299 - "a""#], &["a", "b"]);
    }

    #[test]
    fn what_is_malformed_is_left_out() {
        check(&["", "299", "299 -", "299 - a", r#"299 - "a"#, r#"x - "a""#, r#"299 - "a\"#], &[]);
        assert_eq!(warnings(&[("date".to_owned(), r#"299 - "a""#.to_owned())]), Vec::<String>::new());
    }
}
