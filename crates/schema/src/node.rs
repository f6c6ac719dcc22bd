//! What a client sent, before any schema has looked at it.

use std::borrow::Cow;

/// A parsed document as its sender wrote it: keys in the sender's order, duplicates still there, numbers
/// as their literal text. Every media type decodes to this; [`crate::decode()`] turns it into the object
/// that it means.
#[derive(Clone, Debug, PartialEq)]
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
