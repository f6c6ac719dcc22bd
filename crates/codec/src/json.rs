//! JSON as kube-apiserver reads and writes it, which is as Go's `encoding/json` and `sigs.k8s.io/json` do.
//!
//! - [`parse()`] reads a document into a [`Node`], or says with Go's words why it is none.
//! - [`to_value`] makes of a node what Go makes of it without a type.
//! - [`write()`] appends a value as `json.Marshal` does, [`write_string`] and [`write_f64`] a part of one.
//! - [`write_exact`] tells floats from integers, and [`plain`] takes that back.
//! - [`pretty`] lays compact JSON out as `json.MarshalIndent` with two spaces does.
//!
//! ```
//! let node = codec::json::parse(br#"{"data": {"k": "<v>"}}"#).unwrap();
//! let value = codec::json::to_value(&node).unwrap();
//! assert_eq!(codec::json::to_vec(&value), br#"{"data":{"k":"\u003cv\u003e"}}"#);
//! ```

mod error;
mod exact;
mod indent;
mod parse;
mod text;
mod write;

pub use error::SyntaxError;
pub use exact::{plain, write_exact};
pub use indent::pretty;
pub use parse::{MAX_DEPTH, parse};
pub use schema::Node;
pub use schema::decode::{RangeError, to_value};
pub(crate) use write::write_node_by;
pub use write::{to_vec, to_vec_unescaped, write, write_f64, write_map, write_node, write_string};
