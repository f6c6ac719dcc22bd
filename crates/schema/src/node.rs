//! Documents that a client sent, before any schema is applied to them.

use std::borrow::Cow;

use json_tree::Value;

/// A parsed document as its sender wrote it: keys in the sender's order, duplicates still there, numbers
/// as their literal text. Every media type but Protobuf, whose numbers say what its parts are, decodes to this;
/// [`crate::decode()`] turns it into the object that it means.
///
/// The discriminant takes a whole word, so that nodes are moved in words: in odd pieces, reading one that was just written
/// takes many times as long.
#[derive(Clone, Debug, PartialEq)]
#[repr(usize)]
pub enum Node<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as the literal that stood in the document (`1`, `-0.0`, `1e3`).
    Number(Cow<'a, str>),
    /// Text. Invalid UTF-8 has become U+FFFD, as in Go.
    String(Cow<'a, str>),
    /// A list.
    List(Vec<Self>),
    /// A map: its entries in the order of the document, duplicates included.
    Map(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> From<&'a Value> for Node<'a> {
    /// The document that says just this.
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Number(number) => Self::Number(Cow::Owned(number.to_string())),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(map) => Self::Map(
                map.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), value.into())).collect(),
            ),
        }
    }
}
