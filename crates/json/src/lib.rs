//! Trees of JSON: `serde_json` for this workspace, which knows the crate by that name.
//!
//! Reading and writing text is what serde_json does, and is taken from it. The trees are not: its maps that keep their
//! order hash every key with SipHash, have a table besides their entries, and make each [`Value`] 72 bytes large. Objects
//! of Kubernetes consist of small maps, which [`Map`] has as a list of entries; a value is 32 bytes. Whoever uses a tree
//! finds the functions of serde_json here under their names, as far as they are needed.
//!
//! ```
//! use kubeglass_json::{Value, json};
//!
//! let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "main"}]}});
//! assert_eq!(pod["spec"]["containers"][0]["name"], "main");
//! assert_eq!(pod.to_string(), r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"main"}]}}"#);
//! assert_eq!(kubeglass_json::from_str::<Value>(&pod.to_string()).unwrap(), pod);
//! ```
#![deny(missing_docs)]

mod convert;
mod equal;
mod index;
mod macros;
pub mod map;
mod read;
pub mod value;
mod write;

pub use index::Index;
pub use map::Map;
pub use original::{
    Deserializer, Error, Number, Result, Serializer, de, error, from_reader, from_slice, from_str, ser,
    to_string, to_string_pretty, to_vec, to_vec_pretty, to_writer, to_writer_pretty,
};
pub use read::from_value;
pub use value::Value;
pub use write::to_value;
