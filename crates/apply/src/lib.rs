//! Server-Side Apply: who owns which field of an object, and how an object changes when a configuration is applied.
//!
//! The layers are those of Go's structured-merge-diff, each of which knows only those above it in this list:
//!
//! - [`value`] compares values as Go does, and prints them as Go's errors do.
//! - [`path`] is one step from a value to one inside of it, [`set`] a set of fields and its JSON, `fieldsV1`.
//! - [`shape`] is what Server-Side Apply has to know of a type: what is a list, a map, or one value.
//! - [`typed`] is what can be done to a value by its shape: checking, comparing, merging, listing, removing.
//! - [`managers`] are the entries of `metadata.managedFields`.
//! - [`updater`] says what becomes of the entries, and of the object, when somebody updates or applies.
//! - [`scale`] is about who owns the replicas of a workload, [`last_applied`] about what `kubectl` noted.
//! - [`conflict`] is what applying is refused for.
//!
//! All of it is pure: the time is handed in as text.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/>
#![deny(missing_docs)]

pub mod conflict;
pub mod last_applied;
pub mod managers;
pub mod path;
pub mod scale;
pub mod set;
pub mod shape;
pub mod table;
pub mod typed;
pub mod updater;
pub mod value;

pub use conflict::Conflict;
pub use managers::{Entry, Manager, Managers, Operation};
pub use path::PathElement;
pub use set::Set;
pub use shape::Shape;
pub use updater::{Converter, Failure, Updater};
