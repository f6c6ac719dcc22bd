//! Field selectors.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/>.

mod selectable;

use std::borrow::Cow;
use std::fmt;

use field::quote;
pub use selectable::{Label, SelectableFields, Source, Unknown, selectable};

/// One of the conditions of a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The field label, such as `metadata.name`.
    pub field: String,
    /// True if the field must differ from the value.
    pub negated: bool,
    /// The value, without escapes.
    pub value: String,
}

/// A field selector: conditions that must all hold. An empty one selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

impl FieldSelector {
    /// Reads the query parameter `fieldSelector`. The error is the message of the Status: 400, reason `BadRequest`.
    /// Which labels there are is checked by [`Self::for_kind`].
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = split_terms(text);
        schema::sort_by(&mut parts, Ord::cmp);
        let terms = parts.into_iter().filter(|part| !part.is_empty()).map(|part| {
            let Some((field, negated, value)) = split_term(part) else {
                return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
            };
            Ok(Term { field: field.to_owned(), negated, value: unescape(value)?.into_owned() })
        });
        Ok(Self { terms: terms.collect::<Result<_, _>>()? })
    }

    /// Returns this selector less the conditions without label and value, which ask for nothing.
    pub fn without_empty(mut self) -> Self {
        self.terms.retain(|term| !term.field.is_empty() || !term.value.is_empty());
        self
    }

    /// Returns this selector with the labels of a kind (`fields`: those of its own). The error is the message of the
    /// Status: 400, reason `BadRequest`. Old labels become those of [`selectable`].
    pub fn for_kind(mut self, fields: Option<&SelectableFields>) -> Result<Self, String> {
        for term in &mut self.terms {
            term.field = selectable::resolve(fields, &term.field)?.into_owned();
        }
        Ok(self)
    }

    /// This selector, if the objects of a custom resource can be selected by its labels: by name, by namespace if it
    /// is `namespaced`, and by `selectable`, the JSON paths of the definition without the leading dot. The error is
    /// the message of the Status: 400, reason `BadRequest`.
    pub fn for_custom_resource(self, namespaced: bool, selectable: &[&str]) -> Result<Self, String> {
        let known = |label: &str| match label {
            "metadata.name" => true,
            "metadata.namespace" => namespaced,
            _ => selectable.contains(&label),
        };
        match self.terms.iter().find(|term| !known(&term.field)) {
            Some(term) => Err(format!("field label not supported: {}", term.field)),
            None => Ok(self),
        }
    }

    /// A selector of the one object with this name.
    pub fn by_name(name: &str) -> Self {
        Self { terms: vec![Term { field: "metadata.name".into(), negated: false, value: name.into() }] }
    }

    /// The conditions.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Reports whether the selector selects everything.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// How many conditions it has.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// The value that `field` must have, if the selector says so: the first one, should it say so twice.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.terms.iter().find(|term| !term.negated && term.field == field).map(|term| term.value.as_str())
    }

    /// Reports whether an object is selected; `get` looks up its fields, of which a missing one counts as empty.
    pub fn matches<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.terms.iter().all(|term| (get(&term.field).unwrap_or_default() == term.value) != term.negated)
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Term { field, negated, value }) in self.terms.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{field}{}{}", if *negated { "!=" } else { "=" }, escape(value))?;
        }
        Ok(())
    }
}

/// The parts between commas that no backslash precedes.
fn split_terms(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        if !escaped && c == ',' {
            parts.push(&text[start..at]);
            start = at + 1;
        }
        escaped = !escaped && c == '\\';
    }
    parts.push(&text[start..]);
    parts
}

/// Field, whether the operator is `!=`, and value; the first operator counts.
fn split_term(part: &str) -> Option<(&str, bool, &str)> {
    let at = part
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| part[*at..].starts_with('=') || part[*at..].starts_with("!="))?;
    let (field, rest) = part.split_at(at);
    match (rest.strip_prefix("!="), rest.strip_prefix("==")) {
        (Some(value), _) => Some((field, true, value)),
        (None, Some(value)) => Some((field, false, value)),
        (None, None) => Some((field, false, &rest[1..])),
    }
}

fn unescape(text: &str) -> Result<Cow<'_, str>, String> {
    if !text.contains(['\\', ',', '=']) {
        return Ok(Cow::Borrowed(text));
    }
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => value.push(escaped),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!("invalid field selector: invalid escape sequence: \\{other}"));
                }
            },
            ',' | '=' => {
                return Err(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                ));
            }
            _ => value.push(c),
        }
    }
    Ok(Cow::Owned(value))
}

fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        if matches!(c, '\\' | ',' | '=') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// The error of a label that is not among those of all resources.
fn unknown_label(label: &str) -> String {
    format!("{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", quote(label))
}

#[cfg(test)]
mod tests;
