//! Options: the letters behind a dash.

use super::shell::Run;

/// Separates the letters of options from other words. `None`, after a word about it, if there is one that is not known.
pub(super) fn options<'a>(
    run: &mut Run<'_>,
    (name, known): (&str, &str),
    words: &'a [String],
) -> Option<(String, Vec<&'a str>)> {
    let (mut letters, mut others) = (String::new(), Vec::new());
    for (place, word) in words.iter().enumerate() {
        match word.strip_prefix('-') {
            Some("-") => {
                others.extend(words[place + 1..].iter().map(String::as_str));
                break;
            }
            Some(more) if !more.is_empty() && others.is_empty() => letters.push_str(more),
            _ => others.push(word.as_str()),
        }
    }
    if let Some(unknown) = letters.chars().find(|letter| !known.contains(*letter)) {
        run.guess();
        run.complain(&[name, ": unrecognized option: ", unknown.encode_utf8(&mut [0; 4])]);
        return None;
    }
    Some((letters, others))
}
