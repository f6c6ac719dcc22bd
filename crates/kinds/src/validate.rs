//! Validation of an object by the rules of all kinds and those of its own, in kube-apiserver's order.
//!
//! There is a function for each list of kinds, which a host may load one by one: see [`List`].

use std::hint::black_box;

use json_tree::Value;

use crate::kind::Pass;
use crate::validation::metadata::{self, Rules};
use crate::validation::name::NameRule;
use crate::validation::{Change, Resource, ValidationResult};
use crate::{List, Validator, facts, list_of};
use field::Error;

/// The groups whose kinds take any qualified name as a finalizer.
const ANY_FINALIZER: [&str; 5] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
];

/// Finds the validator of a kind, in one of the lists: by group and resource.
type Find = fn(&str, &str) -> Option<Validator>;

/// The validation of a resource.
struct Validation<'a> {
    resource: Resource<'a>,
    validator: Validator,
    /// The rules for the metadata of its objects.
    rules: Rules,
    /// The rules that hold for the metadata of every kind.
    generic: Rules,
}

impl<'a> Validation<'a> {
    fn new(find: Find, resource: Resource<'a>) -> Self {
        let Resource { group, resource: name, namespaced } = resource;
        let validator = find(group, name).unwrap_or_else(crate::unlisted);
        let rules = Rules {
            name: validator.name,
            generate_name: validator.checks_generate_name,
            namespaced,
            known_finalizers: is_built_in(group) && !ANY_FINALIZER.contains(&group),
        };
        let generic =
            Rules { name: NameRule::PathSegment, generate_name: true, known_finalizers: false, ..rules };
        Self { resource, validator, rules, generic }
    }

    /// Finds the validator in the list that the resource is in.
    fn of(resource: Resource<'a>) -> Self {
        let find = match list_of(resource.group, resource.resource) {
            List::Basics => crate::basics,
            List::Workloads => crate::workloads,
            List::Expressions => crate::expressions,
            List::Others => crate::others,
        };
        Self::new(find, resource)
    }

    /// Finds the validator in a list, whose code may have been loaded later.
    fn at(find: Find, resource: Resource<'a>) -> Self {
        Self::new(black_box(find), resource)
    }

    fn validate_and_warn(&self, change: &Change<'_>) -> ValidationResult {
        let Resource { group, resource, .. } = self.resource;
        ValidationResult::of(self.validate(change), || match *change {
            Change::New(object) => (self.validator.checks.warn)(object, None),
            Change::Part { subresource, object, old } if !facts(group, resource).is_part(subresource) => {
                (self.validator.checks.warn)(object, Some(old))
            }
            Change::Part { subresource: "status", object, .. } => {
                (self.validator.checks.warn_of_status)(object)
            }
            Change::Question(_) | Change::Part { .. } => Vec::new(),
        })
    }

    /// Validates a change.
    fn validate(&self, change: &Change<'_>) -> Vec<Error> {
        match *change {
            Change::New(object) => self.create(object),
            // What is answered and not stored needs no metadata that names it.
            Change::Question(object) => (self.validator.checks.validate)(object),
            Change::Part { subresource, object, old } => self.part(subresource, object, old),
        }
    }

    /// Validates the metadata of an object by the rules of its kind.
    fn metadata(&self, object: &Value) -> Vec<Error> {
        let mut errors = metadata::names(object, &self.rules);
        errors.extend((self.validator.checks.name)(object));
        errors.extend(metadata::all_but_names(object, &self.rules));
        errors
    }

    fn create(&self, object: &Value) -> Vec<Error> {
        let mut errors = if self.validator.checks_new_metadata { self.metadata(object) } else { Vec::new() };
        errors.extend((self.validator.checks.validate)(object));
        errors.extend((self.validator.checks.validate_new)(object));
        if errors.is_empty() {
            errors = metadata::validate(object, &self.generic);
        }
        errors
    }

    /// Validates a change of the object itself. An error of the metadata may come several times, as it does from
    /// kube-apiserver: every kind is checked by the rules for all of them, and then by its own.
    fn update(&self, object: &Value, old: &Value) -> Vec<Error> {
        let (rules, checks) = (&self.rules, &self.validator.checks);
        let mut errors = metadata::validate(object, &self.generic);
        errors.extend(metadata::validate_update(object, old, &self.generic));
        for pass in self.validator.update_passes {
            match pass {
                Pass::Create => {
                    errors.extend(self.metadata(object));
                    errors.extend((checks.validate)(object));
                }
                Pass::Update => {
                    errors.extend(metadata::validate_update(object, old, rules));
                    errors.extend((checks.validate_update)(object, old));
                }
                Pass::Spec => errors.extend((checks.validate)(object)),
                Pass::Metadata => errors.extend(self.metadata(object)),
                Pass::MetadataUpdate => errors.extend(metadata::validate_update(object, old, rules)),
                Pass::Change => errors.extend((checks.validate_update)(object, old)),
            }
        }
        errors
    }

    fn part(&self, subresource: &str, object: &Value, old: &Value) -> Vec<Error> {
        let Some(part) = self.validator.checks.part(subresource) else {
            return self.update(object, old);
        };
        let mut errors = metadata::validate(object, &self.generic);
        errors.extend(metadata::validate_update(object, old, &self.generic));
        if part.checks_metadata {
            errors.extend(metadata::validate_update(object, old, &self.rules));
        }
        errors.extend((part.validate)(object, old));
        errors
    }
}

/// Reports whether `group` is one of Kubernetes' own: it has no dot, or it ends in `.k8s.io`, which Kubernetes protects.
fn is_built_in(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

/// Validates an object of one of the kinds that are written most often.
pub fn basics(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Validation::at(crate::basics, resource).validate_and_warn(change)
}

/// Validates a pod, or what has a template of pods.
pub fn workloads(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Validation::at(crate::workloads, resource).validate_and_warn(change)
}

/// Validates an object that contains CEL expressions or schemas.
pub fn expressions(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Validation::at(crate::expressions, resource).validate_and_warn(change)
}

/// Validates an object of one of the other kinds.
pub fn others(resource: Resource<'_>, change: &Change<'_>) -> ValidationResult {
    Validation::at(crate::others, resource).validate_and_warn(change)
}

/// Validates a new object. Its name must have been generated already, and defaults filled in.
pub fn create(resource: Resource<'_>, object: &Value) -> Vec<Error> {
    Validation::of(resource).create(object)
}

/// Validates a change of `old` into `object`. What a client may leave out (uid, resource version where it is optional,
/// creation and deletion time, generation) must have been filled in already.
pub fn update(resource: Resource<'_>, object: &Value, old: &Value) -> Vec<Error> {
    Validation::of(resource).update(object, old)
}

/// Validates a change by way of a subresource; with an empty one, of the object itself. Where nothing is special to the
/// subresource, the object is checked as if it had been changed itself.
pub fn part(resource: Resource<'_>, subresource: &str, object: &Value, old: &Value) -> Vec<Error> {
    Validation::of(resource).part(subresource, object, old)
}

#[cfg(test)]
mod tests;
