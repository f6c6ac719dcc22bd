//! What an answer holds, before it has a media type.

use schema::{TypeId, Types};
use serde_json::Value;

use crate::negotiate::{MediaType, Output};
use crate::status::Status;

/// What a document is: the media types that write built-in types in a way of their own have to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An object of a built-in type.
    Object(TypeId),
    /// A list of objects of a built-in type.
    List(TypeId),
    /// Anything else.
    Untyped,
}

/// An object, a list, a table or a `Status`, as compact JSON with `kind` and `apiVersion`.
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

    /// The document in a media type, as it stands in the body of an answer. JSON ends with a line break, as Go's
    /// encoder ends it, but where it is printed for people.
    ///
    /// # Errors
    /// A text in it that the media type cannot hold.
    pub(crate) fn encode(self, output: Output) -> Result<Vec<u8>, Box<Status>> {
        match output.media {
            MediaType::Json if output.pretty => Ok(codec::json::pretty(&self.json)),
            MediaType::Json => {
                let mut json = self.json;
                json.push(b'\n');
                Ok(json)
            }
            MediaType::Yaml => {
                codec::yaml::write(&self.tree()).map_err(|error| Status::unclassified(error.to_string()))
            }
            MediaType::Cbor => Ok(self.cbor()),
        }
    }

    /// The document as an event of a watch, in a stream of its media type.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>
    pub(crate) fn event(self, kind: &str, media: MediaType) -> Vec<u8> {
        match media {
            MediaType::Cbor => {
                let mut out = Vec::new();
                codec::cbor::write_event(kind, &self.cbor(), &mut out);
                out
            }
            // There are no watches in YAML.
            MediaType::Json | MediaType::Yaml => {
                let mut out = Vec::with_capacity(self.json.len() + 40);
                out.extend_from_slice(b"{\"type\":\"");
                out.extend_from_slice(kind.as_bytes());
                out.extend_from_slice(b"\",\"object\":");
                out.extend_from_slice(&self.json);
                out.extend_from_slice(b"}\n");
                out
            }
        }
    }

    fn cbor(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.json.len());
        match (self.shape, self.tree()) {
            (Shape::Object(ty), value) => codec::cbor::write_typed(Types::builtin(), ty, &value, &mut out),
            (Shape::List(ty), Value::Object(list)) => {
                codec::cbor::write_typed_list(Types::builtin(), ty, &list, &mut out);
            }
            (_, value) => codec::cbor::write_self_described(&value, &mut out),
        }
        out
    }

    fn tree(&self) -> Value {
        // It was written by this server: what is not JSON would be a fault of its own.
        serde_json::from_slice(&self.json).unwrap_or_default()
    }
}
