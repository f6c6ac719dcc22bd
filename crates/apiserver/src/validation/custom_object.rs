//! Validation of custom objects: their type, their metadata, then their schema.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation>

use field::{AddError, Error, Path};
use json_tree::Value;
use structural::Structural;
use structural::rules::{self, Compiled, Verdict};

use crate::custom::scale::{self, Part};
use crate::custom::{Custom, Scale};
use crate::resource::Resource;
use apimachinery::object::Object;
use kinds::validation::embedded::{embedded, moved};
use kinds::validation::metadata::{self, Rules};
use kinds::validation::name::{self, NameRule};
use kinds::validation::{Change, ValidationResult};

/// The parts of a definition's version that its objects are validated by.
pub(super) struct Subject<'a> {
    pub(super) kind: &'a str,
    pub(super) api_version: &'a str,
    pub(super) namespaced: bool,
    pub(super) scale: Option<&'a Scale>,
    pub(super) schema: &'a Structural,
    /// The rules of the schema, ready to run.
    pub(super) rules: &'a Compiled,
}

/// The rules of a schema, of which it was said what is wrong with them when they were written.
pub(super) fn compile(schema: &Structural) -> Compiled {
    rules::compile(schema, &Path::default(), &[]).0
}

/// Validates a custom object, where the code for that is present.
pub(crate) fn here(resource: &Resource, custom: &Custom, change: &Change<'_>) -> ValidationResult {
    let version = custom.version();
    let Some(rules) = version.prepared(|| compile(&version.schema)) else {
        return ValidationResult::default();
    };
    let subject = Subject {
        kind: &resource.kind,
        api_version: &resource.api_version(),
        namespaced: resource.namespaced,
        scale: version.scale.as_ref(),
        schema: &version.schema,
        rules,
    };
    subject.judge(change)
}

impl Subject<'_> {
    /// Validates a new object, or a change.
    pub(super) fn judge(&self, change: &Change<'_>) -> ValidationResult {
        match *change {
            Change::New(object) | Change::Question(object) => {
                ValidationResult::of(self.create(object), || warnings(object, None))
            }
            Change::Part { subresource, object, old } => {
                let found = self.update(subresource, object, old);
                let mut result = ValidationResult::of(found.errors, || {
                    if subresource == "status" { Vec::new() } else { warnings(object, Some(old)) }
                });
                result.warnings.splice(0..0, found.tolerated.iter().map(Error::to_string));
                result
            }
        }
    }

    /// The rules for the metadata of every object, and those for custom ones.
    fn metadata(&self) -> (Rules, Rules) {
        let own = Rules {
            name: NameRule::Subdomain,
            generate_name: true,
            namespaced: self.namespaced,
            known_finalizers: false,
        };
        (Rules { name: NameRule::PathSegment, ..own }, own)
    }

    /// Validates a new object.
    fn create(&self, value: &Value) -> Vec<Error> {
        let Some(object) = value.as_object() else { return Vec::new() };
        let mut errors = self.type_meta(object);
        if !errors.is_empty() {
            return errors;
        }
        let (generic, own) = self.metadata();
        errors = metadata::validate(value, &own);
        errors.extend(structural::validate(value, None, self.schema));
        for part in [Part::Spec, Part::Status] {
            errors.extend(self.scale.iter().flat_map(|paths| scale::check(paths, object, part)));
        }
        errors.extend(embedded(value, self.schema));
        errors.extend(structural::validate_lists(value, self.schema));
        errors.extend(self.by_rules(value, None, &errors).errors);
        if errors.is_empty() {
            errors = metadata::validate(value, &generic);
        }
        errors
    }

    /// Validates a change of `was` into `value`, by way of a subresource if that is not empty.
    fn update(&self, subresource: &str, value: &Value, was: &Value) -> Verdict {
        let (Some(object), Some(old)) = (value.as_object(), was.as_object()) else {
            return Verdict::default();
        };
        let (generic, own) = self.metadata();
        let mut errors = metadata::validate(value, &generic);
        errors.extend(metadata::validate_update(value, was, &generic));
        let types = self.type_meta(object);
        if !types.is_empty() {
            errors.extend(types);
            return Verdict { errors, ..Verdict::default() };
        }
        errors.extend(metadata::validate_update(value, was, &own));
        let of_status = subresource == "status";
        if of_status {
            if let (Some(status), Some(schema)) = (object.get("status"), self.schema.property("status")) {
                let found = structural::validate(status, old.get("status"), schema);
                errors.extend(found.into_iter().map(|error| moved(error, "", &Path::new("status"))));
            }
        } else {
            errors.extend(structural::validate(value, Some(was), self.schema));
            errors.extend(self.scale.iter().flat_map(|paths| scale::check(paths, object, Part::Spec)));
        }
        errors.extend(self.scale.iter().flat_map(|paths| scale::check(paths, object, Part::Status)));
        if !of_status {
            errors.extend(embedded(value, self.schema));
        }
        // What was there twice may stay there twice.
        if structural::validate_lists(was, self.schema).is_empty() {
            errors.extend(structural::validate_lists(value, self.schema));
        }
        let found = self.by_rules(value, Some(was), &errors);
        errors.extend(found.errors);
        Verdict { errors, tolerated: found.tolerated }
    }

    /// Returns the errors of the schema's validation rules, or the error that they were not checked, if something is
    /// wrong that keeps them from making sense.
    fn by_rules(&self, object: &Value, old: Option<&Value>, errors: &[Error]) -> Verdict {
        if self.rules.is_empty() {
            return Verdict::default();
        }
        if let Some(unchecked) = rules::unchecked(errors) {
            return Verdict { errors: vec![unchecked], ..Verdict::default() };
        }
        rules::validate(self.rules, self.schema, object, old, rules::BUDGET)
    }

    /// An object must be of the kind and version of its path.
    fn type_meta(&self, object: &Object) -> Vec<Error> {
        let mut errors = Vec::new();
        for (key, expected) in [("kind", self.kind), ("apiVersion", self.api_version)] {
            let sent = object.get(key).and_then(Value::as_str).unwrap_or_default();
            if sent != expected {
                errors.invalid(Path::new(key), sent, ["must be ", expected].concat());
            }
        }
        errors
    }
}

/// Returns the warnings for a writer of finalizers, about those that were not there before.
fn warnings(object: &Value, old: Option<&Value>) -> Vec<String> {
    let finalizers = |object: &Value| {
        let list = object["metadata"]["finalizers"].as_array().map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let before = old.map(finalizers).unwrap_or_default();
    let mut new = finalizers(object);
    new.retain(|name| !before.contains(name));
    schema::sort_once(&mut new);
    let mut warnings = Vec::new();
    for name in new {
        let warn = |why: &str| ["metadata.finalizers: ", &field::quote(&name), ": ", why].concat();
        warnings.extend(name::qualified_name(&name).iter().map(|why| warn(why)));
        if !name.contains('/') && !["kubernetes", "orphan", "foregroundDeletion"].contains(&name.as_str()) {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            warnings.push(warn(&format!(
                "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer \
                 writers"
            )));
        }
    }
    warnings
}
