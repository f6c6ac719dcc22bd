//! The content of a response, before it has a media type.

use json_tree::Value;
use schema::TypeId;

/// The Go package of the types that all groups share.
pub(crate) const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// The Go package of the types of aggregated discovery.
pub(crate) const DISCOVERY: &str = "k8s.io/api/apidiscovery/v2";

/// The shape of a document: the media types that write built-in types in a way of their own have to know.
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
    /// The shape of the document.
    pub(crate) shape: Shape,
}

impl Document {
    /// A document that no type describes.
    pub(crate) fn untyped(value: &Value) -> Self {
        Self { json: codec::json::to_vec(value), shape: Shape::Untyped }
    }

    /// The document as a tree.
    pub(crate) fn tree(&self) -> Value {
        // It was written by this server: what is not JSON would be a fault of its own.
        serde_json::from_slice(&self.json).unwrap_or_default()
    }
}
