//! The validation of a server, as functions that a host may have loaded later.

pub(crate) mod custom_object;

use std::fmt;

use json_tree::Value;
use kinds::validation::{Change, Resource, ValidationResult};

use crate::custom::Custom;
use admission::pod_security;

/// Validates objects of built-in kinds.
pub(crate) type BuiltIn = fn(Resource<'_>, &Change<'_>) -> ValidationResult;

/// The validation of a server: functions of objects and their definitions, and of nothing else.
#[derive(Clone, Copy)]
pub struct Validation {
    /// Says of objects of built-in kinds what is wrong with them.
    pub(crate) built_in: BuiltIn,
    /// Says of pods what they violate of the Pod Security Standards.
    pub(crate) pod_security: pod_security::Look,
    /// Says of custom objects what is wrong with them.
    pub(crate) custom: fn(&crate::resource::Resource, &Custom, &Change<'_>) -> ValidationResult,
    /// Says of requests what the policies that they concern say.
    pub(crate) policy: fn(&Value) -> Value,
}

impl fmt::Debug for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Validation")
    }
}
