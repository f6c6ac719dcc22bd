//! Functions on texts, which count in characters.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/ext#Strings>.

/// The longest text that a function makes. The next one that reads it would be out of budget anyway.
pub(super) const LONGEST: usize = 16 << 20;

/// Why a text would be longer than that.
pub(super) const TOO_LONG: &str = "operation cancelled: actual cost limit exceeded";

fn out_of_range<T>(index: i64) -> Result<T, String> {
    Err(format!("index out of range: {index}"))
}

/// Returns the byte offset of the character with this index; the end of the text has an index too.
fn offset(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    places.nth(index)
}

/// The character with this number as a text; at the end of the text, nothing.
pub(super) fn char_at(text: &str, index: i64) -> Result<String, String> {
    match offset(text, index) {
        Some(at) => Ok(text[at..].chars().next().map(String::from).unwrap_or_default()),
        None => out_of_range(index),
    }
}

/// Returns the character index of the first occurrence of `part`, at `from` or after it; -1 if there is none.
pub(super) fn index_of(text: &str, part: &str, from: i64) -> Result<i64, String> {
    if part.is_empty() {
        return Ok(from);
    }
    if from < 0 {
        return out_of_range(from);
    }
    let Some(start) = offset(text, from) else { return Ok(-1) };
    Ok(text[start..].find(part).map_or(-1, |at| from + count(&text[start..start + at])))
}

/// Returns the character index of the last occurrence of `part`; -1 if there is none.
pub(super) fn last_index_of(text: &str, part: &str) -> Result<i64, String> {
    let length = count(text);
    if part.is_empty() {
        return Ok(length);
    }
    if count(part) > length {
        return Ok(-1);
    }
    last_index_of_from(text, part, length - 1)
}

/// Returns the character index of the last occurrence of `part`, at `from` or before it; -1 if there is none.
pub(super) fn last_index_of_from(text: &str, part: &str, from: i64) -> Result<i64, String> {
    if part.is_empty() {
        return Ok(from);
    }
    if from < 0 {
        return out_of_range(from);
    }
    let length = count(text);
    if from >= length || count(part) > length {
        return Ok(-1);
    }
    // What begins at `from` ends so much later.
    let end = offset(text, from.saturating_add(count(part))).unwrap_or(text.len());
    Ok(text[..end].rfind(part).map_or(-1, |at| count(&text[..at])))
}

/// How many characters a text has.
pub(super) fn count(text: &str) -> i64 {
    text.chars().count() as i64
}

/// The text with `old` replaced by `new`, the first `limit` times; always, if it is negative.
pub(super) fn replace(text: &str, old: &str, new: &str, limit: i64) -> Result<String, String> {
    let times = if old.is_empty() { text.chars().count() + 1 } else { text.len() / old.len() };
    let times = usize::try_from(limit).map_or(times, |limit| times.min(limit));
    if times.saturating_mul(new.len()).saturating_add(text.len()) > LONGEST {
        // It may still be short enough, if `old` is rare.
        let times = if old.is_empty() { times } else { text.matches(old).take(times).count() };
        if times.saturating_mul(new.len()).saturating_add(text.len()) > LONGEST {
            return Err(TOO_LONG.to_owned());
        }
    }
    Ok(text.replacen(old, new, times))
}

/// The parts of the text between separators, at most `limit` of them; all, if it is negative.
pub(super) fn split<'a>(text: &'a str, separator: &str, limit: i64) -> Vec<&'a str> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if limit == 0 {
        return Vec::new();
    }
    if !separator.is_empty() {
        return text.splitn(limit, separator).collect();
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if parts.len() + 1 == limit { rest.len() } else { first.len_utf8() };
        let (part, after) = rest.split_at(length);
        parts.push(part);
        rest = after;
    }
    parts
}

/// The text from the character `start` on.
pub(super) fn substring_from(text: &str, start: i64) -> Result<String, String> {
    match offset(text, start) {
        Some(at) => Ok(text[at..].to_owned()),
        None => out_of_range(start),
    }
}

/// The text from the character `start` to that before `end`.
pub(super) fn substring(text: &str, start: i64, end: i64) -> Result<String, String> {
    if start > end {
        return Err(format!("invalid substring range. start: {start}, end: {end}"));
    }
    let Some(from) = offset(text, start) else { return out_of_range(start) };
    let Some(to) = offset(text, end) else { return out_of_range(end) };
    Ok(text[from..to].to_owned())
}

/// The texts, one after the other, with a separator between them.
pub(super) fn join(texts: &[&str], separator: &str) -> Result<String, String> {
    let length: usize = texts.iter().map(|text| text.len() + separator.len()).sum();
    if length > LONGEST {
        return Err(TOO_LONG.to_owned());
    }
    Ok(texts.join(separator))
}

