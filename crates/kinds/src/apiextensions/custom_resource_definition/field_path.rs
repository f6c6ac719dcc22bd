//! Paths to fields, as `.spec.replicas` and `['a.b'].c`, and whether a schema has them.

use json_tree::Value;

use crate::validation::read::{get, map};
use field::Path;

/// The field that a path leads to.
pub(super) struct Found<'a> {
    /// The path, printed as that of an error.
    pub(super) path: Path,
    /// The first name in it.
    pub(super) root: String,
    /// The schema there, if there is one.
    pub(super) schema: Option<&'a Value>,
}

const NO_FIELD: &str = "does not refer to a valid field";
const UNEXPECTED_END: &str = "unexpected end of JSON path";

/// Follows `path` through `schema`.
pub(super) fn find<'a>(path: &str, schema: &'a Value, allows_brackets: bool) -> Result<Found<'a>, String> {
    let mut tokens = Tokens(path);
    let mut found = Found { path: Path::default(), root: String::new(), schema: Some(schema) };
    while let Some(token) = tokens.next() {
        match token {
            "." => {
                let name = tokens.next().ok_or(UNEXPECTED_END)?;
                found.step(name)?;
            }
            "[" => {
                if !allows_brackets {
                    return Err("array notation is not allowed".to_owned());
                }
                let token = tokens.next().ok_or(UNEXPECTED_END)?;
                let inner = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let Some(inner) = inner else {
                    return Err(format!("expected single quoted string but got {token}"));
                };
                found.step(&unescape(inner)?)?;
                match tokens.next().ok_or(UNEXPECTED_END)? {
                    "]" => {}
                    token => return Err(format!("expected ] but got {token}")),
                }
            }
            token => return Err(format!("expected [ or . but got: {token}")),
        }
    }
    Ok(found)
}

impl Found<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        let schema = self.schema.ok_or(NO_FIELD)?;
        if self.root.is_empty() {
            name.clone_into(&mut self.root);
        }
        if let Some(properties) = map(schema, "properties").filter(|properties| !properties.is_empty()) {
            self.path = self.path.named(name);
            self.schema = Some(properties.get(name).ok_or(NO_FIELD)?);
        } else if let Some(additional) = get(schema, "additionalProperties") {
            self.path = self.path.key(name);
            self.schema = Some(additional).filter(|additional| additional.is_object());
        } else {
            return Err(NO_FIELD.to_owned());
        }
        Ok(())
    }
}

/// The words of a path: dots, brackets, and what stands between them.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.0.as_bytes();
        let end = match bytes.first()? {
            b'\'' => {
                (1..bytes.len()).find(|at| bytes[*at] == b'\'' && bytes[at - 1] != b'\\').map(|at| at + 1)
            }
            b'.' | b'[' | b']' => Some(1),
            _ => bytes.iter().position(|byte| b".[]".contains(byte)),
        };
        let (token, rest) = self.0.split_at(end.unwrap_or(bytes.len()));
        self.0 = rest;
        Some(token)
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('a') => out.push('\x07'),
            Some('b') => out.push('\x08'),
            Some('f') => out.push('\x0c'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\x0b'),
            Some(c @ ('\'' | '\\')) => out.push(c),
            Some(c) => return Err(format!("invalid string literal: invalid escape char \\{c}")),
            None => out.push('\\'),
        }
    }
    Ok(out)
}
