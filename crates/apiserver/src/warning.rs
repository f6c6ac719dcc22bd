//! Warnings on their way out: one header each, as long as they fit.
//!
//! <https://kubernetes.io/blog/2020/09/03/warnings/>

use std::collections::HashSet;

/// How many characters all texts may have before each is cut to [`CUT`]; and how many may be sent of those.
const FULL: usize = 4096;
/// How many characters are left of a text where there are too many.
const CUT: usize = 256;

/// The values of the `Warning` headers for these texts, each of which is said once. What cannot stand in a header is not
/// said.
pub(crate) fn headers(texts: &[String]) -> Vec<String> {
    let mut said = HashSet::new();
    let mut once: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    once.retain(|text| said.insert(*text) && !text.chars().any(char::is_control));
    let mut written = 0;
    let full = once.iter().position(|text| {
        written += text.chars().count();
        written > FULL
    });
    let Some(full) = full else { return once.into_iter().map(header).collect() };
    // The first text that does not fit cuts those before it too, and is still sent itself.
    let mut written = 0;
    let mut values = Vec::new();
    for (index, text) in once.into_iter().enumerate() {
        if index > full && written >= FULL {
            break;
        }
        let text = text.char_indices().nth(CUT).map_or(text, |(end, _)| &text[..end]);
        written += text.chars().count();
        values.push(header(text));
    }
    values
}

/// Code, agent and the text as a quoted string of RFC 7230: backslash before quotes and backslashes.
fn header(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 10);
    out.push_str("299 - \"");
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], expected: &[&str]) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(headers(&texts), expected);
    }

    #[test]
    fn texts_are_quoted_and_said_once() {
        check(&[], &[]);
        check(&["a", "", "b", "a"], &["299 - \"a\"", "299 - \"b\""]);
        check(&[r#"unknown field "é\""#], &[r#"299 - "unknown field \"é\\\"""#]);
        check(&["two\nlines", "one"], &["299 - \"one\""]);
    }

    /// How long the texts are that are left of texts of these lengths.
    #[track_caller]
    fn check_lengths(lengths: &[usize], expected: &[usize]) {
        let texts: Vec<String> =
            lengths.iter().zip('a'..).map(|(length, letter)| letter.to_string().repeat(*length)).collect();
        let found: Vec<usize> = headers(&texts).iter().map(|value| value.len() - 8).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn too_many_characters_are_cut() {
        check_lengths(&[4096], &[4096]);
        check_lengths(&[4097], &[256]);
        check_lengths(&[4000, 90, 6], &[4000, 90, 6]);
        check_lengths(&[4000, 90, 7], &[256, 90, 7]);
        check_lengths(&[300; 20], &[256; 16]);
        check_lengths(&[205; 20], &[205; 20]);
        check_lengths(&[205; 21], &[205; 20]);
        check_lengths(&[256; 19], &[256; 17]);
    }
}
