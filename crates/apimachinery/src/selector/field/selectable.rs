//! The fields by which objects can be selected.

use std::borrow::Cow;

use json_tree::Value;

use super::unknown_label;

/// The place of a label's value in an object, and the value that counts if there is none.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// A string, or a number or boolean printed, at this JSON pointer; the second text if it is missing.
    At(&'static str, &'static str),
    /// The first of several places that holds a non-empty value.
    FirstOf(&'static [&'static str]),
    /// Nowhere: the label is allowed, and always empty.
    Nowhere,
}

/// A label, and where its value comes from.
pub type Label = (&'static str, Source);

/// How the API server words that a label is not known to a resource that has labels of its own.
#[derive(Clone, Copy, Debug)]
pub enum Unknown {
    /// `field label not supported: x`
    Plain,
    /// `field label "x" not supported for KIND`
    Of(&'static str),
    /// `field label not supported for KIND: x`
    For(&'static str),
}

/// The fields by which the objects of a kind can be selected.
#[derive(Clone, Copy, Debug)]
pub struct SelectableFields {
    /// True if objects live in namespaces.
    pub namespaced: bool,
    /// The labels of the kind, besides `metadata.name` and `metadata.namespace`.
    pub labels: &'static [Label],
    /// Names that clients may use for labels: the name, and the label.
    pub aliases: &'static [(&'static str, &'static str)],
    /// True if clients may use no other names for the kind's own labels.
    pub only_aliases: bool,
    /// How the API server words that a label is not known.
    pub unknown: Unknown,
}

impl SelectableFields {
    /// These labels, under no other names.
    pub const fn of(namespaced: bool, labels: &'static [Label]) -> Self {
        Self { namespaced, labels, aliases: &[], only_aliases: false, unknown: Unknown::Plain }
    }
}

/// The label that a client means by `label`, or the message of the Status if the kind has none such.
pub(super) fn resolve<'a>(fields: Option<&SelectableFields>, label: &'a str) -> Result<Cow<'a, str>, String> {
    let Some(fields) = fields else {
        return match label {
            "metadata.name" | "metadata.namespace" => Ok(Cow::Borrowed(label)),
            _ => Err(unknown_label(label)),
        };
    };
    match label {
        "metadata.name" => Ok(Cow::Borrowed(label)),
        "metadata.namespace" if fields.namespaced => Ok(Cow::Borrowed(label)),
        _ => {
            if let Some((_, meant)) = fields.aliases.iter().find(|(alias, _)| *alias == label) {
                return Ok(Cow::Borrowed(meant));
            }
            if !fields.only_aliases && fields.labels.iter().any(|(known, _)| *known == label) {
                return Ok(Cow::Borrowed(label));
            }
            Err(match fields.unknown {
                Unknown::Plain => format!("field label not supported: {label}"),
                Unknown::Of(kind) => {
                    format!("field label {} not supported for {kind}", field::quote(label))
                }
                Unknown::For(kind) => format!("field label not supported for {kind}: {label}"),
            })
        }
    }
}

/// The labels of an object and their values: `metadata.name`, `metadata.namespace` if it has one, and those special
/// to the kind (`own`). A label that is missing counts as empty.
pub fn selectable(own: Option<&'static SelectableFields>, object: &Value) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    for (label, pointer) in
        [("metadata.name", "/metadata/name"), ("metadata.namespace", "/metadata/namespace")]
    {
        if let Some(value) = text_at(object, pointer) {
            fields.push((label, value));
        }
    }
    let special = own.map_or(&[][..], |own| own.labels);
    fields.extend(special.iter().map(|(label, source)| (*label, value(object, *source))));
    fields
}

fn value(object: &Value, source: Source) -> String {
    match source {
        Source::At(pointer, missing) => text_at(object, pointer).unwrap_or_else(|| missing.to_owned()),
        Source::FirstOf(pointers) => pointers
            .iter()
            .find_map(|pointer| text_at(object, pointer).filter(|text| !text.is_empty()))
            .unwrap_or_default(),
        Source::Nowhere => String::new(),
    }
}

/// The scalar at `pointer` as text.
fn text_at(object: &Value, pointer: &str) -> Option<String> {
    match object.pointer(pointer)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
