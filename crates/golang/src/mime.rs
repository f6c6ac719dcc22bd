//! Media types, as Go's package `mime` reads them.

use std::collections::HashMap;

/// Returns the media type of a `Content-Type` in lower case, without its parameters, as `mime.ParseMediaType` does. Returns `None` if it
/// or a parameter is malformed, or if a parameter has two values.
pub fn media_type(text: &str) -> Option<String> {
    let base = text.split(';').next()?;
    let media_type = base.trim().to_lowercase();
    let (first, rest) = token(&media_type);
    let subtype = if rest.is_empty() { None } else { Some(token(rest.strip_prefix('/')?)) };
    if first.is_empty() || subtype.is_some_and(|(subtype, rest)| subtype.is_empty() || !rest.is_empty()) {
        return None;
    }
    let mut known = HashMap::new();
    let mut rest = text[base.len()..].trim_start();
    while !rest.is_empty() && rest.trim() != ";" {
        let (key, value, after) = parameter(rest)?;
        if known.entry(key).or_insert_with(|| value.clone()) != &value {
            return None;
        }
        rest = after.trim_start();
    }
    Some(media_type)
}

/// Reads a parameter, which begins with `;`: its name in lower case, its value, and what follows it.
fn parameter(text: &str) -> Option<(String, String, &str)> {
    let (key, rest) = token(text.strip_prefix(';')?.trim_start());
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let (value, after) = match rest.strip_prefix('"') {
        Some(quoted) => string(quoted)?,
        None => {
            let (value, after) = token(rest);
            (value.to_owned(), after)
        }
    };
    // A quoted value may be empty.
    (!key.is_empty() && after != rest).then(|| (key.to_lowercase(), value, after))
}

/// Reads the rest of a quoted string: its value, and what follows it. A backslash stands for itself before what needs none.
fn string(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, next)) = chars.next() {
        match next {
            '"' => return Some((value, &text[at + 1..])),
            '\r' | '\n' => return None,
            '\\' => {
                value.push(chars.next_if(|(_, next)| SPECIAL.contains(*next)).map_or('\\', |(_, next)| next))
            }
            _ => value.push(next),
        }
    }
    None
}

/// Characters that no token has, but for spaces and controls.
const SPECIAL: &str = "()<>@,;:\\\"/[]?=";

/// Splits a text behind the token that it begins with, which may be empty.
fn token(text: &str) -> (&str, &str) {
    let ends = |c: char| !c.is_ascii_graphic() || SPECIAL.contains(c);
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(media_type(text).as_deref(), expected, "{text}");
        };
        check("application/json", Some("application/json"));
        check(" Application/JSON ; Charset=utf-8", Some("application/json"));
        check("application", Some("application"));
        check("a/b;", Some("a/b"));
        check("a/b; ; ", None);
        check("a/b; c", None);
        check("a/b; =c", None);
        check("a/b; c=", None);
        check("a/b; c=\"\"", Some("a/b"));
        check("a/b; c=\"x;\\\"y\\z\"; d = e", Some("a/b"));
        check("a/b; c=\"x", None);
        check("a/b; c=d; C=e", None);
        check("a/b; c=d; C=d", Some("a/b"));
        check("a/b, c/d", None);
        check("/", None);
        check("a/", None);
        check("", None);
        check("a/b; c=d e", None);
    }
}
