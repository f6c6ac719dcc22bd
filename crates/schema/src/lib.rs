//! The form of each built-in Kubernetes kind: the resources that are served, the fields of their
//! types, and decoding by them. Besides: quantities, and how Go prints JSON values.
#![deny(missing_docs)]

pub mod decode;
mod fields;
pub mod go;
mod keyless;
mod nil;
pub mod node;
pub mod quantity;
pub mod resources;
pub mod types;
pub mod zero;

pub use decode::{DecodeError, Decoded, StrictError, convert, decode, decode_scalar};
pub use fields::Fields;
pub use json_tree::{sort, sort_by, sort_once};
pub use nil::nil_empty_lists;
pub use node::Node;
pub use resources::{Described, Resource, Storage, Subresource, api_version, resource, resources};
pub use types::{Embedded, Empty, Field, FieldType, ListType, Part, PatchStrategy, Type, TypeId, Types};
pub use zero::{empty_element, zero, zero_value};
