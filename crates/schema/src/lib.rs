//! What each built-in Kubernetes kind looks like: the resources that are served, the fields of their
//! types, and decoding by them.
#![deny(missing_docs)]

pub mod node;

pub use node::Node;
