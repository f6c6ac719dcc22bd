//! A document, and what it means with and without a type.

use schema::{Node, TypeId, Types};

use super::item::{Item, parse as parse_item};
use super::{Error, diagnose, typed, untyped};

/// A well-formed data item.
///
/// Kubernetes reads a body in three steps, of which each has its own place in the response if it fails: the bytes have to
/// be CBOR ([`Self::parse`]), then `apiVersion` and `kind` are found out ([`Self::type_meta`]), then the object
/// of that kind ([`Self::typed`], [`Self::untyped`]). Both of the first two are `unable to determine
/// group/version/kind` to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<'a>(Item<'a>);

/// A document, read by its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed<'a> {
    /// The document for [`schema::decode()`], which will find nothing wrong with it that this error is not about, but
    /// in times, quantities and durations.
    pub node: Node<'a>,
    /// The strict error, if there are fields that the type does not have. There is one at most, and it does not say
    /// which field it is about. Those that [`schema::decode()`] reports do not count.
    pub unknown: Option<Error>,
}

/// Reads a document without a type: [`Document::parse`] and [`Document::untyped`].
///
/// # Errors
/// Theirs.
pub fn parse(bytes: &[u8]) -> Result<Node<'_>, Error> {
    Document::parse(bytes)?.untyped()
}

impl<'a> Document<'a> {
    /// Reads one data item. What becomes of it is not much larger than `bytes`.
    ///
    /// # Errors
    /// The first place where the bytes stop to be CBOR, or are what Kubernetes has no use for: numbers that JSON does
    /// not have, too much of too much.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        parse_item(bytes).map(Self)
    }

    /// `apiVersion` and `kind`, both empty where there is none.
    ///
    /// # Errors
    /// The document is no map, or one of the two no text, or one of the keys that are not among them stands twice.
    pub fn type_meta(&self) -> Result<(String, String), Error> {
        let Node::Map(entries) = typed::type_meta(&self.0)? else { return Ok(Default::default()) };
        let text = |name: &str| match entries.iter().find(|(key, _)| key == name) {
            Some((_, Node::String(text))) => text.as_ref().to_owned(),
            _ => String::new(),
        };
        Ok((text("apiVersion"), text("kind")))
    }

    /// The document as an object of a built-in type.
    ///
    /// # Errors
    /// Values that their fields cannot hold, and keys that occur twice.
    pub fn typed(&self, types: &Types, ty: TypeId) -> Result<Typed<'a>, Error> {
        match typed::object(&self.0, types, ty, true) {
            Ok(node) => Ok(Typed { node, unknown: None }),
            Err(error) if error.is_unknown_field() => {
                Ok(Typed { node: typed::object(&self.0, types, ty, false)?, unknown: Some(error) })
            }
            Err(error) => Err(error),
        }
    }

    /// The document as an object without a type, as custom resources and patches are. Floats remain floats, also
    /// whole ones.
    ///
    /// # Errors
    /// It is not a map, or has keys that are not text or stand twice, or what JSON does not have.
    pub fn untyped(&self) -> Result<Node<'a>, Error> {
        untyped::object(&self.0)
    }
    /// The document in diagnostic notation, by which Kubernetes says in which one `Object 'Kind' is missing`.
    /// See <https://www.rfc-editor.org/rfc/rfc8949.html#name-diagnostic-notation>.
    pub fn diagnose(&self) -> String {
        let mut out = String::new();
        diagnose::write(&self.0, &mut out);
        out
    }
}
