//! The Common Expression Language, as Kubernetes uses it: in the rules of custom resources and in admission policies.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/>. A text is read and its types are checked by
//! [`Env::compile`]; a [`Program`] tells what it may cost, and is evaluated under a [`Budget`]. What functions there are
//! is data: tables of [`Function`]s. Objects are never copied: a [`Value`] points into the JSON that it is a view of, and
//! a [`Declared`] type says how to look at it.
#![deny(missing_docs)]

mod ast;
mod budget;
mod checker;
mod compile;
mod cost;
mod env;
mod error;
mod eval;
mod function;
mod lexer;
mod library;
mod names;
mod parser;
mod program;
mod source;
mod stdlib;
mod types;
mod value;

pub use budget::{Budget, CALL_LIMIT, DEFINITION_ESTIMATE_LIMIT, OBJECT_LIMIT, RULE_ESTIMATE_LIMIT};
pub use env::Env;
pub use error::Error;
pub use eval::Composition;
pub use function::{Call, Function, Operand, Overload, Price, Size};
pub use library::authorizer::{Authority, Authorizer, Check, Decision};
pub use names::{RESERVED, escape, unescape};
pub use program::Program;
pub use source::Issues;
pub use types::declared::{Declared, Field, ListKind, Object, Shape};
pub use types::{Sig, Type};
pub use value::{Duration, List, Made, Map, Opaque, Text, Timestamp, Value, order};
