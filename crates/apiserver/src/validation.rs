//! Validation of objects: their metadata, then what is special to their kind.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/>. Every error becomes a cause of a Status with
//! the reason `Invalid`; [`field::aggregate`] makes its message.

pub(crate) mod address;
pub(crate) mod custom_object;
pub(crate) mod der;
pub mod generate_name;
pub mod go_diff;
pub mod internal;
mod kinds;
pub mod metadata;
pub(crate) mod pem;
mod table;
mod warnings;

pub use field::name;
pub use generate_name::generate_name;
pub(crate) use kinds::{APPROVAL, is_certificate_bundle, is_protected_group, unrecognized_formats};

use std::fmt;

use json_tree::{Value, json};

use crate::chunk::{self, Chunk, Late};
use crate::custom::Custom;
use crate::subresource::part_of;
use crate::{pod_security, policy};
use field::{Error, Path};
use table::Pass;

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
pub(crate) struct ValidationResult {
    /// The errors in the change.
    pub(crate) errors: Vec<Error>,
    /// The warnings for its writer, if there are no errors.
    pub(crate) warnings: Vec<String>,
}

impl ValidationResult {
    /// Returns the result for an object that could not be validated: it is refused.
    fn unknown(why: String) -> Self {
        Self { errors: vec![Error::internal(Path::default(), why)], warnings: Vec::new() }
    }

    /// These errors, or these warnings if there are none.
    pub(crate) fn of(errors: Vec<Error>, warnings: impl FnOnce() -> Vec<String>) -> Self {
        let warnings = if errors.is_empty() { warnings() } else { Vec::new() };
        Self { errors, warnings }
    }
}

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
    pub(crate) custom: fn(&schema::Resource, &Custom, &Change<'_>) -> ValidationResult,
    /// Says of requests what the policies that they concern say.
    pub(crate) policy: fn(&Value) -> Value,
}

/// The code of [`Chunk::Workloads`].
#[derive(Clone, Copy)]
pub(crate) struct Workloads {
    pub(crate) built_in: BuiltIn,
    pub(crate) pod_security: pod_security::Look,
}

impl Workloads {
    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        Self {
            built_in: chunk::address(workloads),
            pod_security: chunk::address(pod_security::standards::violations),
        }
    }
}

/// The code of [`Chunk::Expressions`].
#[derive(Clone, Copy)]
pub(crate) struct Expressions {
    pub(crate) built_in: BuiltIn,
    pub(crate) custom: fn(&schema::Resource, &Custom, &Change<'_>) -> ValidationResult,
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
        pod_security: pod_security::standards::violations,
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
    kinds::chunk_of(group, resource)
}

/// Returns what validates a resource.
fn here(resource: Resource<'_>) -> BuiltIn {
    match chunk_of(resource.group, resource.resource) {
        Chunk::Writes => basics,
        Chunk::Workloads => workloads,
        Chunk::Expressions => expressions,
        _ => others,
    }
}

/// Returns what validates a resource, where that was put.
fn late(resource: Resource<'_>) -> Result<BuiltIn, String> {
    Ok(match chunk_of(resource.group, resource.resource) {
        Chunk::Writes => *BASICS.get()?,
        Chunk::Workloads => WORKLOADS.get()?.built_in,
        Chunk::Expressions => EXPRESSIONS.get()?.built_in,
        _ => *OTHERS.get()?,
    })
}

impl fmt::Debug for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Validation")
    }
}

/// The tables of one part of the built-in kinds.
#[derive(Clone, Copy)]
struct Kinds {
    of: CheckOf,
    of_part: CheckOfPart,
}

/// Group and resource: what is checked of objects.
type CheckOf = fn(&str, &str) -> kinds::Checks;
/// Group, resource and subresource: what is checked of changes by way of that.
type CheckOfPart = fn(&str, &str, &str) -> Option<kinds::Update>;

impl Kinds {
    /// Of the part that a resource is in.
    fn of(resource: Resource<'_>) -> Self {
        use kinds::{basics, expressions, others, workloads};
        match chunk_of(resource.group, resource.resource) {
            Chunk::Writes => Self { of: basics::of, of_part: basics::of_part },
            Chunk::Workloads => Self { of: workloads::of, of_part: workloads::of_part },
            Chunk::Expressions => Self { of: expressions::of, of_part: expressions::of_part },
            _ => Self { of: others::of, of_part: others::of_part },
        }
    }

    fn at(of: CheckOf, of_part: CheckOfPart) -> Self {
        Self { of: chunk::address(of), of_part: chunk::address(of_part) }
    }

    fn row(self, resource: Resource<'_>) -> table::Row {
        table::row(resource, (self.of)(resource.group, resource.resource))
    }

