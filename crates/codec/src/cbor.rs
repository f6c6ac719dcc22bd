//! CBOR as kube-apiserver reads and writes it.
//!
//! - [`Document::parse`] reads a data item, and says what about it is not well-formed. What it means is found out
//!   with the type that it should be of ([`Document::typed`]) or without one ([`Document::untyped`], [`parse`]).
//! - [`write()`], [`write_typed`] and [`write_typed_list`] append a value, [`write_event`] an event of a watch.
//! - [`explain()`] says what each byte of a document is.
//!
//! Strings are byte strings, so that they need not be UTF-8. What is `[]byte` to Go is tagged as something that JSON
//! would have in Base64. Whole documents, and the objects in events, begin with [`SELF_DESCRIBED`].
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#cbor-encoding>.
//!
//! ```
//! let node = codec::cbor::parse(b"\xa1Ak\xf9\x3c\x00").unwrap();
//! let value = codec::json::to_value(&node).unwrap();
//! let mut out = Vec::new();
//! codec::cbor::write_self_described(&value, &mut out);
//! assert_eq!(out, b"\xd9\xd9\xf7\xa1Ak\xf9\x3c\x00");
//! ```

mod diagnose;
mod document;
mod error;
mod explain;
mod item;
mod text;
mod typed;
mod untyped;
mod write;

use std::borrow::Cow;

use item::Item;
use text::Later;

pub use document::{Document, Typed, parse};
pub use error::Error;
pub use explain::explain;
pub use item::{MAX_ITEMS, MAX_NESTING, MAX_PAIRS};
pub use write::{SELF_DESCRIBED, write, write_event, write_self_described, write_typed, write_typed_list};

/// Reads a key of a map as Go's `string`, whatever it is: also where the map has no type.
fn key_text<'a>(item: &Item<'a>, later: Option<Later>) -> Result<Cow<'a, str>, Error> {
    typed::string(item, later)
}
