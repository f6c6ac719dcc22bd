//! The patches of the Kubernetes API as pure functions: JSON Merge Patch, JSON Patch and Strategic Merge Patch.
//!
//! - [`merge::apply`] puts the members of one document over those of another (RFC 7386).
//! - [`json_patch::Patch`] is a list of operations (RFC 6902), as Go's `json-patch` understands them.
//! - [`strategic::apply`] merges by the schema: lists by their keys, with directives; [`strategic::convert()`]
//!   brings the result into the shape of its type.
//!
//! <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/>
#![deny(missing_docs)]

pub mod error;
pub mod json_patch;
pub mod merge;
pub mod strategic;
mod tree;

pub use error::Error;
