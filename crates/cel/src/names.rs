//! The names of properties as identifiers.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#escaping>.

/// The reserved words of the language: no identifier may be one of these.
pub const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Pairs of what cannot stand in an identifier and what stands for it.
const ESCAPES: [(&str, &str); 4] =
    [("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")];

/// The identifier for the property `name`; none if it has characters that no identifier can stand for.
pub fn escape(name: &str) -> Option<String> {
    let first = name.bytes().next()?;
    if first.is_ascii_digit() {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(["__", name, "__"].concat());
    }
    let mut escaped = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if let Some((from, to)) = ESCAPES.iter().find(|(from, _)| rest.starts_with(from)) {
            escaped.push_str(to);
            rest = &rest[from.len()..];
        } else if letter.is_ascii_alphanumeric() || letter == '_' {
            escaped.push(letter);
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(escaped)
}

/// The property that the identifier `escaped` stands for; none if it has an escape that is none.
pub fn unescape(escaped: &str) -> Option<String> {
    let mut name = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while !rest.is_empty() {
        // An escape is two underscores, a word without any, and two more.
        let word = rest.strip_prefix("__").and_then(|after| {
            let end = after.find('_')?;
            (end > 0 && after[end..].starts_with("__")).then(|| &after[..end])
        });
        match word {
            Some(word) => {
                let whole = &rest[..word.len() + 4];
                match ESCAPES.iter().find(|(_, to)| *to == whole) {
                    Some((from, _)) => name.push_str(from),
                    None if RESERVED.contains(&word) && whole.len() == escaped.len() => name.push_str(word),
                    None => return None,
                }
                rest = &rest[whole.len()..];
            }
            None => {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                name.push_str(&rest[..length]);
                rest = &rest[length..];
            }
        }
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_become_identifiers_and_back() {
        for (name, escaped) in [
            ("a", Some("a")),
            ("a.b", Some("a__dot__b")),
            ("a-b", Some("a__dash__b")),
            ("a/b", Some("a__slash__b")),
            ("a__b", Some("a__underscores__b")),
            ("___", Some("__underscores___")),
            ("namespace", Some("__namespace__")),
            ("namespaces", Some("namespaces")),
            ("_a", Some("_a")),
            ("1a", None),
            ("", None),
            ("a b", None),
            ("ä", None),
        ] {
            assert_eq!(escape(name).as_deref(), escaped, "{name}");
            if let Some(escaped) = escaped {
                assert_eq!(unescape(escaped).as_deref(), Some(name), "{escaped}");
            }
        }
        assert_eq!(unescape("a__nothing__b"), None);
        assert_eq!(unescape("a__if__"), None);
    }
}
