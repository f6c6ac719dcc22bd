//! The list of a workshop: a name on each line, and perhaps a token behind a comma.

use std::collections::BTreeSet;

/// The first line of a list, if it names the columns.
const HEADERS: [&str; 2] = ["name", "name,token"];

/// The greatest length of a DNS label.
///
/// <https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names>
const LONGEST_NAME: usize = 63;

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The token, if one is given.
    pub(super) token: Option<String>,
}

/// A line of the list that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct WrongLine {
    /// The line, counted from 1.
    pub line: usize,
    /// The error in it.
    pub problem: Problem,
}

/// An error in a line of the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A name that no namespace can have.
    #[error(
        "{0:?} is no name of a namespace: at most 63 of a-z, 0-9 and -, with a letter or a digit at both ends"
    )]
    Name(String),
    /// A name whose namespace belongs to the cluster.
    #[error("{0:?} is a namespace of the cluster itself, choose another name")]
    Reserved(String),
    /// A name that an earlier line has.
    #[error("{0:?} stands in an earlier line too")]
    NameTwice(String),
    /// A token that no header can carry, or that no line can.
    #[error("a token is of printable ASCII characters without spaces, commas and quotes")]
    Token,
    /// A token that somebody else has.
    #[error("the token is somebody else's too")]
    TokenTwice,
    /// More than a name and a token.
    #[error("a line has a name and perhaps a token, found {0} fields")]
    Fields(usize),
}

/// Reads a list. Empty lines and those that begin with `#` are left out, and so is a header. `is_taken` tells of tokens that have
/// an owner.
///
/// # Errors
/// A line cannot be used.
pub(super) fn parse(text: &str, is_taken: impl Fn(&str) -> bool) -> Result<Vec<Entry>, WrongLine> {
    // Spreadsheets write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let is_header = |line: &str| HEADERS.contains(&line.replace(' ', "").to_ascii_lowercase().as_str());
    lines.next_if(|(_, line)| is_header(line));
    let (mut entries, mut names, mut tokens) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for (number, line) in lines {
        let wrong = |problem| WrongLine { line: number, problem };
        let entry = entry(line).map_err(wrong)?;
        if !names.insert(entry.name.clone()) {
            return Err(wrong(Problem::NameTwice(entry.name)));
        }
        if let Some(token) = &entry.token
            && (is_taken(token) || !tokens.insert(token.clone()))
        {
            return Err(wrong(Problem::TokenTwice));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// Reads a line.
fn entry(line: &str) -> Result<Entry, Problem> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let (name, token) = match fields[..] {
        [name] => (name, ""),
        [name, token] => (name, token),
        _ => return Err(Problem::Fields(fields.len())),
    };
    if !is_label(name) {
        return Err(Problem::Name(name.to_owned()));
    }
    if name == "default" || name.starts_with("kube-") {
        return Err(Problem::Reserved(name.to_owned()));
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') {
        return Err(Problem::Token);
    }
    let token = Some(token).filter(|token| !token.is_empty()).map(str::to_owned);
    Ok(Entry { name: name.to_owned(), token })
}

/// Returns whether a text is a DNS label.
fn is_label(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends = [text.bytes().next(), text.bytes().next_back()];
    text.len() <= LONGEST_NAME
        && ends.iter().all(|end| end.is_some_and(is_word))
        && text.bytes().all(|byte| is_word(byte) || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: `name` or `name=token` for each entry, or the error.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = match parse(text, |token| token == "taken") {
            Ok(entries) => entries.into_iter().map(|entry| match entry.token {
                Some(token) => [entry.name, token].join("="),
                None => entry.name,
            }),
            Err(error) => return assert_eq!([error.to_string().as_str()], expected, "{text}"),
        };
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn names_and_tokens() {
        check("", &[]);
        check("anna", &["anna"]);
        check("anna\nben\n", &["anna", "ben"]);
        check("anna,t1\r\nben\r\nleader,t2\r\n", &["anna=t1", "ben", "leader=t2"]);
        check(" anna , t1 \n\tben,\n", &["anna=t1", "ben"]);
        check("7\ntrue\nx-1", &["7", "true", "x-1"]);
        check("anna,a.b~c/d+e==", &["anna=a.b~c/d+e=="]);
        check(&"a".repeat(63), &[&"a".repeat(63)]);
    }

    #[test]
    fn what_is_left_out() {
        check("\n\n# who comes\nanna\n  # later\n\nben", &["anna", "ben"]);
        check("name\nanna", &["anna"]);
        check("name,token\nanna,t", &["anna=t"]);
        check("\u{feff}# ours\n\nName, Token\nanna", &["anna"]);
        check("anna\nname", &["anna", "name"]);
    }

    #[test]
    fn errors_say_the_line_and_what_is_wrong() {
        let label =
            "is no name of a namespace: at most 63 of a-z, 0-9 and -, with a letter or a digit at both ends";
        for (line, name) in [
            ("Anna", "Anna"),
            ("a b", "a b"),
            ("a.b", "a.b"),
            ("-a", "-a"),
            ("a-", "a-"),
            ("anna;t", "anna;t"),
            (",t", ""),
            ("jürgen", "jürgen"),
        ] {
            check(line, &[&format!("line 1: {name:?} {label}")]);
        }
        let long = "a".repeat(64);
        check(&long, &[&format!("line 1: {long:?} {label}")]);
        for name in ["default", "kube-system", "kube-x"] {
            let why = format!("line 2: {name:?} is a namespace of the cluster itself, choose another name");
            check(&["# x\n", name].concat(), &[&why]);
        }
        check("anna\n\nben\nanna,t", &["line 4: \"anna\" stands in an earlier line too"]);
        check("leader\nleader", &["line 2: \"leader\" stands in an earlier line too"]);
        let token = "a token is of printable ASCII characters without spaces, commas and quotes";
        for line in ["anna,a b", "anna,\"t\"", "anna,ü", "anna,a\u{7f}"] {
            check(line, &[&format!("line 1: {token}")]);
        }
        check("anna,t\nben,t", &["line 2: the token is somebody else's too"]);
        check("anna,taken", &["line 1: the token is somebody else's too"]);
        check("anna,t,x", &["line 1: a line has a name and perhaps a token, found 3 fields"]);
    }
}
