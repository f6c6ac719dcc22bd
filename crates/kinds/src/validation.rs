//! Validation of objects: what all kinds have in common. What is special to a kind is in its own folder.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/>. Every error becomes a cause of a Status with
//! the reason `Invalid`; [`field::aggregate`] makes its message.

pub(crate) mod address;
pub(crate) mod checks;
pub(crate) mod condition;
pub(crate) mod der;
pub mod embedded;
pub mod go_diff;
pub mod internal;
pub(crate) mod label_selector;
pub mod metadata;
pub(crate) mod node_selector;
pub(crate) mod read;
pub(crate) mod values;
pub(crate) mod warnings;

pub use field::name;

use json_tree::Value;

use field::{Error, Path};

/// A resource as validation sees it.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The plural name in lower case.
    pub resource: &'a str,
    /// True if the resource's objects live in namespaces.
    pub namespaced: bool,
}

/// A change to validate.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// A new object.
    New(&'a Value),
    /// A question, which is answered and not stored.
    Question(&'a Value),
    /// A changed object.
    Part {
        /// The subresource that it was changed by; empty for the object itself.
        subresource: &'a str,
        /// The new object.
        object: &'a Value,
        /// The old object.
        old: &'a Value,
    },
}

/// The result of the validation of a change.
#[derive(Debug, Default)]
pub struct ValidationResult {
    /// The errors in the change.
    pub errors: Vec<Error>,
    /// The warnings for its writer.
    pub warnings: Vec<String>,
}

impl ValidationResult {
    /// Returns the result for an object that could not be validated: it is refused.
    pub fn unknown(why: String) -> Self {
        Self { errors: vec![Error::internal(Path::default(), why)], warnings: Vec::new() }
    }

    /// These errors, or these warnings if there are none.
    pub fn of(errors: Vec<Error>, warnings: impl FnOnce() -> Vec<String>) -> Self {
        let warnings = if errors.is_empty() { warnings() } else { Vec::new() };
        Self { errors, warnings }
    }
}

/// Compares errors with the text that they have in a message; no errors have none.
#[cfg(test)]
#[track_caller]
pub fn check(errors: &[Error], expected: &str) {
    let text = if errors.is_empty() { String::new() } else { field::aggregate(errors) };
    assert_eq!(text, expected);
}
