//! Trees of JSON: what `serde_json::Value` and `serde_json::Map` are elsewhere, for objects of few fields.
//!
//! Reading and writing text is what serde_json does. Its maps that keep their order hash every key with SipHash, have a table
//! besides their entries, and make each value 72 bytes large. Objects of Kubernetes consist of small maps, which [`Map`] has as
//! a list of entries; a [`Value`] is 32 bytes. Both have the functions of their counterparts, as far as they are needed.
//!
//! ```
//! use kubeglass_json_tree::{Value, json};
//!
//! let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "main"}]}});
//! assert_eq!(pod["spec"]["containers"][0]["name"], "main");
//! assert_eq!(pod.to_string(), r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"main"}]}}"#);
//! assert_eq!(serde_json::from_str::<Value>(&pod.to_string()).unwrap(), pod);
//! ```
#![deny(missing_docs)]

mod convert;
mod equal;
mod macros;
mod read;
mod sort;
pub mod value;
mod write;

#[doc(hidden)]
pub use macros::{put, value_of};
pub use read::from_value;
pub use serde_json::Number;
pub use sort::{sort, sort_by, sort_once};
pub use value::index::Index;
pub use value::map::Map;
pub use value::{Value, map};
pub use write::to_value;
