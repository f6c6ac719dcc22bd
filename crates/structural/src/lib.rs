//! Validation, pruning and defaulting of objects by the schema of a CustomResourceDefinition, as pure functions over
//! JSON trees.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>.
//!
//! [`Structural::parse`] reads a schema once; everything else takes it. What a client sends goes through, in this
//! order:
//!
//! 1. [`prune()`] (the paths that it returns are the unknown fields), [`drop_nulls`] and [`coerce_metadata`]: a body of
//!    POST and PUT, and the result of a patch; not a configuration that is applied. The metadata of the root itself is
//!    [`coerce_object_meta`]'s.
//! 2. [`default`]: always, and again on whatever is read from storage.
//! 3. [`validate()`], [`validate_metadata`] and [`validate_lists`], whose errors stand in this order.
//! 4. [`rules::validate`], or instead of that [`rules::unchecked`].
//!
//! An object that is read from storage goes through 1 with [`Malformed::Drop`], then through 2.
#![deny(missing_docs)]

mod correlation;
mod defaults;
mod format;
mod list_type;
mod metadata;
mod pattern;
mod prune;
pub mod rules;
mod schema;
mod validate;

pub use defaults::{default, drop_nulls};
pub use format::is_known_format;
pub use list_type::validate_lists;
pub use metadata::{Malformed, coerce_metadata, coerce_object_meta, validate_metadata};
pub use pattern::Pattern;
pub use prune::prune;
pub use schema::{AdditionalProperties, ListType, MapType, Rule, Structural, Type};
pub use validate::{validate, validate_below};
