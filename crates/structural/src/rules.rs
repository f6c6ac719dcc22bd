//! `x-kubernetes-validations`: rules in the Common Expression Language.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules>.
//! A rule belongs to a node of the schema. Its `self` is the value there, its `oldSelf` what that value was, if that can
//! be told. [`compile()`] reads all rules of a schema once and says what is wrong with them, [`validate`] runs them.

mod compile;
mod cost;
mod declare;
mod field_path;
mod run;

use std::sync::Arc;

use cel::{Declared, Program};

use crate::{Rule, Structural};

pub use compile::compile;
pub use field_path::field_path;
pub use run::{Verdict, unchecked, validate};

/// The cost limit of all rules of an object together.
pub const BUDGET: u64 = cel::OBJECT_LIMIT;

/// The rules of a schema, ready to run.
#[derive(Debug, Default)]
pub struct Compiled {
    root: Option<Node>,
}

impl Compiled {
    /// Reports whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }
}

/// The rules of a node of the schema, and of the nodes below it that have any.
#[derive(Debug)]
struct Node {
    declared: Arc<Declared>,
    rules: Vec<Ready>,
    items: Option<Box<Self>>,
    additional: Option<Box<Self>>,
    properties: Vec<(String, Self)>,
}

/// A rule that can be run.
#[derive(Debug)]
struct Ready {
    program: Program,
    message: Option<Program>,
    uses_old: bool,
    rule: Rule,
    /// `fieldPath` as errors have it; empty if there is none.
    field: String,
}

impl Rule {
    /// Returns the name of the rule in errors: its message, or else its expression.
    fn label(&self) -> &str {
        if self.message.is_empty() { self.rule.trim() } else { self.message.trim() }
    }

    /// Reports whether `oldSelf` is an optional value.
    fn is_optional(&self) -> bool {
        self.optional_old_self == Some(true)
    }
}

/// Reports whether the object that the schema describes is a resource of its own.
fn is_resource(schema: &Structural) -> bool {
    schema.embedded_resource
}

#[cfg(test)]
mod tests;
