//! What an answer holds, before it has a media type.

use std::borrow::Cow;

use json_tree::Value;
use schema::TypeId;

use crate::format::Format;
use crate::negotiate::Output;
use crate::status::Status;

/// The Go package of the types that all groups share.
pub(crate) const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// The Go package of the types of aggregated discovery.
pub(crate) const DISCOVERY: &str = "k8s.io/api/apidiscovery/v2";

/// What a document is: the media types that write built-in types in a way of their own have to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An object of a built-in type.
    Object(TypeId),
    /// A list of objects of a built-in type.
    List(TypeId),
    /// A `PartialObjectMetadata`.
    Metadata,
    /// A `PartialObjectMetadataList`.
    MetadataList,
    /// Anything else.
    Untyped,
}

/// An object, a list, a table or a `Status`, as compact JSON with `kind` and `apiVersion`. That of what has no type may
/// tell floats from integers.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// The JSON.
    pub(crate) json: Vec<u8>,
    /// What it is.
    pub(crate) shape: Shape,
}

impl Document {
    /// A document that no type describes.
    pub(crate) fn untyped(value: &Value) -> Self {
        Self { json: codec::json::to_vec(value), shape: Shape::Untyped }
    }

    /// The document as it stands in the body of an answer. JSON ends with a line break, as Go's encoder ends it, but
    /// where it is printed for people.
    ///
    /// # Errors
    /// A text in it that the media type cannot hold.
    pub(crate) fn encode(self, output: Output) -> Result<Vec<u8>, Box<Status>> {
        let mut body = match self.bytes(output.format).map_err(Status::unclassified)? {
            Cow::Owned(body) => body,
            // What was borrowed is the JSON itself.
            Cow::Borrowed(_) => self.json,
        };
        match (output.format.pretty, output.pretty) {
            (true, true) => body = codec::json::pretty(&body),
            (true, false) => body.push(b'\n'),
            (false, _) => {}
        }
        Ok(body)
    }

    /// The document in a media type.
    ///
    /// # Errors
    /// A text in it that the media type cannot hold.
    pub(crate) fn bytes(&self, format: &Format) -> Result<Cow<'_, [u8]>, String> {
        if self.shape == Shape::Untyped
            && !format.floats
            && let Cow::Owned(json) = codec::json::plain(&self.json)
        {
            let plain = Self { json, shape: self.shape };
            return (format.encode)(&plain).map(|bytes| Cow::Owned(bytes.into_owned()));
        }
        (format.encode)(self)
    }

    /// The document as a tree.
    pub(crate) fn tree(&self) -> Value {
        // It was written by this server: what is not JSON would be a fault of its own.
        serde_json::from_slice(&self.json).unwrap_or_default()
    }
}