    fn validate_and_warn(
        self,
        table: warnings::Table,
        resource: Resource<'_>,
        change: &Change<'_>,
    ) -> ValidationResult {
        let Resource { group, resource: name, .. } = resource;
        ValidationResult::of(self.validate(resource, change), || match *change {
            Change::New(object) => warnings::of(table, group, name, object, None),
            Change::Part { subresource, object, old } if part_of(group, name, subresource).is_none() => {
                warnings::of(table, group, name, object, Some(old))
            }
            Change::Part { subresource: "status", object, .. } => warnings::of_status(group, name, object),
            Change::Question(_) | Change::Part { .. } => Vec::new(),
        })
    }

    /// Validates an object.
    fn validate(self, resource: Resource<'_>, change: &Change<'_>) -> Vec<Error> {
        match *change {
            Change::New(object) => self.create(resource, object),
            // What is answered and not stored needs no metadata that names it.
            Change::Question(object) => ((self.of)(resource.group, resource.resource).create)(object),
            Change::Part { subresource, object, old } => self.part(resource, subresource, object, old),
        }
    }

    fn create(self, resource: Resource<'_>, object: &Value) -> Vec<Error> {
        let row = self.row(resource);
        let mut errors =
            if row.validates_metadata { metadata::validate(object, &row.rules) } else { Vec::new() };
        errors.extend((row.checks.create)(object));
        errors.extend((row.checks.only_new)(object));
        if errors.is_empty() {
            errors = metadata::validate(object, &row.generic());
        }
        errors
    }

    /// An error of the metadata may come several times, as it does from the API server: every kind is checked by the rules
    /// for all of them, and then by its own.
    fn update(self, resource: Resource<'_>, object: &Value, old: &Value) -> Vec<Error> {
        let row = self.row(resource);
        let generic = row.generic();
        let mut errors = metadata::validate(object, &generic);
        errors.extend(metadata::validate_update(object, old, &generic));
        for pass in row.passes {
            match pass {
                Pass::Create => {
                    errors.extend(metadata::validate(object, &row.rules));
                    errors.extend((row.checks.create)(object));
                }
                Pass::Update => {
                    errors.extend(metadata::validate_update(object, old, &row.rules));
                    errors.extend((row.checks.update)(object, old));
                }
                Pass::Spec => errors.extend((row.checks.create)(object)),
                Pass::Metadata => errors.extend(metadata::validate(object, &row.rules)),
                Pass::MetadataUpdate => errors.extend(metadata::validate_update(object, old, &row.rules)),
                Pass::Change => errors.extend((row.checks.update)(object, old)),
            }
        }
        errors
    }

    fn part(self, resource: Resource<'_>, subresource: &str, object: &Value, old: &Value) -> Vec<Error> {
        let Some(check) = (self.of_part)(resource.group, resource.resource, subresource) else {
            return self.update(resource, object, old);
        };
        let row = self.row(resource);
        let generic = row.generic();
        let mut errors = metadata::validate(object, &generic);
        errors.extend(metadata::validate_update(object, old, &generic));
        errors.extend(metadata::validate_update(object, old, &row.rules));
        errors.extend(check(object, old));
        errors
    }
}

/// Validates an object of the part `basics`.
pub(crate) fn basics(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Kinds::at(kinds::basics::of, kinds::basics::of_part).validate_and_warn(warnings::BASICS, resource, change)
}

/// Validates an object of the part `workloads`.
fn workloads(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Kinds::at(kinds::workloads::of, kinds::workloads::of_part).validate_and_warn(
        warnings::WORKLOADS,
        resource,
        change,
    )
}

/// Validates an object of the part `expressions`.
fn expressions(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Kinds::at(kinds::expressions::of, kinds::expressions::of_part).validate_and_warn(
        warnings::EXPRESSIONS,
        resource,
        change,
    )
}

/// Validates an object of the part `others`.
pub(crate) fn others(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Kinds::at(kinds::others::of, kinds::others::of_part).validate_and_warn(warnings::OTHERS, resource, change)
}

/// Validates a new object. Its name must have been generated already, and defaults filled in.
pub fn validate_create(resource: Resource<'_>, object: &Value) -> Vec<Error> {
    Kinds::of(resource).create(resource, object)
}

/// Validates a change of `old` into `object`. What a client may leave out (uid, resource version where it is optional,
/// creation and deletion time, generation) must have been filled in already.
pub fn validate_update(resource: Resource<'_>, object: &Value, old: &Value) -> Vec<Error> {
    Kinds::of(resource).update(resource, object, old)
}

/// Validates a change by way of a subresource; with an empty one, of the object itself. Where nothing is special to the
/// subresource, the object is checked as if it had been changed itself.
pub fn validate_part(resource: Resource<'_>, subresource: &str, object: &Value, old: &Value) -> Vec<Error> {
    Kinds::of(resource).part(resource, subresource, object, old)
}

#[cfg(test)]
mod tests;
