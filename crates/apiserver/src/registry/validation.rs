//! Code of validation that a host may load later: where it is put, and what finds it there.

use json_tree::{Value, json};

use kinds::List;

use crate::chunk::{self, Chunk, Late};
use crate::custom::Custom;
use crate::policy;
use crate::validation::{BuiltIn, Validation, custom_object};
use admission::pod_security;
use kinds::validate::{basics, expressions, others, workloads};
use kinds::validation::{Change, Resource, ValidationResult};

/// The code of [`Chunk::Workloads`].
#[derive(Clone, Copy)]
pub(crate) struct Workloads {
    pub(crate) built_in: BuiltIn,
    pub(crate) pod_security: pod_security::Look,
}

impl Workloads {
    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        Self { built_in: chunk::address(workloads), pod_security: chunk::address(pod_security::violations) }
    }
}

/// The code of [`Chunk::Expressions`].
#[derive(Clone, Copy)]
pub(crate) struct Expressions {
    pub(crate) built_in: BuiltIn,
    pub(crate) custom: fn(&crate::resource::Resource, &Custom, &Change<'_>) -> ValidationResult,
    pub(crate) policy: fn(&Value) -> Value,
}

impl Expressions {
    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        Self {
            built_in: chunk::address(expressions),
            custom: chunk::address(custom_object::here),
            policy: chunk::address(policy::evaluate::evaluate),
        }
    }
}

/// The slot for the validation of [`Chunk::Writes`].
pub(crate) static BASICS: Late<BuiltIn> = Late::new(Chunk::Writes);
/// The slot for the code of [`Chunk::Workloads`].
pub(crate) static WORKLOADS: Late<Workloads> = Late::new(Chunk::Workloads);
/// The slot for the code of [`Chunk::Validation`].
pub(crate) static OTHERS: Late<BuiltIn> = Late::new(Chunk::Validation);
/// The slot for the code of [`Chunk::Expressions`].
pub(crate) static EXPRESSIONS: Late<Expressions> = Late::new(Chunk::Expressions);

impl Validation {
    /// By itself.
    pub const HERE: Self = Self {
        built_in: |resource, change| here(resource)(resource, change),
        pod_security: pod_security::violations,
        custom: custom_object::here,
        policy: policy::evaluate::evaluate,
    };

    /// By code that is looked for where it was put: see [`code`](crate::code). Without that, nothing is valid.
    pub const LATE: Self = Self {
        built_in: |resource, change| match late(resource) {
            Ok(built_in) => built_in(resource, change),
            Err(why) => ValidationResult::unknown(why),
        },
        pod_security: |policy, metadata, spec| match WORKLOADS.get() {
            Ok(workloads) => (workloads.pod_security)(policy, metadata, spec),
            Err(why) => vec![pod_security::Violation::unknown(why)],
        },
        custom: |resource, custom, change| match EXPRESSIONS.get() {
            Ok(expressions) => (expressions.custom)(resource, custom, change),
            Err(why) => ValidationResult::unknown(why),
        },
        policy: |question| match EXPRESSIONS.get() {
            Ok(expressions) => (expressions.policy)(question),
            Err(why) => json!({ "error": why }),
        },
    };
}

/// Returns the chunk that the validation of a built-in kind is in.
pub(crate) fn chunk_of(group: &str, resource: &str) -> Chunk {
    match kinds::list_of(group, resource) {
        List::Basics => Chunk::Writes,
        List::Workloads => Chunk::Workloads,
        List::Expressions => Chunk::Expressions,
        List::Others => Chunk::Validation,
    }
}

/// Returns what validates a resource.
fn here(resource: Resource<'_>) -> BuiltIn {
    match kinds::list_of(resource.group, resource.resource) {
        List::Basics => basics,
        List::Workloads => workloads,
        List::Expressions => expressions,
        List::Others => others,
    }
}

/// Returns what validates a resource, where that was put.
fn late(resource: Resource<'_>) -> Result<BuiltIn, String> {
    Ok(match kinds::list_of(resource.group, resource.resource) {
        List::Basics => *BASICS.get()?,
        List::Workloads => WORKLOADS.get()?.built_in,
        List::Expressions => EXPRESSIONS.get()?.built_in,
        List::Others => *OTHERS.get()?,
    })
}