/// The text as a literal of the language would have it.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        let escaped = match c {
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\u{c}' => 'f',
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{b}' => 'v',
            '\\' | '"' => c,
            _ => {
                quoted.push(c);
                continue;
            }
        };
        quoted.push('\\');
        quoted.push(escaped);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Result<String, String> {
        Err(text.to_owned())
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        for (text, index, expected) in [
            ("tacocat", 3, Ok("o".to_owned())),
            ("tacocat", 7, Ok(String::new())),
            ("ta©o©αT", 2, Ok("©".to_owned())),
            ("", 0, Ok(String::new())),
            ("tacocat", 30, error("index out of range: 30")),
            ("tacocat", -1, error("index out of range: -1")),
            ("a", i64::MAX, error("index out of range: 9223372036854775807")),
        ] {
            assert_eq!(char_at(text, index), expected, "{text} {index}");
        }
    }

    #[test]
    fn parts_are_found_from_both_ends() {
        for (text, part, from, expected) in [
            ("tacocat", "", 0, Ok(0)),
            ("tacocat", "", 99, Ok(99)),
            ("tacocat", "ac", 0, Ok(1)),
            ("tacocat", "none", 0, Ok(-1)),
            ("tacocat", "a", 3, Ok(5)),
            ("tacocat", "at", 3, Ok(5)),
            ("ta©o©αT", "©", 0, Ok(2)),
            ("ta©o©αT", "©", 3, Ok(4)),
            ("ta©o©αT", "©αT", 3, Ok(4)),
            ("tacocat", "a", 30, Ok(-1)),
            ("", "a", 0, Ok(-1)),
            ("tacocat", "a", -1, Err("index out of range: -1".to_owned())),
        ] {
            assert_eq!(index_of(text, part, from), expected, "{text} {part} {from}");
        }
        for (text, part, expected) in [
            ("tacocat", "", 7),
            ("tacocat", "at", 5),
            ("tacocat", "none", -1),
            ("ta©o©αT", "©", 4),
            ("a", "ab", -1),
            ("", "a", -1),
        ] {
            assert_eq!(last_index_of(text, part), Ok(expected), "{text} {part}");
        }
        for (text, part, from, expected) in [
            ("tacocat", "", 3, Ok(3)),
            ("tacocat", "a", 3, Ok(1)),
            ("tacocat", "at", 5, Ok(5)),
            ("tacocat", "cat", 6, Ok(4)),
            ("ta©o©αT", "©", 3, Ok(2)),
            ("tacocat", "a", 30, Ok(-1)),
            ("tacocat", "a", -1, Err("index out of range: -1".to_owned())),
        ] {
            assert_eq!(last_index_of_from(text, part, from), expected, "{text} {part} {from}");
        }
    }

    #[test]
    fn texts_are_replaced() {
        for (text, old, new, limit, expected) in [
            ("12 days 12 hours", "{0}", "2", -1, "12 days 12 hours"),
            ("{0} days {0} hours", "{0}", "2", -1, "2 days 2 hours"),
            ("{0} days {0} hours", "{0}", "2", 1, "2 days {0} hours"),
            ("{0} days {0} hours", "{0}", "2", 0, "{0} days {0} hours"),
            ("1 ©αT", "αT", "o©α", -1, "1 ©o©α"),
            ("aé", "", "_", -1, "_a_é_"),
            ("aé", "", "_", 2, "_a_é"),
        ] {
            assert_eq!(replace(text, old, new, limit).as_deref(), Ok(expected), "{text} {old}");
        }
        let long = "x".repeat(10_000);
        assert_eq!(replace(&long, "", &long, -1), error(TOO_LONG));
        assert_eq!(replace(&long, "y", &long, -1).map(|text| text.len()), Ok(10_000));
    }

    #[test]
    fn texts_are_split_and_joined() {
        let check = |text: &str, separator: &str, limit: i64, expected: &[&str]| {
            assert_eq!(split(text, separator, limit), expected, "{text} {separator} {limit}");
        };
        check("hello hello hello", " ", -1, &["hello", "hello", "hello"]);
        check("hello hello hello", " ", 0, &[]);
        check("hello hello hello", " ", 1, &["hello hello hello"]);
        check("hello hello hello", " ", 2, &["hello", "hello hello"]);
        check("hello©α", "", -1, &["h", "e", "l", "l", "o", "©", "α"]);
        check("hello", "", 3, &["h", "e", "llo"]);
        check("", "", -1, &[]);
        check("", ",", -1, &[""]);
        check(",a,", ",", -1, &["", "a", ""]);
        assert_eq!(join(&["x", "", " ", "y"], "-").as_deref(), Ok("x-- -y"));
        assert_eq!(join(&[], "-").as_deref(), Ok(""));
        let long = "x".repeat(LONGEST);
        assert_eq!(join(&[&long, &long], ""), error(TOO_LONG));
    }

    #[test]
    fn substrings_have_characters_as_borders() {
        for (text, start, expected) in [
            ("tacocat", 4, Ok("cat".to_owned())),
            ("tacocat", 7, Ok(String::new())),
            ("ta©o©αT", 3, Ok("o©αT".to_owned())),
            ("tacocat", 40, error("index out of range: 40")),
            ("tacocat", -1, error("index out of range: -1")),
        ] {
            assert_eq!(substring_from(text, start), expected, "{text} {start}");
        }
        for (text, start, end, expected) in [
            ("tacocat", 0, 4, Ok("taco".to_owned())),
            ("tacocat", 4, 4, Ok(String::new())),
            ("ta©o©αT", 2, 6, Ok("©o©α".to_owned())),
            ("tacocat", 1, 50, error("index out of range: 50")),
            ("tacocat", 49, 50, error("index out of range: 49")),
            ("tacocat", 4, 3, error("invalid substring range. start: 4, end: 3")),
            ("tacocat", -2, 3, error("index out of range: -2")),
        ] {
            assert_eq!(substring(text, start, end), expected, "{text} {start} {end}");
        }
    }

    #[test]
    fn quotes_escape_what_a_literal_escapes() {
        for (text, expected) in [
            ("first\nsecond", r#""first\nsecond""#),
            ("bell\u{7} \u{8}\u{c}\r\t\u{b}", r#""bell\a \b\f\r\t\v""#),
            (r#"a "b" \c"#, r#""a \"b\" \\c""#),
            ("é\u{0}", "\"é\u{0}\""),
        ] {
            assert_eq!(quote(text), expected);
        }
    }
}
