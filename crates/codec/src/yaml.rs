//! YAML as kube-apiserver reads and writes it, which is as Go's `sigs.k8s.io/yaml` does, by go-yaml v2.
//!
//! - [`parse()`] reads the first document of a stream into a [`Node`], or says with Go's words why it cannot.
//! - [`parse_document`] also tells which keys stood twice in a map, for
//!   [field validation](https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation).
//! - [`write`](write()) makes YAML of a value, byte for byte as Go does.
//!
//! ```
//! use codec::yaml;
//!
//! let node = yaml::parse(b"data: {on: 0644, text: '0644'}").unwrap();
//! let value = codec::json::to_value(&node).unwrap();
//! assert_eq!(value.to_string(), r#"{"data":{"text":"0644","true":420}}"#);
//! assert_eq!(yaml::write(&value).unwrap(), b"data:\n  text: \"0644\"\n  \"true\": 420\n");
//! ```

mod analysis;
mod compose;
mod decode;
mod emit;
mod error;
mod number;
mod order;
mod output;
mod parse;
mod reader;
mod resolve;
mod scalar;
mod scan;
mod timestamp;

pub use decode::Duplicate;
pub use emit::write;
pub(crate) use emit::write_in_order;
pub use error::Error;
pub use schema::Node;

use crate::json::MAX_DEPTH;

/// How deeply go-yaml lets collections stand in one another.
const MAX_NESTING: usize = 10_000;
const TOO_DEEP: &str = "exceeded max depth of 10000";

/// The content of a document, and the duplicate keys that a strict reader reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The JSON that Go makes of it: maps in the order of their keys, of duplicate keys the last.
    pub node: Node<'static>,
    /// The keys that stood twice in a map, in the order in which Go finds them.
    pub duplicates: Vec<Duplicate>,
}

impl Document {
    /// The error of Go's `UnmarshalStrict`, if keys stood twice.
    pub fn strict_error(&self) -> Option<String> {
        if self.duplicates.is_empty() {
            return None;
        }
        let lines: String = self.duplicates.iter().map(|duplicate| format!("\n  {duplicate}")).collect();
        Some(format!("yaml: unmarshal errors:{lines}"))
    }
}

/// Reads the first document of a stream; without any, that is null. Later documents are not looked at.
///
/// As in Go, the document becomes JSON first: keys are strings, maps are in the order of their keys, and of
/// duplicate keys the last counts.
///
/// # Errors
/// The error that go-yaml or Go's JSON encoder would report: see [`Error`]. More than [`MAX_DEPTH`] collections inside
/// one another, and documents that are mostly aliases, or much larger than their text by them, are refused.
pub fn parse(bytes: &[u8]) -> Result<Node<'static>, Error> {
    parse_document(bytes).map(|document| document.node)
}

/// As [`parse()`], with the keys that stood twice.
///
/// # Errors
/// Those of [`parse()`].
pub fn parse_document(bytes: &[u8]) -> Result<Document, Error> {
    let text = reader::read(bytes);
    let graph = compose::compose(&text)?;
    let (node, duplicates) = decode::decode(&graph, bytes.len())?;
    Ok(Document { node, duplicates })
}
