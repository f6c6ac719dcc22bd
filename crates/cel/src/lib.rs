//! The Common Expression Language, as Kubernetes uses it: in the rules of custom resources and in admission policies.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/>. What functions there are is
//! data: tables of [`Function`]s. Objects are never copied: a [`Value`] points into the JSON that it is a view of, and
//! a [`Declared`] type says how to look at it.
#![deny(missing_docs)]
#![allow(dead_code, clippy::use_self)]

mod declared;
mod error;
mod function;
mod library;
mod names;
mod types;
mod value;

pub use declared::{Declared, Field, ListKind, Object, Shape};
pub use error::Error;
pub use function::{Call, Function, Operand, Overload, Price, Size};
pub use names::{escape, unescape};
pub use types::{Sig, Type};
pub use value::{Duration, List, Map, Opaque, Text, Timestamp, Value, order};
