//! Protobuf as kube-apiserver reads and writes it, by the field numbers that [`schema::Types`] has.
//!
//! - [`open`] reads the envelope that every document is in, [`decode()`] and [`decode_list`] the message inside.
//! - [`explain()`] says what each byte of a document is.
//! - [`write()`] and [`write_list`] append a document, which they take as JSON has been read, [`frame`] an event of a watch, which [`unframe`] reads.
//!
//! A message is written as Go's generated code does it: fields in the order of their numbers, those that are no
//! pointers also when they are empty, maps in the order of their keys.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding>.
//!
//! ```
//! use codec::protobuf::{self, Shape};
//!
//! let types = schema::Types::builtin();
//! let ty = types.find("k8s.io/api/core/v1", "Namespace").unwrap();
//! let mut out = Vec::new();
//! let namespace = codec::json::parse(br#"{"metadata": {"name": "a"}}"#).unwrap();
//! protobuf::write(types, Shape::Object(ty), "v1", "Namespace", &namespace, &mut out);
//! let envelope = protobuf::open(&out).unwrap();
//! assert_eq!((&*envelope.api_version, &*envelope.kind), ("v1", "Namespace"));
//! let namespace = protobuf::decode(types, Shape::Object(ty), envelope.raw).unwrap();
//! assert_eq!(namespace["metadata"]["name"], "a");
//! ```

mod decode;
mod envelope;
mod error;
mod explain;
mod names;
mod openapi;
mod scalar;
mod wire;
mod write;

pub use decode::{MAX_DEPTH, decode, decode_list};
pub use envelope::{Envelope, PREFIX, frame, open, unframe};
pub use error::Error;
pub use explain::explain;
pub use openapi::{OpenApi, write_openapi};
pub use write::{entry, write, write_list, write_message};

use schema::{TypeId, Types};

/// Which message an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One of a built-in type.
    Object(TypeId),
    /// `PartialObjectMetadata`: nothing but `metadata`.
    Metadata,
}

const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// A type of package `meta/v1`.
fn meta(types: &Types, name: &str) -> Option<TypeId> {
    types.find(META, name)
}
