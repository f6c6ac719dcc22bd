//! Whether an object may be stored: its metadata, then what is special to its kind.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/>. Every error becomes a cause of a Status with
//! the reason `Invalid`; [`field::aggregate`] makes its message.

pub(crate) mod address;
pub(crate) mod der;
pub mod generate_name;
pub mod go_diff;
pub mod internal;
mod kinds;
pub mod metadata;
pub(crate) mod pem;
mod table;

pub use field::name;
pub use generate_name::generate_name;
pub(crate) use kinds::{APPROVAL, is_certificate_bundle, is_protected_group, unrecognized_formats};

use std::fmt;

use json_tree::{Value, json};

use crate::admission::pod_security;
use crate::code;
use crate::custom::{self, Custom};
use crate::policy;
use crate::registry::{part, warnings};
use field::{Error, Path};
use table::Pass;

/// A resource as validation sees it.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The plural name in lower case.
    pub resource: &'a str,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
}

/// What is to be validated.
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
        /// What it is to be.
        object: &'a Value,
        /// What it was.
        old: &'a Value,
    },
}

/// What there is to say of a change.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// What is wrong with it.
    pub(crate) errors: Vec<Error>,
    /// What its writer is warned of, if nothing is wrong.
    pub(crate) warnings: Vec<String>,
}

impl Verdict {
    /// The verdict on an object that could not be validated: it is refused.
    fn unknown(why: String) -> Self {
        Self { errors: vec![Error::internal(Path::default(), why)], warnings: Vec::new() }
    }

    /// These errors, or these warnings if there are none.
    pub(crate) fn of(errors: Vec<Error>, warnings: impl FnOnce() -> Vec<String>) -> Self {
        let warnings = if errors.is_empty() { warnings() } else { Vec::new() };
        Self { errors, warnings }
    }
}

/// How a server finds out what there is to say of objects: functions of these and of their definitions, and of nothing
/// else.
#[derive(Clone, Copy)]
pub struct Validation {
    pub(crate) objects: Objects,
    pub(crate) expressions: Expressions,
}

/// The validation that needs no CEL.
#[derive(Clone, Copy)]
pub(crate) struct Objects {
    /// Says of objects of a built-in kind what is wrong with them.
    pub(crate) built_in: fn(Resource<'_>, &Change<'_>) -> Verdict,
    /// Says of pods what they violate of the Pod Security Standards.
    pub(crate) pod_security: pod_security::Look,
}

/// The validation and the policies that need CEL.
#[derive(Clone, Copy)]
pub(crate) struct Expressions {
    /// Says of custom objects what is wrong with them.
    pub(crate) custom: fn(&schema::Resource, &Custom, &Change<'_>) -> Verdict,
    /// Says of requests what the policies that they concern say.
    pub(crate) policy: fn(&Value) -> Value,
}

impl Objects {
    /// By itself.
    pub(crate) const HERE: Self = Self { built_in: judge, pod_security: pod_security::standards::violations };
}

impl Objects {
    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { built_in, pod_security } = Self::HERE;
        Self { built_in: code::address(built_in), pod_security: code::address(pod_security) }
    }
}

impl Expressions {
    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { custom, policy } = Self::HERE;
        Self { custom: code::address(custom), policy: code::address(policy) }
    }

    /// By itself.
    pub(crate) const HERE: Self = Self { custom: custom::validate::here, policy: policy::evaluate::judge };
}

impl Validation {
    /// By itself.
    pub const HERE: Self = Self { objects: Objects::HERE, expressions: Expressions::HERE };

    /// By code that is looked for where it was put: see [`code`]. Without that, nothing is valid.
    pub const LATE: Self = Self {
        objects: Objects {
            built_in: |resource, change| match code::objects() {
                Ok(objects) => (objects.built_in)(resource, change),
                Err(why) => Verdict::unknown(why),
            },
            pod_security: |policy, metadata, spec| match code::objects() {
                Ok(objects) => (objects.pod_security)(policy, metadata, spec),
                Err(why) => vec![pod_security::Violation::unknown(why)],
            },
        },
        expressions: Expressions {
            custom: |resource, custom, change| match code::expressions() {
                Ok(expressions) => (expressions.custom)(resource, custom, change),
                Err(why) => Verdict::unknown(why),
            },
            policy: |question| match code::expressions() {
                Ok(expressions) => (expressions.policy)(question),
                Err(why) => json!({ "error": why }),
            },
        },
    };
}

impl fmt::Debug for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Validation")
    }
}

/// What there is to say of an object of a built-in kind.
pub(crate) fn judge(resource: Resource<'_>, change: &Change<'_>) -> Verdict {
    let Resource { group, resource: name, .. } = resource;
    Verdict::of(validate(resource, change), || match *change {
        Change::New(object) => warnings::of(group, name, object, None),
        Change::Part { subresource, object, old } if !part::is_part(group, name, subresource) => {
            warnings::of(group, name, object, Some(old))
        }
        Change::Part { subresource: "status", object, .. } => warnings::of_status(group, name, object),
        Change::Question(_) | Change::Part { .. } => Vec::new(),
    })
}

/// What is wrong with an object.
pub fn validate(resource: Resource<'_>, change: &Change<'_>) -> Vec<Error> {
    match *change {
        Change::New(object) => validate_create(resource, object),
        Change::Question(object) => validate_question(resource, object),
        Change::Part { subresource, object, old } => validate_part(resource, subresource, object, old),
    }
}

/// What is wrong with a new object. Its name must have been generated already, and defaults filled in.
pub fn validate_create(resource: Resource<'_>, object: &Value) -> Vec<Error> {
    let row = table::row(resource);
    let mut errors = if row.validates_metadata { metadata::validate(object, &row.rules) } else { Vec::new() };
    errors.extend((row.checks.create)(object));
    errors.extend((row.checks.only_new)(object));
    if errors.is_empty() {
        errors = metadata::validate(object, &row.generic());
    }
    errors
}

/// What is wrong with a change of `old` into `object`. What a client may leave out (uid, resource version where it
/// is optional, creation and deletion time, generation) must have been filled in already.
///
/// An error of the metadata may come several times, as it does from the API server: every kind is checked by the
/// rules for all of them, and then by its own.
pub fn validate_update(resource: Resource<'_>, object: &Value, old: &Value) -> Vec<Error> {
    let row = table::row(resource);
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

/// What is wrong with a question, which is answered and not stored, so that its metadata need not name it.
pub fn validate_question(resource: Resource<'_>, object: &Value) -> Vec<Error> {
    (kinds::of(resource.group, resource.resource).create)(object)
}

/// What is wrong with a change by way of a subresource; with an empty one, of the object itself. Where nothing is special
/// to the subresource, the object is checked as if it had been changed itself.
pub fn validate_part(resource: Resource<'_>, subresource: &str, object: &Value, old: &Value) -> Vec<Error> {
    let Some(check) = kinds::of_part(resource.group, resource.resource, subresource) else {
        return validate_update(resource, object, old);
    };
    let row = table::row(resource);
    let generic = row.generic();
    let mut errors = metadata::validate(object, &generic);
    errors.extend(metadata::validate_update(object, old, &generic));
    errors.extend(metadata::validate_update(object, old, &row.rules));
    errors.extend(check(object, old));
    errors
}

#[cfg(test)]
mod tests;
