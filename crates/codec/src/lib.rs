//! The media types of the Kubernetes API: bytes to [`schema::Node`], [`json_tree::Value`] to bytes.
#![deny(missing_docs)]

pub mod cbor;
pub mod explain;
pub mod json;
pub mod protobuf;
pub mod yaml;
